// Expand (ONNX): broadcasts to a shape (in both directions).
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status InferExpand(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto given, c.IntsInput(1, "shape"));
  FERRY_ASSIGN_OR_RETURN(Shape target, Shape::Make(*given));
  FERRY_ASSIGN_OR_RETURN(Shape shape, tensor::BroadcastShapes(c.InputShape(0), target));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

Status ReferenceExpand(ReferenceContext& c) {
  BroadcastIndex from(c.InputShape(0), c.Out(0).shape());
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) CopyElement(c.In(0), from(i), c.Out(0), i);
  return OkStatus();
}

Status LowerExpand(LowerContext& c) {
  const Shape& out = c.OutputShape(0);
  ir::Region region;
  region.rank = out.rank();
  for (int i = 0; i < out.rank(); ++i) region.size[static_cast<size_t>(i)] = out[i];
  region.from_stride = tensor::BroadcastStrides(c.InputShape(0), out);
  region.to_stride = tensor::DenseStrides(out);
  ir::RasterPrim raster;
  raster.copies.push_back({0, region});
  const BufferId x = c.In(0);
  c.Emit(std::move(raster), {x}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kExpandOp;
const Op kExpandOp = {"Expand", 2, 2, 1, 1, InferExpand, ReferenceExpand, LowerExpand};

}  // namespace ferry::ops
