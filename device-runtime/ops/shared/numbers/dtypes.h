// Groups of element types that operators allow, and elements widened for exact loops.
#pragma once

#include "device-runtime/tensor/tensor.h"

namespace ferry::ops {

// float, double, float16, bfloat16: what ONNX means by "float tensors".
constexpr bool IsWideFloat(tensor::DType d) {
  using tensor::DType;
  return d == DType::kF32 || d == DType::kF64 || d == DType::kF16 || d == DType::kBF16;
}
// Integers of 32 and 64 bits.
constexpr bool IsWideInteger(tensor::DType d) {
  using tensor::DType;
  return d == DType::kI32 || d == DType::kI64 || d == DType::kU32 || d == DType::kU64;
}
// Integers of 8 bits.
constexpr bool IsByte(tensor::DType d) {
  return d == tensor::DType::kI8 || d == tensor::DType::kU8;
}

// The elements as f64 (an f64 tensor is shared).
Result<tensor::Tensor> ToDoubles(const tensor::Tensor& from);
// The elements of an integer tensor as i64 (u64: its bits).
Result<tensor::Tensor> ToIntegers(const tensor::Tensor& from);

}  // namespace ferry::ops
