// Seeing through a raster: where the elements that a strided read of its output touches lie in its
// input. Source: the region merging of MNN's geometry computing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device-runtime/ir/program.h"

namespace ferry::passes {

// Elements base + sum(i * stride) of a buffer, i below each axis' size.
struct StridedAxis {
  int64_t size = 1;
  int64_t stride = 0;
};

// What one axis becomes in the input: axes, the outermost first. `times` is the step along the
// original axis that one step of the part makes.
struct AxisPart {
  int64_t size = 1;
  int64_t stride = 0;
  int64_t times = 1;
};
struct SeenThrough {
  int64_t base = 0;
  std::vector<std::vector<AxisPart>> axes;  // parallel to those given; never empty ones

  // Joins parts that follow each other evenly.
  void Join();
  // Whether no axis is split.
  bool IsWhole() const;
};

// The read of `region`'s destination that `base` and `axes` describe, as one of its source. nullopt
// when some element is none of those that the region writes, or the steps are not even there. Axes
// of size 0 are not for it. Strides must not be negative.
std::optional<SeenThrough> SeeThrough(const ir::Region& region, int64_t base,
                                      std::span<const StridedAxis> axes);

// The region with its two sides swapped.
ir::Region Inverse(const ir::Region& region);

}  // namespace ferry::passes
