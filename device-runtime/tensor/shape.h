// The extents of a tensor, outermost first, without heap memory. Row-major; a rank of 0 is a
// scalar.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "common/base/status.h"

namespace ferry::tensor {

inline constexpr int kMaxRank = 8;
// Most elements of one tensor: far above real ones, and small enough that element counts times 8
// bytes, and index sums of a few of them, cannot overflow int64.
inline constexpr int64_t kMaxElements = int64_t{1} << 40;

// A value type; extents are >= 0 and their product is at most kMaxElements once CheckShape passed.
class Shape {
 public:
  Shape() = default;
  // CHECKs rank and signs: for literals in code. Outside input goes through Make.
  Shape(std::initializer_list<int64_t> dims);
  // kShapeMismatch for a negative extent, a rank above kMaxRank or more than kMaxElements elements.
  static Result<Shape> Make(std::span<const int64_t> dims);

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return dims_[axis]; }
  std::span<const int64_t> dims() const { return {dims_.data(), static_cast<size_t>(rank_)}; }
  int64_t elements() const;
  // Product of the extents of axes [begin, end).
  int64_t Product(int begin, int end) const;
  // "[1,3,224,224]"
  std::string ToString() const;
  bool operator==(const Shape& other) const;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

using Strides = std::array<int64_t, kMaxRank>;  // in elements; the first `rank` ones count

// Strides of a dense row-major tensor.
Strides DenseStrides(const Shape& shape);
// The ONNX (numpy) broadcast of two shapes, or kShapeMismatch naming both.
Result<Shape> BroadcastShapes(const Shape& a, const Shape& b);
// Strides of `from` seen as `to`: 0 along axes that are repeated. `from` must broadcast to `to`.
Strides BroadcastStrides(const Shape& from, const Shape& to);
// axis in [-rank, rank) to [0, rank), else kShapeMismatch.
Result<int> NormalizeAxis(int64_t axis, int rank);

}  // namespace ferry::tensor
