// DequantizeLinear (ONNX): (x - zero point) * scale, in the scale's dtype or output_dtype.
#include "device-runtime/ops/defs/dtypes.h"
#include "device-runtime/ops/defs/quantization.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Plan {
  FactorIndex factors;
  DType dtype;  // of y
};

Result<Plan> PlanOf(const NodeContext& c) {
  Plan p{};
  const DType x = c.Input(0).dtype;
  const DType scale = c.Input(1).dtype;
  if (!IsQuantInteger(x) && !IsQuantFloat(x) && x != DType::kI32) {
    return Status::Of(Code::kUnsupported, "input {}", tensor::DTypeName(x));
  }
  if (!IsWideFloat(scale) && scale != DType::kF8E8M0) {
    return Status::Of(Code::kUnsupported, "a scale of {}", tensor::DTypeName(scale));
  }
  if (c.HasInput(2) && c.Input(2).dtype != x) {
    return Status(Code::kShapeMismatch, "the zero point has another dtype than the input");
  }
  FERRY_ASSIGN_OR_RETURN(p.factors, FactorIndex::Of(c));
  FERRY_ASSIGN_OR_RETURN(
      p.dtype, TypeAttribute(c, "output_dtype", IsWideFloat(scale) ? scale : DType::kF32));
  if (!IsWideFloat(p.dtype)) {
    return Status::Of(Code::kUnsupported, "output {}", tensor::DTypeName(p.dtype));
  }
  return p;
}

Status InferDequantizeLinear(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  c.SetOutput(0, p.dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceDequantizeLinear(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t f = p.factors(i);
    const double zero = c.HasInput(2) ? c.In(2).Number(f) : 0.0;
    c.Out(0).SetNumber(i, (c.In(0).Number(i) - zero) * c.In(1).Number(f));
  }
  return OkStatus();
}

}  // namespace

extern const Op kDequantizeLinearOp;
const Op kDequantizeLinearOp = {"DequantizeLinear",       2, 3, 1, 1, InferDequantizeLinear,
                                ReferenceDequantizeLinear};

}  // namespace ferry::ops
