// ONNX's numbers of element types (TensorProto.DataType).
#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "device-runtime/tensor/dtype.h"

namespace ferry::ops {

// kUnsupported names a number that is no dtype here (complex ones).
Result<tensor::DType> DTypeOfOnnx(int64_t number);
int64_t OnnxOfDType(tensor::DType dtype);

}  // namespace ferry::ops
