#include "device-runtime/ops/defs/window.h"

#include <algorithm>

namespace ferry::ops {
namespace {

// Output extent and padding along one axis.
Status OneAxis(Window2d& w, size_t i, const std::string& auto_pad, bool ceil) {
  const int64_t extent = (w.kernel[i] - 1) * w.dilation[i] + 1;
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    w.out[i] = (w.in[i] + w.stride[i] - 1) / w.stride[i];
    const int64_t total = std::max<int64_t>(0, (w.out[i] - 1) * w.stride[i] + extent - w.in[i]);
    w.pad_begin[i] = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
    w.pad_end[i] = total - w.pad_begin[i];
    return OkStatus();
  }
  if (auto_pad == "VALID") w.pad_begin[i] = w.pad_end[i] = 0;
  const int64_t room = w.in[i] + w.pad_begin[i] + w.pad_end[i] - extent;
  if (room < 0) {
    return Status::Of(Code::kShapeMismatch, "a window of {} does not fit an extent of {} + {}",
                      extent, w.in[i], w.pad_begin[i] + w.pad_end[i]);
  }
  w.out[i] = (ceil ? (room + w.stride[i] - 1) / w.stride[i] : room / w.stride[i]) + 1;
  // A last window that starts in the padding at the end is dropped (as ONNX and its users do).
  if (ceil && (w.out[i] - 1) * w.stride[i] >= w.in[i] + w.pad_begin[i]) --w.out[i];
  return OkStatus();
}

Status CheckLimit(const Window2d& w, size_t i) {
  const int64_t largest = std::max({w.kernel[i], w.pad_begin[i], w.pad_end[i]});
  if (largest <= kMaxWindow) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "a window or padding of {} passes the limit of {}",
                    largest, kMaxWindow);
}

}  // namespace

Result<Window2d> WindowOf(const NodeContext& c, const Shape& shape,
                          std::span<const int64_t> kernel) {
  if (shape.rank() != 3 && shape.rank() != 4) {
    return Status::Of(Code::kUnsupported, "{} spatial axes are not supported, 1 or 2 are",
                      shape.rank() - 2);
  }
  const auto axes = static_cast<size_t>(shape.rank() - 2);
  if (kernel.size() != axes) {
    return Status::Of(Code::kShapeMismatch, "a kernel of {} axes for {}", kernel.size(),
                      shape.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(auto strides, c.Window("strides", axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto dilations, c.Window("dilations", axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto pads, c.Window("pads", 2 * axes, 0, 0));
  FERRY_ASSIGN_OR_RETURN(std::string auto_pad, c.Text("auto_pad", "NOTSET"));
  FERRY_ASSIGN_OR_RETURN(int64_t ceil, c.Int("ceil_mode", 0));
  Window2d w;
  for (size_t axis = 0; axis < axes; ++axis) {
    const size_t i = axis + 2 - axes;
    w.in[i] = shape[static_cast<int>(axis) + 2];
    w.kernel[i] = kernel[axis];
    w.stride[i] = strides[axis];
    w.dilation[i] = dilations[axis];
    w.pad_begin[i] = pads[axis];
    w.pad_end[i] = pads[axes + axis];
    if (w.kernel[i] < 1) {
      return Status::Of(Code::kShapeMismatch, "a kernel extent of {}", w.kernel[i]);
    }
    FERRY_TRY(CheckLimit(w, i));
    FERRY_TRY(OneAxis(w, i, auto_pad, ceil != 0));
    FERRY_TRY(CheckLimit(w, i));  // of the padding that auto_pad chose
  }
  return w;
}

Result<Shape> WindowOutput(const Shape& shape, int64_t channels, const Window2d& w) {
  std::vector<int64_t> dims = {shape[0], channels};
  for (int axis = 2; axis < shape.rank(); ++axis) {
    dims.push_back(w.out[static_cast<size_t>(axis + 2 - shape.rank())]);
  }
  return Shape::Make(dims);
}

}  // namespace ferry::ops
