// GatherElements (ONNX): each output element is the one at its own place, but for one axis, where
// the index says.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/indices.h"

namespace ferry::ops {
namespace {

Status InferGatherElements(InferContext& c) {
  FERRY_TRY(CheckIndices(c, 1));
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, data.rank()));
  bool fits = indices.rank() == data.rank();
  for (int i = 0; fits && i < data.rank(); ++i) fits = i == axis || indices[i] <= data[i];
  if (!fits) {
    return Status::Of(Code::kShapeMismatch, "indices {} for {}", indices.ToString(),
                      data.ToString());
  }
  c.SetOutput(0, c.Input(0).dtype, indices);
  return OkStatus();
}

Status ReferenceGatherElements(ReferenceContext& c) {
  const Shape& data = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, data.rank()));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    Index at = Unflatten(c.InputShape(1), i);
    FERRY_ASSIGN_OR_RETURN(at[static_cast<size_t>(axis)], IndexAt(c.In(1), i, data[axis]));
    CopyElement(c.In(0), Flatten(data, at), c.Out(0), i);
  }
  return OkStatus();
}

Status LowerGatherElements(LowerContext& c) {
  const Shape& data = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, data.rank()));
  const BufferId x = c.In(0);
  const BufferId indices = c.In(1);
  c.Emit(ir::GatherPrim{ElementGrid(data, c.InputShape(1), axis)}, {x, indices}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kGatherElementsOp;
const Op kGatherElementsOp = {
    "GatherElements",   2, 2, 1, 1, InferGatherElements, ReferenceGatherElements,
    LowerGatherElements};

}  // namespace ferry::ops
