// Index arithmetic of the naive references: slow and plain on purpose.
#pragma once

#include <array>
#include <cstring>

#include "device-runtime/tensor/tensor.h"

namespace ferry::ops {

using tensor::Shape;
using tensor::Tensor;

using Index = std::array<int64_t, tensor::kMaxRank>;

// The coordinates of element `flat` of a dense tensor.
inline Index Unflatten(const Shape& shape, int64_t flat) {
  Index index{};
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[static_cast<size_t>(axis)] = flat % shape[axis];
    flat /= shape[axis];
  }
  return index;
}

inline int64_t Flatten(const Shape& shape, const Index& index) {
  int64_t flat = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    flat = flat * shape[axis] + index[static_cast<size_t>(axis)];
  }
  return flat;
}

// For a flat index of `to`, the flat index of the operand `from` that broadcasts to it.
class BroadcastIndex {
 public:
  BroadcastIndex(const Shape& from, const Shape& to)
      : to_(to), strides_(tensor::BroadcastStrides(from, to)), same_(from == to) {}
  int64_t operator()(int64_t flat) const {
    if (same_) return flat;
    const Index index = Unflatten(to_, flat);
    int64_t at = 0;
    for (size_t axis = 0; axis < static_cast<size_t>(to_.rank()); ++axis) {
      at += index[axis] * strides_[axis];
    }
    return at;
  }

 private:
  Shape to_;
  tensor::Strides strides_;
  bool same_;
};

// out[to] = in[from], whatever the dtype (the same on both sides).
inline void CopyElement(const Tensor& in, int64_t from, Tensor& out, int64_t to) {
  const auto size = static_cast<int64_t>(tensor::DTypeSize(in.dtype()));
  std::memcpy(out.mutable_raw() + to * size, in.raw() + from * size, static_cast<size_t>(size));
}

inline void CopyAll(const Tensor& in, Tensor& out) {
  if (in.size_bytes() > 0) std::memcpy(out.mutable_raw(), in.raw(), in.bytes().size());
}

}  // namespace ferry::ops
