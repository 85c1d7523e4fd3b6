// ScatterND (ONNX): slices of updates go where the indices' last axis says.
#include <algorithm>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/indices.h"

namespace ferry::ops {
namespace {

Status InferScatterND(InferContext& c) {
  FERRY_TRY(CheckIndices(c, 1));
  FERRY_TRY(ReductionOf(c));
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  const int64_t depth = indices.rank() == 0 ? -1 : indices[indices.rank() - 1];
  if (depth < 0 || depth > data.rank()) {
    return Status::Of(Code::kShapeMismatch, "indices {} for {}", indices.ToString(),
                      data.ToString());
  }
  std::vector<int64_t> expected(indices.dims().begin(), indices.dims().end() - 1);
  expected.insert(expected.end(), data.dims().begin() + depth, data.dims().end());
  if (!std::ranges::equal(expected, c.InputShape(2).dims()) ||
      c.Input(2).dtype != c.Input(0).dtype) {
    return Status::Of(Code::kShapeMismatch, "updates {} {} at {} for {} {}",
                      tensor::DTypeName(c.Input(2).dtype), c.InputShape(2).ToString(),
                      indices.ToString(), tensor::DTypeName(c.Input(0).dtype), data.ToString());
  }
  c.SetOutput(0, c.Input(0).dtype, data);
  return OkStatus();
}

Status ReferenceScatterND(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Reduction reduction, ReductionOf(c));
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  const auto depth = static_cast<int>(indices[indices.rank() - 1]);
  const int64_t slices = indices.Product(0, indices.rank() - 1);
  const int64_t inner = data.Product(depth, data.rank());
  CopyAll(c.In(0), c.Out(0));
  for (int64_t slice = 0; slice < slices; ++slice) {
    int64_t to = 0;
    for (int axis = 0; axis < depth; ++axis) {
      FERRY_ASSIGN_OR_RETURN(int64_t index, IndexAt(c.In(1), slice * depth + axis, data[axis]));
      to = to * data[axis] + index;
    }
    for (int64_t i = 0; i < inner; ++i) {
      Update(reduction, c.In(2), slice * inner + i, c.Out(0), to * inner + i);
    }
  }
  return OkStatus();
}

Status LowerScatterND(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Reduction reduction, ReductionOf(c));
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  const auto depth = static_cast<int>(indices[indices.rank() - 1]);
  if (reduction != Reduction::kNone) c.ComputeInFloat();
  const BufferId x = c.In(0), places = c.In(1), updates = c.In(2);
  c.Emit(ir::ScatterPrim{SliceGrid(data, indices, 0, depth), KindOf(reduction)},
         {x, places, updates}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kScatterNDOp;
const Op kScatterNDOp = {"ScatterND",   3, 3, 1, 1, InferScatterND, ReferenceScatterND,
                         LowerScatterND};

}  // namespace ferry::ops
