// Pad (ONNX): constant mode as a raster; reflect, edge and wrap as gathers.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/box.h"

namespace ferry::ops {
namespace {

enum class Mode : uint8_t { kConstant, kReflect, kEdge, kWrap };

Result<Mode> ModeOf(const NodeContext& c) {
  static constexpr std::pair<std::string_view, Mode> kNames[] = {
      {"constant", Mode::kConstant},
      {"reflect", Mode::kReflect},
      {"edge", Mode::kEdge},
      {"wrap", Mode::kWrap},
  };
  FERRY_ASSIGN_OR_RETURN(const std::string name, c.Text("mode", "constant"));
  for (const auto& [known, mode] : kNames) {
    if (known == name) return mode;
  }
  return Status::Of(Code::kBadModel, "mode '{}'", name);
}

struct PadPlan {
  Mode mode = Mode::kConstant;
  std::vector<int64_t> begin, end;
};

Result<PadPlan> PadPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const auto rank = static_cast<size_t>(x.rank());
  PadPlan p;
  FERRY_ASSIGN_OR_RETURN(p.mode, ModeOf(c));
  FERRY_ASSIGN_OR_RETURN(auto pads, c.IntsInput(1, c.version() < 2 ? "paddings" : "pads"));
  FERRY_ASSIGN_OR_RETURN(auto axes, c.IntsInput(3, "axes"));
  if (!axes) {
    axes = IntList(std::vector<int64_t>(rank));
    std::iota(axes->begin(), axes->end(), 0);
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
    // Only a constant can stand where there is nothing to repeat.
    const int64_t most = p.mode != Mode::kConstant && x[axis] == 0 ? 0 : tensor::kMaxElements;
    if (std::max(first, second) > most || std::min(first, second) < -tensor::kMaxElements) {
      return Status::Of(Code::kShapeMismatch, "pads {} and {} of axis {} of {}", first, second,
                        axis, x.ToString());
    }
    p.begin[static_cast<size_t>(axis)] = first;
    p.end[static_cast<size_t>(axis)] = second;
  }
  return p;
}

Status InferPad(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(PadPlan p, PadPlanOf(c));
  if (c.HasInput(2) && (c.Input(2).dtype != c.Input(0).dtype || c.InputShape(2).elements() != 1)) {
    return Status(Code::kShapeMismatch, "input 2 must be one element of the input's dtype");
  }
  std::vector<int64_t> dims;
  for (int i = 0; i < c.InputShape(0).rank(); ++i) {
    dims.push_back(c.InputShape(0)[i] + p.begin[static_cast<size_t>(i)] +
                   p.end[static_cast<size_t>(i)]);
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// The element that stands in the margin; `given` is input 2, if any.
Result<Tensor> ValueOf(const NodeContext& c, const Tensor* given) {
  if (given != nullptr) return *given;
  FERRY_ASSIGN_OR_RETURN(const float number, c.Float("value", 0.0f));
  FERRY_ASSIGN_OR_RETURN(Tensor value, Tensor::Zeros(c.Input(0).dtype, {}));
  if (value.dtype() != DType::kString) value.SetNumber(0, number);
  return value;
}

// Where in [0, extent) an index outside finds its element.
int64_t Inside(Mode mode, int64_t index, int64_t extent) {
  if (mode == Mode::kEdge) return std::clamp<int64_t>(index, 0, extent - 1);
  const int64_t period = mode == Mode::kWrap ? extent : std::max<int64_t>(2 * (extent - 1), 1);
  index = (index % period + period) % period;
  return index < extent ? index : period - index;
}

Status ReferencePad(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(PadPlan p, PadPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(const Tensor value, ValueOf(c, c.HasInput(2) ? &c.In(2) : nullptr));
  const Shape& x = c.InputShape(0);
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    Index at = Unflatten(c.Out(0).shape(), i);
    bool inside = true;
    for (int axis = 0; axis < x.rank(); ++axis) {
      int64_t& v = at[static_cast<size_t>(axis)];
      v -= p.begin[static_cast<size_t>(axis)];
      if (p.mode != Mode::kConstant && x[axis] > 0) v = Inside(p.mode, v, x[axis]);
      inside = inside && v >= 0 && v < x[axis];
    }
    CopyElement(inside ? c.In(0) : value, inside ? Flatten(x, at) : 0, c.Out(0), i);
  }
  return OkStatus();
}

// The elements that repeat are gathered, axis by axis.
Status LowerRepeating(LowerContext& c, const PadPlan& p) {
  BufferId x = c.In(0);
  Shape shape = c.InputShape(0);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t extent = c.OutputShape(0)[axis], from = shape[axis];
    const int64_t begin = p.begin[static_cast<size_t>(axis)];
    if (extent == from && begin == 0) continue;
    FERRY_ASSIGN_OR_RETURN(Tensor list, Tensor::Allocate(DType::kI64, {extent}));
    for (int64_t i = 0; i < extent; ++i) {
      list.SetInteger(i, from == 0 ? i : Inside(p.mode, i - begin, from));
    }
    ir::IndexGrid grid;
    grid.rank = 2;
    grid.depth = 1;
    grid.inner = shape.Product(axis + 1, shape.rank());
    grid.size = {shape.Product(0, axis), extent};
    grid.data_stride = {from * grid.inner, 0};
    grid.index_stride = {0, 1};
    grid.extent = {from};
    grid.extent_stride = {grid.inner};
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims[static_cast<size_t>(axis)] = extent;
    FERRY_ASSIGN_OR_RETURN(shape, Shape::Make(dims));
    const BufferId indices = c.Constant(std::move(list));
    const BufferId y = c.Temporary(c.Input(0).dtype, shape);
    c.Emit(ir::GatherPrim{grid}, {x, indices}, y);
    x = y;
  }
  c.Alias(0, x);
  return OkStatus();
}

// Copies the element of input 2 all over y, before anything else.
ir::RasterPrim::Copy Filling(const Shape& y) {
  ir::Region region;
  region.rank = 1;
  region.size[0] = y.elements();
  region.to_stride[0] = 1;
  return {1, region};
}

Status LowerPad(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(PadPlan p, PadPlanOf(c));
  if (p.mode != Mode::kConstant) return LowerRepeating(c, p);
  // A text is filled in from its tensor, which keeps it.
  const bool known = !c.HasInput(2) || (c.Input(2).constant && c.Input(0).dtype != DType::kString);
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  Box box(c.InputShape(0));
  for (size_t i = 0; i < box.size.size(); ++i) {  // negative pads crop
    box.to_begin[i] = std::max<int64_t>(p.begin[i], 0);
    box.from_begin[i] = std::max<int64_t>(-p.begin[i], 0);
    box.size[i] = std::max<int64_t>(
        0, box.size[i] + std::min<int64_t>(p.begin[i], 0) + std::min<int64_t>(p.end[i], 0));
  }
  ir::RasterPrim raster;
  if (known) {
    FERRY_ASSIGN_OR_RETURN(const Tensor value,
                           ValueOf(c, c.HasInput(2) ? &*c.Input(2).constant : nullptr));
    uint64_t bits = 0;
    std::memcpy(&bits, value.raw(), tensor::DTypeSize(value.dtype()));
    raster.fill = bits;
  } else {
    raster.copies.push_back(Filling(c.OutputShape(0)));
  }
  raster.copies.push_back({0, RegionOf(c.InputShape(0), c.OutputShape(0), box, layout)});
  std::vector<BufferId> in = {c.In(0, layout)};
  if (!known) in.push_back(c.In(2));
  c.Emit(std::move(raster), std::move(in), c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kPadOp;
const Op kPadOp = {"Pad", 1, 4, 1, 1, InferPad, ReferencePad, LowerPad};

}  // namespace ferry::ops
