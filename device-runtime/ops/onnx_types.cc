#include "device-runtime/ops/onnx_types.h"

namespace ferry::ops {

Result<tensor::DType> DTypeOfOnnx(int64_t number) {
  switch (number) {
    case 1:
      return tensor::DType::kF32;
    case 2:
      return tensor::DType::kU8;
    case 3:
      return tensor::DType::kI8;
    case 5:
      return tensor::DType::kI16;
    case 6:
      return tensor::DType::kI32;
    case 7:
      return tensor::DType::kI64;
    case 9:
      return tensor::DType::kBool;
    case 10:
      return tensor::DType::kF16;
    case 11:
      return tensor::DType::kF64;
    default:
      return Status::Of(Code::kUnsupported, "ONNX type {}", number);
  }
}

}  // namespace ferry::ops
