// Numbers as scale * (integer - zero point): of activations, and of weights by tensor, channel or
// block.
#pragma once

#include <optional>
#include <span>

#include "device-runtime/quant/options.h"

namespace ferry::quant {

// Scales stay above this, so that the product of two is a normal float.
inline constexpr double kLeastScale = 1e-18;

struct Affine {
  float scale = 1;
  int zero_point = 0;
  DType dtype = DType::kU8;  // kU8 or kI8

  // The least and largest integer, and the numbers that they stand for.
  int Lowest() const { return dtype == DType::kU8 ? 0 : -128; }
  int Highest() const { return dtype == DType::kU8 ? 255 : 127; }
  double Low() const { return double{scale} * (Lowest() - zero_point); }
  double High() const { return double{scale} * (Highest() - zero_point); }
  bool operator==(const Affine&) const = default;
};
// Covers [low, high] and zero, which is exact. A range of nothing but zero gives scale 1.
Affine AffineOf(double low, double high, DType dtype);

// Which weights share a scale.
struct WeightForm {
  DType dtype = DType::kI8;  // kI8 or kI4: symmetric; kU8 or kU4: with zero points
  int axis = -1;             // -1: all share one
  int64_t block = 0;         // with an axis: 0: those of one index; else so many along it
};

// The inputs and attributes of the DequantizeLinear that gives the weights back.
struct QuantizedWeight {
  Tensor values;                // i8, i4, u8 or u4
  Tensor scales;                // f32; a scalar, [extent], or the blocks
  std::optional<Tensor> zeros;  // as values; none: symmetric
  int axis = -1;
  int64_t block = 0;
};

// Rounds f32 weights. Symmetric 8 bit ones keep their largest magnitude at 127; 4 bit ones take,
// of some scales, that with the least squared error. `least` (empty, or one a scale) bounds scales
// from below. kInvalidArgument for weights that are not finite, kOutOfMemory.
Result<QuantizedWeight> QuantizeWeight(const Tensor& weights, const WeightForm& form,
                                       std::span<const double> least = {});
// The f32 tensor that it stands for.
Result<Tensor> Dequantized(const QuantizedWeight& weight);
// Bytes in a model file.
int64_t FileBytes(const QuantizedWeight& weight);

// x rounded to integers of `scale`, one number or one an element, saturated; i32.
Result<Tensor> QuantizeBias(const Tensor& bias, std::span<const float> scales);

}  // namespace ferry::quant
