// Slice (ONNX): starts, ends, axes, steps as inputs, or (before opset 10) attributes.
#include <algorithm>
#include <limits>
#include <numeric>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/box.h"

namespace ferry::ops {
namespace {

// Start, count and step along one axis, after ONNX's clamping.
Status OneAxis(Box& box, size_t axis, int64_t start, int64_t end, int64_t step) {
  const int64_t extent = box.size[axis];
  if (step == 0) return Status(Code::kShapeMismatch, "a step of 0");
  // A larger step than the extent takes one element, as the extent does.
  step = std::clamp(step, -std::max<int64_t>(extent, 1), std::max<int64_t>(extent, 1));
  const int64_t low = step > 0 ? 0 : -1;
  auto clamp = [&](int64_t v) {
    if (v < 0) v = v < -extent ? low : v + extent;
    return std::clamp(v, low, step > 0 ? extent : extent - 1);
  };
  // With a negative step, "before the first" is any end below -extent; -1 means the last element.
  const int64_t from =
      step > 0 ? clamp(start) : std::max<int64_t>(clamp(start), extent > 0 ? 0 : -1);
  const int64_t to = clamp(end);
  const int64_t span = step > 0 ? to - from : from - to;
  const int64_t magnitude = step > 0 ? step : -step;
  box.size[axis] = span <= 0 ? 0 : (span + magnitude - 1) / magnitude;
  box.from_begin[axis] = std::max<int64_t>(from, 0);
  box.step[axis] = step;
  return OkStatus();
}

Result<Box> BoxOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(auto starts, c.IntsInput(1, "starts"));
  FERRY_ASSIGN_OR_RETURN(auto ends, c.IntsInput(2, "ends"));
  FERRY_ASSIGN_OR_RETURN(auto axes, c.IntsInput(3, "axes"));
  FERRY_ASSIGN_OR_RETURN(auto steps, c.IntsInput(4, "steps"));
  if (!starts || !ends) return Status(Code::kBadModel, "no starts or ends");
  if (!axes) {
    axes = IntList(std::vector<int64_t>(starts->size()));
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps) steps = IntList(std::vector<int64_t>(starts->size(), 1));
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size()) {
    return Status(Code::kShapeMismatch, "starts, ends, axes and steps differ in length");
  }
  FERRY_TRY(NormalizeAxes(*axes, x.rank()));  // refuses repeats
  Box box(x);
  for (size_t i = 0; i < starts->size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(int axis, tensor::NormalizeAxis((*axes)[i], x.rank()));
    FERRY_TRY(OneAxis(box, static_cast<size_t>(axis), (*starts)[i], (*ends)[i], (*steps)[i]));
  }
  return box;
}

Status InferSlice(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Box box, BoxOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(box.size));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceSlice(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Box box, BoxOf(c));
  CopyBox(c.In(0), box, c.Out(0));
  return OkStatus();
}

Status LowerSlice(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Box box, BoxOf(c));
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  ir::RasterPrim raster;
  raster.copies.push_back({0, RegionOf(c.InputShape(0), c.OutputShape(0), box, layout)});
  const BufferId x = c.In(0, layout);
  c.Emit(std::move(raster), {x}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kSliceOp;
const Op kSliceOp = {"Slice", 1, 5, 1, 1, InferSlice, ReferenceSlice, LowerSlice};

}  // namespace ferry::ops
