// Pad (ONNX): constant mode as a raster; reflect and edge by the reference.
#include <algorithm>
#include <cstring>

#include "device-runtime/ops/defs/box.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Plan {
  std::vector<int64_t> begin, end;
  std::string mode;
  double value = 0;
};

Result<Plan> PlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const auto rank = static_cast<size_t>(x.rank());
  Plan p;
  FERRY_ASSIGN_OR_RETURN(p.mode, c.Text("mode", "constant"));
  if (p.mode != "constant" && p.mode != "reflect" && p.mode != "edge") {
    return Status::Of(Code::kUnsupported, "mode '{}'", p.mode);
  }
  FERRY_ASSIGN_OR_RETURN(auto pads, c.IntsInput(1, "pads"));
  FERRY_ASSIGN_OR_RETURN(auto value, c.FloatInput(2, "value"));
  FERRY_ASSIGN_OR_RETURN(auto axes, c.IntsInput(3, "axes"));
  p.value = value.value_or(0.0f);
  if (!axes) {
    axes = IntList(std::vector<int64_t>());
    for (size_t i = 0; i < rank; ++i) axes->push_back(static_cast<int64_t>(i));
  }
  FERRY_TRY(NormalizeAxes(*axes, x.rank()));
  if (!pads || pads->size() != 2 * axes->size()) {
    return Status(Code::kShapeMismatch, "pads must hold two numbers for each axis");
  }
  p.begin.assign(rank, 0);
  p.end.assign(rank, 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(int axis, tensor::NormalizeAxis((*axes)[i], x.rank()));
    const int64_t first = (*pads)[i];
    const int64_t second = (*pads)[axes->size() + i];
    const int64_t most = p.mode == "reflect"                ? std::max<int64_t>(x[axis] - 1, 0)
                         : p.mode == "edge" && x[axis] == 0 ? 0
                                                            : kMaxAttribute;
    if (std::max(first, second) > most || std::min(first, second) < -kMaxAttribute) {
      return Status::Of(Code::kShapeMismatch, "pads {} and {} of axis {} of {}", first, second,
                        axis, x.ToString());
    }
    p.begin[static_cast<size_t>(axis)] = first;
    p.end[static_cast<size_t>(axis)] = second;
  }
  return p;
}

Status InferPad(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  std::vector<int64_t> dims;
  for (int i = 0; i < c.InputShape(0).rank(); ++i) {
    dims.push_back(c.InputShape(0)[i] + p.begin[static_cast<size_t>(i)] +
                   p.end[static_cast<size_t>(i)]);
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferencePad(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  const Shape& x = c.InputShape(0);
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    Index at = Unflatten(c.Out(0).shape(), i);
    bool inside = true;
    for (int axis = 0; axis < x.rank(); ++axis) {
      int64_t& v = at[static_cast<size_t>(axis)];
      v -= p.begin[static_cast<size_t>(axis)];
      if (p.mode == "edge") v = std::clamp<int64_t>(v, 0, x[axis] - 1);
      if (p.mode == "reflect") v = v < 0 ? -v : v >= x[axis] ? 2 * (x[axis] - 1) - v : v;
      inside = inside && v >= 0 && v < x[axis];
    }
    if (inside) {
      CopyElement(c.In(0), Flatten(x, at), c.Out(0), i);
    } else {
      c.Out(0).SetNumber(i, p.value);
    }
  }
  return OkStatus();
}

Status LowerPad(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  if (p.mode != "constant") {
    c.EmitCall();
    return OkStatus();
  }
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  Box box(c.InputShape(0));
  for (size_t i = 0; i < box.size.size(); ++i) {  // negative pads crop
    box.to_begin[i] = std::max<int64_t>(p.begin[i], 0);
    box.from_begin[i] = std::max<int64_t>(-p.begin[i], 0);
    box.size[i] = std::max<int64_t>(
        0, box.size[i] + std::min<int64_t>(p.begin[i], 0) + std::min<int64_t>(p.end[i], 0));
  }
  FERRY_ASSIGN_OR_RETURN(Tensor value, Tensor::Zeros(c.Input(0).dtype, {}));
  value.SetNumber(0, p.value);
  ir::RasterPrim raster;
  uint64_t bits = 0;
  std::memcpy(&bits, value.raw(), tensor::DTypeSize(value.dtype()));
  raster.fill = bits;
  raster.copies.push_back({0, RegionOf(c.InputShape(0), c.OutputShape(0), box, layout)});
  const BufferId x = c.In(0, layout);
  c.Emit(std::move(raster), {x}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kPadOp;
const Op kPadOp = {"Pad", 1, 4, 1, 1, InferPad, ReferencePad, LowerPad};

}  // namespace ferry::ops
