// What operators of float tensors share when they write themselves as others.
#pragma once

#include "device-runtime/ops/expand.h"

namespace ferry::ops {

// Heads of attention: with this limit products of their count and an extent fit int64.
inline constexpr int64_t kMaxHeads = int64_t{1} << 16;

// The four float types of ONNX's arithmetic.
constexpr bool IsArithmeticFloat(DType d) {
  return d == DType::kF32 || d == DType::kF64 || d == DType::kF16 || d == DType::kBF16;
}
// kUnsupported when an input that is there is none of them.
Status CheckFloatInputs(const NodeContext& c, std::initializer_list<int> inputs);

// The type that sums over elements of `d` run in: f32 for the 16-bit types.
constexpr DType WideFloat(DType d) {
  return d == DType::kF16 || d == DType::kBF16 ? DType::kF32 : d;
}

// An attribute that holds ONNX's number of one of the four types; `fallback` when missing.
Result<DType> FloatTypeAttribute(const NodeContext& c, std::string_view key, DType fallback);

// x, of any of the four types, brought to mean 0 and variance 1 over `axes` (which stay as extents
// of 1; none: each number by itself): (x - mean) / sqrt(variance + epsilon).
struct Standardized {
  ir::ValueId mean, inverse_deviation, values;
};
Standardized Standardize(ExpandContext& c, ir::ValueId x, std::span<const int64_t> axes,
                         float epsilon);
// The mean over `axes`; none: x itself.
ir::ValueId MeanOver(ExpandContext& c, ir::ValueId x, std::span<const int64_t> axes);

// Positions of one axis that masks are computed for.
inline constexpr int64_t kMaxPositions = int64_t{1} << 24;

// 0 to count - 1 as i64, of shape [count,1] (column) or [count]; kLimitExceeded above
// kMaxPositions.
Result<ir::ValueId> Positions(ExpandContext& c, int64_t count, bool column);

// [begin, end) as axes.
std::vector<int64_t> AxesBetween(int begin, int end);

// kShapeMismatch unless input `i` broadcasts to `shape` without widening it.
Status CheckBroadcastsTo(const NodeContext& c, int i, const Shape& shape);
// Whether input `i` has these extents (any numbers), and kShapeMismatch when not.
bool HasShape(const NodeContext& c, int i, std::span<const int64_t> dims);
Status CheckInputShape(const NodeContext& c, int i, std::span<const int64_t> dims);
inline bool HasShape(const NodeContext& c, int i, std::initializer_list<int64_t> dims) {
  return HasShape(c, i, std::span<const int64_t>(dims.begin(), dims.size()));
}
inline Status CheckInputShape(const NodeContext& c, int i, std::initializer_list<int64_t> dims) {
  return CheckInputShape(c, i, std::span<const int64_t>(dims.begin(), dims.size()));
}

}  // namespace ferry::ops
