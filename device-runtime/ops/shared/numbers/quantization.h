// Scales and zero points of QuantizeLinear and DequantizeLinear: one number, one an index of an
// axis, or one a block along an axis.
#pragma once

#include "device-runtime/ops/lower_context.h"

namespace ferry::ops {

// Which factor goes with which element of x.
class FactorIndex {
 public:
  // Reads axis and block_size, checks the shapes of inputs 1 (scale) and 2 (zero point) against
  // input 0.
  static Result<FactorIndex> Of(const NodeContext& c);
  int64_t operator()(int64_t flat) const {
    if (single_) return 0;
    const int64_t at = flat / inner_ % extent_;
    if (block_ == 0) return at;
    return (flat / inner_ / extent_ * blocks_ + at / block_) * inner_ + flat % inner_;
  }

 private:
  bool single_ = true;
  int64_t extent_ = 1, inner_ = 1, block_ = 0, blocks_ = 1;
};

// The shape by which a map sees x, and how the factors lie over it.
struct FactorView {
  Shape shape;
  tensor::Strides strides{};
  BufferId Expanded(LowerContext& c, int input) const;  // the factors of input 1 or 2

  static Result<FactorView> Of(LowerContext& c);

 private:
  int64_t block_ = 0;  // factors are repeated this often: the last block is shorter
};

// Integers of 2 to 16 bits that values are quantized to.
bool IsQuantInteger(DType dtype);
// Floats of 8 and 4 bits that values are quantized to.
bool IsQuantFloat(DType dtype);

// Attribute `key`, an ONNX type number; `fallback` when it is missing or 0.
Result<DType> TypeAttribute(const NodeContext& c, std::string_view key, DType fallback);

}  // namespace ferry::ops
