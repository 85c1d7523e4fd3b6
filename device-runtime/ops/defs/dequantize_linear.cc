// DequantizeLinear (ONNX): (x - zero point) * scale, in the scale's dtype or output_dtype.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/quantization.h"

namespace ferry::ops {
namespace {

struct DequantizeLinearPlan {
  FactorIndex factors;
  DType dtype;  // of y
};

Result<DequantizeLinearPlan> DequantizeLinearPlanOf(const NodeContext& c) {
  DequantizeLinearPlan p{};
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
  FERRY_ASSIGN_OR_RETURN(DequantizeLinearPlan p, DequantizeLinearPlanOf(c));
  c.SetOutput(0, p.dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceDequantizeLinear(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(DequantizeLinearPlan p, DequantizeLinearPlanOf(c));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t f = p.factors(i);
    const double zero = c.HasInput(2) ? c.In(2).Number(f) : 0.0;
    c.Out(0).SetNumber(i, (c.In(0).Number(i) - zero) * c.In(1).Number(f));
  }
  return OkStatus();
}

// u8 or i8 by one number to f32, in whichever layout x lies.
Status LowerFromBytes(LowerContext& c) {
  MapBuilder map(c, c.OutputShape(0));
  MapBuilder::Value x = map.Input(0);
  if (c.HasInput(2)) x = map.Call("Sub", x, map.Input(2));
  map.Output(0, map.Call("Mul", map.Convert(x, ir::MapType::kF32), map.Input(1)));
  map.Emit();
  return OkStatus();
}

Status LowerDequantizeLinear(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(DequantizeLinearPlan p, DequantizeLinearPlanOf(c));
  const bool one = c.InputShape(1).elements() == 1 && c.InputShape(1).rank() <= 1 &&
                   (!c.HasInput(2) || c.InputShape(2).rank() <= 1);
  if (one && IsByte(c.Input(0).dtype) && c.Input(1).dtype == DType::kF32 &&
      p.dtype == DType::kF32) {
    return LowerFromBytes(c);
  }
  FERRY_ASSIGN_OR_RETURN(const FactorView view, FactorView::Of(c));
  const BufferId x = c.In(0), scale = view.Expanded(c, 1);
  const BufferId zero = c.HasInput(2) ? view.Expanded(c, 2) : -1;
  const DType dtype = c.Input(0).dtype;
  // Differences of i32 pass what f32 holds.
  const bool wide = dtype == DType::kI32 || p.dtype == DType::kF64;
  const ir::MapType type = wide ? ir::MapType::kF64 : ir::MapType::kF32;
  MapBuilder map(c, view.shape, Layout::kPlain);
  const auto number = [&](BufferId id, DType d, const tensor::Strides& strides) {
    return map.Convert(map.Buffer(id, d, strides), type);
  };
  auto y = number(x, dtype, tensor::DenseStrides(view.shape));
  if (zero >= 0) y = map.Call("Sub", y, number(zero, dtype, view.strides));
  y = map.Call("Mul", y, number(scale, c.Input(1).dtype, view.strides));
  map.Output(0, map.Convert(y, ir::MapTypeOf(p.dtype)));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kDequantizeLinearOp;
const Op kDequantizeLinearOp = {
    "DequantizeLinear",   2, 3, 1, 1, InferDequantizeLinear, ReferenceDequantizeLinear,
    LowerDequantizeLinear};

}  // namespace ferry::ops
