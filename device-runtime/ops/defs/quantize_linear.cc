// QuantizeLinear (ONNX): round(x / scale) + zero point, saturated; the division is done, and
// rounded, in the type that `precision` names (that of the scale by default).
#include <cmath>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/quantization.h"
#include "device-runtime/tensor/minifloat.h"

namespace ferry::ops {
namespace {

struct QuantizeLinearPlan {
  FactorIndex factors;
  DType dtype;      // of y
  DType precision;  // of the division
  bool saturate;
};

Result<QuantizeLinearPlan> QuantizeLinearPlanOf(const NodeContext& c) {
  QuantizeLinearPlan p{};
  for (int i : {0, 1}) {
    const DType d = c.Input(i).dtype;
    if (IsWideFloat(d) || d == DType::kI32 || (i == 1 && d == DType::kF8E8M0)) continue;
    return Status::Of(Code::kUnsupported, "input {} is {}", i, tensor::DTypeName(d));
  }
  FERRY_ASSIGN_OR_RETURN(p.factors, FactorIndex::Of(c));
  p.dtype = c.HasInput(2) ? c.Input(2).dtype : DType::kU8;
  FERRY_ASSIGN_OR_RETURN(const DType wanted, TypeAttribute(c, "output_dtype", p.dtype));
  if (c.HasInput(2) && wanted != p.dtype) {
    return Status(Code::kShapeMismatch, "output_dtype is not the zero point's dtype");
  }
  p.dtype = wanted;
  if (!IsQuantInteger(p.dtype) && !IsQuantFloat(p.dtype)) {
    return Status::Of(Code::kUnsupported, "output {}", tensor::DTypeName(p.dtype));
  }
  const DType scale = c.Input(1).dtype;
  FERRY_ASSIGN_OR_RETURN(p.precision,
                         TypeAttribute(c, "precision", IsWideFloat(scale) ? scale : DType::kF32));
  if (!IsWideFloat(p.precision)) return Status(Code::kBadModel, "a precision that is no float");
  FERRY_ASSIGN_OR_RETURN(const int64_t saturate, c.Int("saturate", 1));
  p.saturate = saturate != 0;
  return p;
}

Status InferQuantizeLinear(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(QuantizeLinearPlan p, QuantizeLinearPlanOf(c));
  c.SetOutput(0, p.dtype, c.InputShape(0));
  return OkStatus();
}

double RoundedTo(DType dtype, double value) {
  switch (dtype) {
    case DType::kF32:
      return static_cast<float>(value);
    case DType::kF16:
      return tensor::HalfToFloat(tensor::FloatToHalf(static_cast<float>(value)));
    case DType::kBF16:
      return tensor::BFloat16ToFloat(tensor::FloatToBFloat16(static_cast<float>(value)));
    default:
      return value;
  }
}

Status ReferenceQuantizeLinear(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(QuantizeLinearPlan p, QuantizeLinearPlanOf(c));
  Tensor& y = c.Out(0);
  for (int64_t i = 0; i < y.elements(); ++i) {
    const int64_t f = p.factors(i);
    const double x = RoundedTo(p.precision, c.In(0).Number(i));
    const double scale = RoundedTo(p.precision, c.In(1).Number(f));
    const double quotient = RoundedTo(p.precision, x / scale);
    const double zero = c.HasInput(2) ? c.In(2).Number(f) : 0.0;
    if (IsQuantInteger(p.dtype)) {
      y.SetNumber(i, std::nearbyint(quotient) + zero);
    } else {
      const auto value = static_cast<float>(quotient + zero);
      y.mutable_raw()[i] = tensor::FloatToMini(p.dtype, value, p.saturate);
    }
  }
  return OkStatus();
}

// x / scale, rounded to the precision at each step where that is narrower than a map's floats.
MapBuilder::Value Quotient(LowerContext& c, const QuantizeLinearPlan& p, const FactorView& view,
                           MapBuilder& map) {
  const tensor::Strides dense = tensor::DenseStrides(view.shape);
  const BufferId scale = view.Expanded(c, 1);
  const ir::MapType type = ir::MapTypeOf(p.precision);
  if (p.precision == DType::kF32 || p.precision == DType::kF64) {
    const auto x = map.Convert(map.Buffer(c.In(0), c.Input(0).dtype, dense), type);
    return map.Call("Div", x, map.Convert(map.Buffer(scale, c.Input(1).dtype, view.strides), type));
  }
  const BufferId x = c.Cast(c.In(0), p.precision, view.shape);
  const Shape& factors = scale == c.In(1) ? c.InputShape(1) : view.shape;
  const BufferId s = c.Input(1).dtype == p.precision || view.shape.elements() == 0
                         ? scale
                         : c.Cast(scale, p.precision, factors);
  MapBuilder division(c, view.shape, Layout::kPlain);
  const BufferId quotient =
      division.EmitNew(p.precision, division.Call("Div", division.Buffer(x, p.precision, dense),
                                                  division.Buffer(s, p.precision, view.strides)));
  return map.Buffer(quotient, p.precision, dense);
}

// f32 by one number to u8 or i8, in whichever layout x lies.
Status LowerToBytes(LowerContext& c, DType dtype) {
  MapBuilder map(c, c.OutputShape(0));
  const MapBuilder::Value x = map.Input(0);
  MapBuilder::Value y = map.Call("Round", map.Call("Div", x, map.Input(1)));
  if (c.HasInput(2)) y = map.Call("Add", y, map.Convert(map.Input(2), y.type));
  map.Output(0, map.Narrow(y, dtype));
  map.Emit();
  return OkStatus();
}

Status LowerQuantizeLinear(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(QuantizeLinearPlan p, QuantizeLinearPlanOf(c));
  const bool one = c.InputShape(1).elements() == 1 && c.InputShape(1).rank() <= 1 &&
                   (!c.HasInput(2) || c.InputShape(2).rank() <= 1);
  if (one && IsByte(p.dtype) && c.Input(0).dtype == DType::kF32 &&
      c.Input(1).dtype == DType::kF32 && p.precision == DType::kF32) {
    return LowerToBytes(c, p.dtype);
  }
  if (!IsQuantInteger(p.dtype) && !p.saturate) {
    c.EmitHost();
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(const FactorView view, FactorView::Of(c));
  const BufferId zero = c.HasInput(2) ? view.Expanded(c, 2) : -1;
  MapBuilder map(c, view.shape, Layout::kPlain);
  auto y = Quotient(c, p, view, map);
  if (IsQuantInteger(p.dtype)) y = map.Call("Round", y);
  if (zero >= 0) {
    y = map.Call("Add", y, map.Convert(map.Buffer(zero, p.dtype, view.strides), y.type));
  }
  map.Output(0, map.Narrow(y, p.dtype));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kQuantizeLinearOp;
const Op kQuantizeLinearOp = {
    "QuantizeLinear",   2, 3, 1, 1, InferQuantizeLinear, ReferenceQuantizeLinear,
    LowerQuantizeLinear};

}  // namespace ferry::ops
