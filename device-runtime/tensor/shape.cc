#include "device-runtime/tensor/shape.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace ferry::tensor {

Shape::Shape(std::initializer_list<int64_t> dims) {
  auto shape = Make(std::span<const int64_t>(dims.begin(), dims.size()));
  *this = shape.value();
}

Result<Shape> Shape::Make(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return Status::Of(Code::kShapeMismatch, "rank {} is above the limit of {}", dims.size(),
                      kMaxRank);
  }
  Shape shape;
  int64_t elements = 1;
  for (int64_t dim : dims) {
    if (dim < 0) return Status::Of(Code::kShapeMismatch, "negative extent {}", dim);
    if (dim > 0) {
      if (dim > kMaxElements / elements) {
        return Status::Of(Code::kShapeMismatch, "shape [{}] passes the limit of {} elements",
                          fmt::join(dims, ","), kMaxElements);
      }
      elements *= dim;
    }
    shape.dims_[shape.rank_++] = dim;
  }
  return shape;
}

int64_t Shape::elements() const {
  return Product(0, rank_);
}

int64_t Shape::Product(int begin, int end) const {
  int64_t product = 1;
  for (int axis = begin; axis < end; ++axis) product *= dims_[axis];
  return product;
}

std::string Shape::ToString() const {
  return fmt::format("[{}]", fmt::join(dims(), ","));
}

bool Shape::operator==(const Shape& other) const {
  return std::ranges::equal(dims(), other.dims());
}

Strides DenseStrides(const Shape& shape) {
  Strides strides{};
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

Result<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::array<int64_t, kMaxRank> dims{};
  for (int axis = 0; axis < rank; ++axis) {
    const int in_a = axis - (rank - a.rank());
    const int in_b = axis - (rank - b.rank());
    const int64_t of_a = in_a < 0 ? 1 : a[in_a];
    const int64_t of_b = in_b < 0 ? 1 : b[in_b];
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      return Status::Of(Code::kShapeMismatch, "shapes {} and {} do not broadcast", a.ToString(),
                        b.ToString());
    }
    dims[axis] = of_a == 1 ? of_b : of_a;
  }
  return Shape::Make({dims.data(), static_cast<size_t>(rank)});
}

Strides BroadcastStrides(const Shape& from, const Shape& to) {
  CHECK(from.rank() <= to.rank());
  const Strides dense = DenseStrides(from);
  Strides strides{};
  const int shift = to.rank() - from.rank();
  for (int axis = 0; axis < from.rank(); ++axis) {
    strides[axis + shift] = from[axis] == 1 ? 0 : dense[axis];
  }
  return strides;
}

Result<int> NormalizeAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return Status::Of(Code::kShapeMismatch, "axis {} is outside a rank of {}", axis, rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace ferry::tensor
