#include "device-runtime/ops/shared/parts/scatter.h"

#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/indices.h"

namespace ferry::ops {

Status InferScatterElements(InferContext& c) {
  FERRY_TRY(CheckIndices(c, 1));
  FERRY_TRY(ReductionOf(c));
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, data.rank()));
  bool fits = indices == c.InputShape(2) && indices.rank() == data.rank() &&
              c.Input(2).dtype == c.Input(0).dtype;
  for (int i = 0; fits && i < data.rank(); ++i) fits = i == axis || indices[i] <= data[i];
  if (!fits) {
    return Status::Of(Code::kShapeMismatch, "{} {} at {} do not go into {} {}",
                      tensor::DTypeName(c.Input(2).dtype), c.InputShape(2).ToString(),
                      indices.ToString(), tensor::DTypeName(c.Input(0).dtype), data.ToString());
  }
  c.SetOutput(0, c.Input(0).dtype, data);
  return OkStatus();
}

Status ReferenceScatterElements(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Reduction reduction, ReductionOf(c));
  const Shape& data = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, data.rank()));
  CopyAll(c.In(0), c.Out(0));
  for (int64_t i = 0; i < c.In(1).elements(); ++i) {
    Index at = Unflatten(c.InputShape(1), i);
    FERRY_ASSIGN_OR_RETURN(at[static_cast<size_t>(axis)], IndexAt(c.In(1), i, data[axis]));
    Update(reduction, c.In(2), i, c.Out(0), Flatten(data, at));
  }
  return OkStatus();
}

Status LowerScatterElements(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Reduction reduction, ReductionOf(c));
  const Shape& data = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(0, data.rank()));
  if (reduction != Reduction::kNone) c.ComputeInFloat();
  const BufferId x = c.In(0), indices = c.In(1), updates = c.In(2);
  c.Emit(ir::ScatterPrim{ElementGrid(data, c.InputShape(1), axis), KindOf(reduction)},
         {x, indices, updates}, c.Out(0));
  return OkStatus();
}

}  // namespace ferry::ops
