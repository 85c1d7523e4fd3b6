// Sliding windows of convolutions and pools over one or two spatial axes.
#pragma once

#include <array>

#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

// Largest kernel extent and padding of a window along one axis: a tiny model must not ask for
// endless work.
inline constexpr int64_t kMaxWindow = 65536;

// Index 0 is the height, 1 the width; with one spatial axis the height is 1 everywhere.
struct Window2d {
  std::array<int64_t, 2> in{1, 1}, out{1, 1}, kernel{1, 1}, stride{1, 1}, dilation{1, 1},
      pad_begin{0, 0}, pad_end{0, 0};
};

// Reads strides, dilations, pads, auto_pad and ceil_mode of a node whose input has `shape` [n,c,..]
// with rank 3 or 4. Source: ONNX operators Conv, MaxPool, AveragePool.
Result<Window2d> WindowOf(const NodeContext& c, const Shape& shape,
                          std::span<const int64_t> kernel);

// [n, channels, out...] for an input of `shape`.
Result<Shape> WindowOutput(const Shape& shape, int64_t channels, const Window2d& w);

}  // namespace ferry::ops
