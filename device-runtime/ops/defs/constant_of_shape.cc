// ConstantOfShape (ONNX): a tensor of a known shape, filled with attribute `value` (f32 0 by
// default).
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status InferConstantOfShape(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto dims, c.IntsInput(0, "shape"));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(*dims));
  const Tensor* value = c.node().Find<Tensor>("value");
  if (value != nullptr && value->elements() != 1) {
    return Status(Code::kBadModel, "attribute 'value' must be one number");
  }
  c.SetOutput(0, value ? value->dtype() : DType::kF32, shape);
  return OkStatus();
}

Status ReferenceConstantOfShape(ReferenceContext& c) {
  const Tensor* value = c.node().Find<Tensor>("value");
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    if (value != nullptr) {
      CopyElement(*value, 0, c.Out(0), i);
    } else {
      c.Out(0).SetNumber(i, 0);
    }
  }
  return OkStatus();
}

Status LowerConstantOfShape(LowerContext& c) {
  const Tensor* value = c.node().Find<Tensor>("value");
  ir::RasterPrim raster;
  uint64_t bits = 0;
  if (value != nullptr) std::memcpy(&bits, value->raw(), tensor::DTypeSize(value->dtype()));
  raster.fill = bits;
  c.Emit(std::move(raster), {}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kConstantOfShapeOp;
const Op kConstantOfShapeOp = {
    "ConstantOfShape",   1, 1, 1, 1, InferConstantOfShape, ReferenceConstantOfShape,
    LowerConstantOfShape};

}  // namespace ferry::ops
