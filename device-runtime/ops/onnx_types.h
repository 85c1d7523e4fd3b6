// ONNX's numbers for element types. Source: TensorProto.DataType of the ONNX specification.
#pragma once

#include "device-runtime/tensor/dtype.h"

namespace ferry::ops {

// kUnsupported for types that Ferry has no DType for (strings, complex, 4-bit, ...).
Result<tensor::DType> DTypeOfOnnx(int64_t number);

}  // namespace ferry::ops
