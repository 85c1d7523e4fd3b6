// Copies of boxes: the part of one tensor that begins at some index and goes in steps, to a part of
// another. Slice, Split, Concat, Pad and Expand are boxes.
#pragma once

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {

// out[to_begin + i] = in[from_begin + i * step] for i in [0, size); tensors have the box's rank.
struct Box {
  std::vector<int64_t> size, from_begin, step, to_begin;
  explicit Box(const Shape& shape)
      : size(shape.dims().begin(), shape.dims().end()),
        from_begin(size.size(), 0),
        step(size.size(), 1),
        to_begin(size.size(), 0) {}
};

inline void CopyBox(const Tensor& in, const Box& box, Tensor& out) {
  const Shape shape = Shape::Make(box.size).value();
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const Index at = Unflatten(shape, i);
    Index from{}, to{};
    for (size_t axis = 0; axis < box.size.size(); ++axis) {
      from[axis] = box.from_begin[axis] + at[axis] * box.step[axis];
      to[axis] = box.to_begin[axis] + at[axis];
    }
    CopyElement(in, Flatten(in.shape(), from), out, Flatten(out.shape(), to));
  }
}

// The region of a box between dense tensors, both plain or both channels-last (shapes and box are
// given plain).
inline ir::Region RegionOf(const Shape& from, const Shape& to, const Box& box, Layout layout) {
  const bool last = layout == Layout::kChannelsLast && from.rank() >= 3;
  const tensor::Strides in = tensor::DenseStrides(last ? ChannelsLast(from) : from);
  const tensor::Strides out = tensor::DenseStrides(last ? ChannelsLast(to) : to);
  ir::Region region;
  region.rank = from.rank();
  for (int i = 0; i < region.rank; ++i) {
    const int at = !last || i == 0 ? i : i == 1 ? region.rank - 1 : i - 1;
    const auto p = static_cast<size_t>(at);
    const auto axis = static_cast<size_t>(i);
    region.size[p] = box.size[axis];
    region.from_stride[p] = in[p] * box.step[axis];
    region.to_stride[p] = out[p];
    region.from += in[p] * box.from_begin[axis];
    region.to += out[p] * box.to_begin[axis];
  }
  return region;
}

}  // namespace ferry::ops
