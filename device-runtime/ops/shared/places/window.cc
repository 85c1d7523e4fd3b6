#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

// Output extent and padding along one axis.
Status OneAxis(Window& w, size_t i, const std::string& auto_pad, bool ceil) {
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

Status CheckLimit(const Window& w, size_t i) {
  const int64_t largest = std::max({w.kernel[i], w.pad_begin[i], w.pad_end[i]});
  if (largest <= kMaxWindow) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "a window or padding of {} passes the limit of {}",
                    largest, kMaxWindow);
}

}  // namespace

Window2d::Window2d(const Window& w) {
  CHECK(w.axes == 1 || w.axes == 2);
  for (size_t axis = 0; axis < w.axes; ++axis) {
    const size_t i = axis + 2 - w.axes;
    in[i] = w.in[axis];
    out[i] = w.out[axis];
    kernel[i] = w.kernel[axis];
    stride[i] = w.stride[axis];
    dilation[i] = w.dilation[axis];
    pad_begin[i] = w.pad_begin[axis];
    pad_end[i] = w.pad_end[axis];
  }
}

Result<Window> WindowOf(const NodeContext& c, const Shape& shape, std::span<const int64_t> kernel) {
  if (shape.rank() < 3) {
    return Status::Of(Code::kShapeMismatch, "{} has no spatial axes", shape.ToString());
  }
  Window w;
  w.axes = static_cast<size_t>(shape.rank() - 2);
  if (kernel.size() != w.axes) {
    return Status::Of(Code::kShapeMismatch, "a kernel of {} axes for {}", kernel.size(),
                      shape.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(auto strides, c.Window("strides", w.axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto dilations, c.Window("dilations", w.axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto pads, c.Window("pads", 2 * w.axes, 0, 0));
  FERRY_ASSIGN_OR_RETURN(std::string auto_pad, c.Text("auto_pad", "NOTSET"));
  FERRY_ASSIGN_OR_RETURN(int64_t ceil, c.Int("ceil_mode", 0));
  int64_t taps = 1;
  for (size_t i = 0; i < w.axes; ++i) {
    w.in[i] = shape[static_cast<int>(i) + 2];
    w.kernel[i] = kernel[i];
    w.stride[i] = strides[i];
    w.dilation[i] = dilations[i];
    w.pad_begin[i] = pads[i];
    w.pad_end[i] = pads[w.axes + i];
    if (w.kernel[i] < 1) {
      return Status::Of(Code::kShapeMismatch, "a kernel extent of {}", w.kernel[i]);
    }
    FERRY_TRY(CheckLimit(w, i));
    taps *= w.kernel[i];
    if (taps > tensor::kMaxElements) return Status(Code::kLimitExceeded, "a kernel too large");
    FERRY_TRY(OneAxis(w, i, auto_pad, ceil != 0));
    FERRY_TRY(CheckLimit(w, i));  // of the padding that auto_pad chose
  }
  return w;
}

Result<Shape> WindowOutput(const Shape& shape, int64_t channels, const Window& w) {
  std::vector<int64_t> dims = {shape[0], channels};
  dims.insert(dims.end(), w.out.begin(), w.out.begin() + static_cast<int64_t>(w.axes));
  return Shape::Make(dims);
}

Index PositionOf(const Index& extents, size_t axes, int64_t flat) {
  Index at{};
  for (size_t axis = axes; axis-- > 0;) {
    at[axis] = flat % extents[axis];
    flat /= extents[axis];
  }
  return at;
}

Reach::Reach(const Window& w, const Index& at) : axes(w.axes), inside(1), padded(1) {
  for (size_t i = 0; i < axes; ++i) {
    const int64_t start = at[i] * w.stride[i] - w.pad_begin[i];
    // How many taps lie before `limit`.
    auto before = [&](int64_t limit) {
      if (start >= limit) return int64_t{0};
      return std::min(w.kernel[i], (limit - start + w.dilation[i] - 1) / w.dilation[i]);
    };
    tap[i] = before(0);
    count[i] = std::max<int64_t>(0, before(w.in[i]) - tap[i]);
    first[i] = start + tap[i] * w.dilation[i];
    inside *= count[i];
    padded *= before(w.in[i] + w.pad_end[i]);
  }
}

}  // namespace ferry::ops
