// Resizing along one axis: which input elements make each output element, and how much of each.
#pragma once

#include <string>

#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

// How a node resizes: attributes of Resize.
struct ResizeRules {
  std::string mode = "nearest";            // nearest, linear, cubic
  std::string coordinates = "half_pixel";  // coordinate_transformation_mode
  std::string rounding = "round_prefer_floor";
  double cubic = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
  double extrapolation = 0;
};

// One resized axis.
struct ResizeAxis {
  int axis = 0;
  int64_t in = 0, out = 0;
  double scale = 1;
  double roi_begin = 0, roi_end = 1;  // of tf_crop_and_resize, in parts of the extent
};

// Indices lie inside [0, in).
struct ResizeTaps {
  int64_t taps = 0;
  Tensor index;       // i64 [taps, out]
  Tensor weight;      // f64 [taps, out]
  Tensor is_outside;  // bool [out]: takes the extrapolation value
  bool any_outside = false;
};

// kLimitExceeded when an output needs more than kMaxResizeTaps elements. `in` is not 0.
inline constexpr int64_t kMaxResizeTaps = 65536;
Result<ResizeTaps> TapsOf(const ResizeRules& rules, const ResizeAxis& axis);

}  // namespace ferry::ops
