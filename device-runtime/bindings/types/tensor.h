// The script type `Tensor`: a read-only n-dimensional array. Scripts see:
//
//   t.shape (tuple)   t.dtype ("f32")   t.size   len(t)   t[i]   t.tolist()   t.item()
//   t.reshape(shape)  t.argmax()
#pragma once

#include <vector>

#include "device-runtime/tensor/tensor.h"
#include "device-runtime/vm/native.h"

namespace ferry::bindings {

using vm::CallContext;
using vm::Value;

const vm::NativeType& TensorType();

// A script object around `tensor`. Its bytes count against the isolate's memory when `counted`
// (not for a view of another tensor's elements).
Result<Value> NewTensor(CallContext& c, tensor::Tensor tensor, bool counted = true);
// The tensor of `value`; kInvalidArgument names `what` when it is none.
Result<tensor::Tensor> AsTensor(CallContext& c, Value value, std::string_view what);
// A list or tuple of extents, or one integer.
Result<tensor::Shape> AsShape(CallContext& c, Value value);
// Nested lists of numbers (or one number) as a tensor. With `shape`, the list may be flat.
Result<tensor::Tensor> TensorFromValue(CallContext& c, Value value, const tensor::Shape* shape,
                                       tensor::DType dtype);
// Nested lists of all elements; a number for rank 0.
Result<Value> ToList(CallContext& c, const tensor::Tensor& tensor);

}  // namespace ferry::bindings
