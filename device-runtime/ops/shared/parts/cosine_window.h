// Windows that are sums of cosines: Hann, Hamming, Blackman.
#pragma once

#include <cmath>
#include <numbers>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/onnx_types.h"

namespace ferry::ops {

inline constexpr int64_t kMaxWindowSize = 1 << 24;

// Input `i`, one whole number that must be known, in [low, high].
inline Result<int64_t> KnownCount(const NodeContext& c, int i, int64_t low, int64_t high) {
  FERRY_ASSIGN_OR_RETURN(const Tensor* x, c.KnownInput(i));
  if (x->elements() != 1 || !tensor::IsInteger(x->dtype())) {
    return Status::Of(Code::kShapeMismatch, "input {} is {}, not one whole number", i,
                      x->TypeText());
  }
  const int64_t count = x->Integer(0);
  if (count >= low && count <= high) return count;
  return Status::Of(Code::kShapeMismatch, "input {} is {}, outside {} to {}", i, count, low, high);
}

// a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N), where N is the size (periodic) or one less.
inline Status ExpandCosineWindow(ExpandContext& c, double a0, double a1, double a2) {
  FERRY_ASSIGN_OR_RETURN(int64_t number, c.Int("output_datatype", OnnxOfDType(DType::kF32)));
  FERRY_ASSIGN_OR_RETURN(DType dtype, DTypeOfOnnx(number));
  if (dtype == DType::kString) return Status(Code::kShapeMismatch, "a window of texts");
  FERRY_ASSIGN_OR_RETURN(int64_t periodic, c.Int("periodic", 1));
  FERRY_ASSIGN_OR_RETURN(int64_t size, KnownCount(c, 0, 0, kMaxWindowSize));
  FERRY_ASSIGN_OR_RETURN(Tensor window, Tensor::Zeros(dtype, {size}));
  const auto length = static_cast<double>(periodic != 0 ? size : size - 1);
  for (int64_t n = 0; n < size; ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(n) / length;
    window.SetNumber(n, a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
  }
  c.SetOutput(0, c.Constant(std::move(window)));
  return OkStatus();
}

}  // namespace ferry::ops
