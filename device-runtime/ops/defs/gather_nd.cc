// GatherND (ONNX): slices at the places that the indices' last axis names, inside each of the first
// `batch_dims` axes' entries.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/indices.h"

namespace ferry::ops {
namespace {

struct GatherNdPlan {
  int batch_dims;
  int depth;  // axes that an index names
};

Result<GatherNdPlan> GatherNdPlanOf(const NodeContext& c) {
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  FERRY_TRY(CheckIndices(c, 1));
  FERRY_ASSIGN_OR_RETURN(const int64_t batch, c.Int("batch_dims", 0));
  if (batch < 0 || batch >= indices.rank() || batch > data.rank()) {
    return Status::Of(Code::kShapeMismatch, "batch_dims {} of indices {} for {}", batch,
                      indices.ToString(), data.ToString());
  }
  const int64_t depth = indices[indices.rank() - 1];
  bool fits = depth <= data.rank() - batch;
  for (int i = 0; fits && i < static_cast<int>(batch); ++i) fits = data[i] == indices[i];
  if (!fits) {
    return Status::Of(Code::kShapeMismatch, "indices {} for {} with {} batch axes",
                      indices.ToString(), data.ToString(), batch);
  }
  return GatherNdPlan{static_cast<int>(batch), static_cast<int>(depth)};
}

Status InferGatherND(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const GatherNdPlan p, GatherNdPlanOf(c));
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), data.dims().begin() + p.batch_dims + p.depth, data.dims().end());
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceGatherND(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const GatherNdPlan p, GatherNdPlanOf(c));
  const Shape& data = c.InputShape(0);
  const Shape& indices = c.InputShape(1);
  const int64_t slices = indices.Product(0, indices.rank() - 1);
  const int64_t slices_of_batch = indices.Product(p.batch_dims, indices.rank() - 1);
  const int64_t inner = data.Product(p.batch_dims + p.depth, data.rank());
  for (int64_t slice = 0; slice < slices; ++slice) {
    int64_t from = slice / slices_of_batch;
    for (int i = 0; i < p.depth; ++i) {
      const int64_t extent = data[p.batch_dims + i];
      FERRY_ASSIGN_OR_RETURN(int64_t index, IndexAt(c.In(1), slice * p.depth + i, extent));
      from = from * extent + index;
    }
    for (int64_t i = 0; i < inner; ++i) {
      CopyElement(c.In(0), from * inner + i, c.Out(0), slice * inner + i);
    }
  }
  return OkStatus();
}

Status LowerGatherND(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const GatherNdPlan p, GatherNdPlanOf(c));
  const BufferId x = c.In(0);
  const BufferId indices = c.In(1);
  const ir::IndexGrid grid = SliceGrid(c.InputShape(0), c.InputShape(1), p.batch_dims, p.depth);
  c.Emit(ir::GatherPrim{grid}, {x, indices}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kGatherNDOp;
const Op kGatherNDOp = {"GatherND", 2, 2, 1, 1, InferGatherND, ReferenceGatherND, LowerGatherND};

}  // namespace ferry::ops
