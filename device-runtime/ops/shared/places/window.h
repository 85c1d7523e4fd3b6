// Sliding windows of convolutions and pools over any number of spatial axes.
#pragma once

#include <algorithm>
#include <array>

#include "device-runtime/ops/node_context.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {

// Largest kernel extent and padding of a window along one axis: a tiny model must not ask for
// endless work.
inline constexpr int64_t kMaxWindow = 65536;

// One entry a spatial axis, outermost first.
struct Window {
  size_t axes = 0;
  Index in{}, out{}, kernel{}, stride{}, dilation{}, pad_begin{}, pad_end{};

  static int64_t Product(const Index& extents, size_t count) {
    int64_t product = 1;
    for (size_t i = 0; i < count; ++i) product *= extents[i];
    return product;
  }
  int64_t in_positions() const { return Product(in, axes); }
  int64_t out_positions() const { return Product(out, axes); }
  int64_t kernel_positions() const { return Product(kernel, axes); }
};

// A window of at most two axes as height (index 0) and width; the height of one axis is 1.
struct Window2d {
  std::array<int64_t, 2> in{1, 1}, out{1, 1}, kernel{1, 1}, stride{1, 1}, dilation{1, 1},
      pad_begin{0, 0}, pad_end{0, 0};
  explicit Window2d(const Window& w);
};

// Reads strides, dilations, pads, auto_pad and ceil_mode of a node whose input has `shape` [n,c,..]
// with rank 3 or more. Source: ONNX operators Conv, MaxPool, AveragePool, LpPool.
Result<Window> WindowOf(const NodeContext& c, const Shape& shape, std::span<const int64_t> kernel);

// [n, channels, out...] for an input of `shape`.
Result<Shape> WindowOutput(const Shape& shape, int64_t channels, const Window& w);

// The coordinates of position `flat` of dense extents.
Index PositionOf(const Index& extents, size_t axes, int64_t flat);

// The part of a window that lies inside the input.
struct Reach {
  Reach(const Window& w, const Index& at);
  size_t axes;
  Index first{};   // input coordinate of the first kernel tap that lies inside
  Index tap{};     // which tap that is
  Index count{};   // taps inside, an axis
  int64_t inside;  // all taps inside
  int64_t padded;  // taps inside the input or its padding
};

// Calls f(flat input position, flat kernel tap) for each tap inside, in order.
template <typename F>
void ForTaps(const Window& w, const Reach& reach, F&& f) {
  for (int64_t i = 0; i < reach.inside; ++i) {
    int64_t rest = i;
    int64_t position = 0, tap = 0, position_step = 1, tap_step = 1;
    for (size_t axis = w.axes; axis-- > 0;) {
      const int64_t k = rest % reach.count[axis];
      rest /= reach.count[axis];
      position += (reach.first[axis] + k * w.dilation[axis]) * position_step;
      tap += (reach.tap[axis] + k) * tap_step;
      position_step *= w.in[axis];
      tap_step *= w.kernel[axis];
    }
    f(position, tap);
  }
}

}  // namespace ferry::ops
