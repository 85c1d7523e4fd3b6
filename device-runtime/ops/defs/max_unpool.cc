// MaxUnpool (ONNX): puts the values that a MaxPool found back where its indices say; zero
// elsewhere. A larger output_shape adds zeros at the end of each axis.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/places/box.h"
#include "device-runtime/ops/shared/places/window.h"

namespace ferry::ops {
namespace {

struct MaxUnpoolPlan {
  Shape pooled;  // what the indices count through
  Shape out;
};

Result<MaxUnpoolPlan> MaxUnpoolPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() < 3 || c.InputShape(1) != x || c.Input(1).dtype != DType::kI64) {
    return Status::Of(Code::kShapeMismatch, "indices {} for {}", c.InputShape(1).ToString(),
                      x.ToString());
  }
  if (!IsWideFloat(c.Input(0).dtype) && !IsByte(c.Input(0).dtype)) {
    return Status::Of(Code::kUnsupported, "a pool of {}", tensor::DTypeName(c.Input(0).dtype));
  }
  const auto axes = static_cast<size_t>(x.rank() - 2);
  FERRY_ASSIGN_OR_RETURN(auto kernel, c.Ints("kernel_shape"));
  if (!kernel || kernel->size() != axes) return Status(Code::kBadModel, "no fitting kernel_shape");
  FERRY_ASSIGN_OR_RETURN(kernel.list, c.Window("kernel_shape", axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto strides, c.Window("strides", axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto pads, c.Window("pads", 2 * axes, 0, 0));
  std::vector<int64_t> dims = {x[0], x[1]};
  for (size_t i = 0; i < axes; ++i) {
    const int64_t in = x[static_cast<int>(i) + 2];
    if (in > tensor::kMaxElements / strides[i]) return Status(Code::kLimitExceeded, "strides");
    dims.push_back((in - 1) * strides[i] + kernel.list[i] - pads[i] - pads[axes + i]);
  }
  MaxUnpoolPlan p;
  FERRY_ASSIGN_OR_RETURN(p.pooled, Shape::Make(dims));
  p.out = p.pooled;
  if (!c.HasInput(2)) return p;
  FERRY_ASSIGN_OR_RETURN(const IntList shape, c.IntsInput(2, "output_shape"));
  FERRY_ASSIGN_OR_RETURN(p.out, Shape::Make(shape.list));
  if (p.out.rank() != x.rank()) {
    return Status::Of(Code::kShapeMismatch, "an output_shape of {}", p.out.ToString());
  }
  return p;
}

Status InferMaxUnpool(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(MaxUnpoolPlan p, MaxUnpoolPlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, p.out);
  return OkStatus();
}

Status ReferenceMaxUnpool(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(MaxUnpoolPlan p, MaxUnpoolPlanOf(c));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) c.Out(0).SetNumber(i, 0);
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const int64_t index = c.In(1).Integer(i);
    if (index < 0 || index >= p.pooled.elements()) {
      return Status::Of(Code::kInvalidArgument, "index {} is outside {}", index,
                        p.pooled.ToString());
    }
    const Index at = Unflatten(p.pooled, index);
    bool inside = true;
    for (int axis = 0; axis < p.out.rank(); ++axis) {
      inside = inside && at[static_cast<size_t>(axis)] < p.out[axis];
    }
    if (inside) CopyElement(c.In(0), i, c.Out(0), Flatten(p.out, at));
  }
  return OkStatus();
}

// The indices, negative ones made to lie outside.
Result<BufferId> FromBegin(LowerContext& c, int64_t extent) {
  const Shape& shape = c.InputShape(1);
  const BufferId indices = c.In(1);
  MapBuilder map(c, shape, Layout::kPlain);
  const auto at = map.Buffer(indices, DType::kI64, shape);
  return map.EmitNew(DType::kI64, map.Call("Select", map.Call("Less", at, map.Number(at, 0)),
                                           map.Integer(at.type, extent), at));
}

// Zeros with the values scattered into them, grown or cut to the shape that is asked for.
Status LowerMaxUnpool(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(MaxUnpoolPlan p, MaxUnpoolPlanOf(c));
  const DType dtype = c.Input(0).dtype;
  FERRY_ASSIGN_OR_RETURN(const Shape flat, Shape::Make(std::array{p.pooled.elements()}));
  const BufferId zeros = c.Temporary(dtype, flat);
  ir::RasterPrim fill;
  fill.fill = 0;
  c.Emit(std::move(fill), {}, zeros);
  // Indices count from the begin only.
  FERRY_ASSIGN_OR_RETURN(const BufferId places, FromBegin(c, p.pooled.elements()));
  ir::IndexGrid grid;
  grid.rank = 1;
  grid.depth = 1;
  grid.size = {c.InputShape(0).elements()};
  grid.index_stride = {1};
  grid.extent = {p.pooled.elements()};
  grid.extent_stride = {1};
  const BufferId x = c.In(0);
  if (p.out == p.pooled) {
    c.Emit(ir::ScatterPrim{grid}, {zeros, places, x}, c.Out(0));
    return OkStatus();
  }
  const BufferId pooled = c.Temporary(dtype, flat);
  c.Emit(ir::ScatterPrim{grid}, {zeros, places, x}, pooled);
  Box box(p.pooled);
  for (size_t i = 0; i < box.size.size(); ++i) {
    box.size[i] = std::min(box.size[i], p.out[static_cast<int>(i)]);
  }
  ir::RasterPrim grown;
  grown.fill = 0;
  grown.copies.push_back({0, RegionOf(p.pooled, p.out, box, Layout::kPlain)});
  c.Emit(std::move(grown), {pooled}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kMaxUnpoolOp;
const Op kMaxUnpoolOp = {"MaxUnpool",   2, 3, 1, 1, InferMaxUnpool, ReferenceMaxUnpool,
                         LowerMaxUnpool};

}  // namespace ferry::ops
