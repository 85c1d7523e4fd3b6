// Gather (ONNX): slices of axis `axis` by index; negative indices count from the end.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

struct GatherPlan {
  int64_t outer, size, inner, count;
};

Result<GatherPlan> GatherPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(int axis, c.Axis(0, x.rank()));
  if (c.Input(1).dtype != DType::kI64 && c.Input(1).dtype != DType::kI32) {
    return Status(Code::kShapeMismatch, "indices must be i64 or i32");
  }
  return GatherPlan{x.Product(0, axis), x[axis], x.Product(axis + 1, x.rank()),
                    c.InputShape(1).elements()};
}

Status InferGather(InferContext& c) {
  FERRY_TRY(GatherPlanOf(c));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(int axis, c.Axis(0, x.rank()));
  std::vector<int64_t> dims(x.dims().begin(), x.dims().begin() + axis);
  dims.insert(dims.end(), c.InputShape(1).dims().begin(), c.InputShape(1).dims().end());
  dims.insert(dims.end(), x.dims().begin() + axis + 1, x.dims().end());
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceGather(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(GatherPlan p, GatherPlanOf(c));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t inner = i % p.inner;
    const int64_t which = i / p.inner % p.count;
    const int64_t outer = i / p.inner / p.count;
    int64_t index = c.In(1).Integer(which);
    if (index < 0) index += p.size;
    if (index < 0 || index >= p.size) {
      return Status::Of(Code::kInvalidArgument, "index {} is outside an extent of {}",
                        c.In(1).Integer(which), p.size);
    }
    CopyElement(c.In(0), (outer * p.size + index) * p.inner + inner, c.Out(0), i);
  }
  return OkStatus();
}

Status LowerGather(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(GatherPlan p, GatherPlanOf(c));
  ir::IndexGrid grid;
  grid.rank = 2;
  grid.depth = 1;
  grid.size = {p.outer, p.count};
  grid.data_stride = {p.size * p.inner, 0};
  grid.index_stride = {0, 1};
  grid.extent = {p.size};
  grid.extent_stride = {p.inner};
  grid.inner = p.inner;
  const BufferId x = c.In(0);
  const BufferId indices = c.In(1);
  c.Emit(ir::GatherPrim{grid}, {x, indices}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kGatherOp;
const Op kGatherOp = {"Gather", 2, 2, 1, 1, InferGather, ReferenceGather, LowerGather};

}  // namespace ferry::ops
