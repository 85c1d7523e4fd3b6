// QBinary (Ferry's own): a + b or a * b (attribute function) of u8 or i8 tensors, quantized again:
// with x = a - a_zero, w = b - b_zero, in f32,
//   Add: r = fma(w, b_factor, x * a_factor)    Mul: r = (x * w) * a_factor
//   y = nearest(clip(r, low, high)) + y_zero, of y_type.
// b has a's shape, or 1 in place of every axis behind the channels.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/quant_sum.h"

namespace ferry::ops {
namespace {

struct QBinaryPlan {
  ir::BytesPrim prim;
  DType dtype;
  bool repeats;  // b has one number a channel
};

Status ReadNumbers(const NodeContext& c, QBinaryPlan& p) {
  // Bounds and zero point of y are read and checked as those of sums.
  FERRY_ASSIGN_OR_RETURN(const QuantSum q, QuantSumOf(c));
  if (!IsByte(q.dtype)) {
    return Status::Of(Code::kUnsupported, "an output of {}", tensor::DTypeName(q.dtype));
  }
  p.dtype = q.dtype;
  p.prim.low = q.post.low;
  p.prim.high = q.post.high;
  p.prim.zero = q.post.zero;
  for (auto [key, number] : {std::pair{"a_zero", &p.prim.a_zero},
                             {"b_zero", &p.prim.b_zero},
                             {"a_factor", &p.prim.a_factor},
                             {"b_factor", &p.prim.b_factor}}) {
    FERRY_ASSIGN_OR_RETURN(*number, c.Float(key, *number));
    if (!std::isfinite(*number)) return Status::Of(Code::kBadModel, "'{}' is not finite", key);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string function, c.Text("function", "Add"));
  if (function != "Add" && function != "Mul") {
    return Status::Of(Code::kBadModel, "no function '{}'", function);
  }
  p.prim.kind = function == "Mul" ? ir::BytesKind::kMul : ir::BytesKind::kAdd;
  return OkStatus();
}

Result<QBinaryPlan> QBinaryPlanOf(const NodeContext& c) {
  QBinaryPlan p{};
  FERRY_TRY(ReadNumbers(c, p));
  if (!IsByte(c.Input(1).dtype)) return Status(Code::kUnsupported, "b must be u8 or i8");
  const Shape& a = c.InputShape(0);
  const Shape& b = c.InputShape(1);
  p.repeats = a != b;
  if (!p.repeats) {
    p.prim.inner = a.elements();
    return p;
  }
  bool fits = a.rank() == b.rank() && a.rank() >= 3 && a[0] == b[0] && a[1] == b[1];
  for (int axis = 2; fits && axis < a.rank(); ++axis) fits = b[axis] == 1;
  if (!fits) {
    return Status::Of(Code::kShapeMismatch, "operands {} and {}", a.ToString(), b.ToString());
  }
  p.prim.outer = a[0];
  p.prim.repeat = a.Product(2, a.rank());
  p.prim.inner = a[1];
  return p;
}

Status InferQBinary(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(QBinaryPlan p, QBinaryPlanOf(c));
  c.SetOutput(0, p.dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceQBinary(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(QBinaryPlan p, QBinaryPlanOf(c));
  const ir::BytesPrim& q = p.prim;
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t other = p.repeats ? i / q.repeat : i;
    const float x = static_cast<float>(c.In(0).Integer(i)) - q.a_zero;
    const float w = static_cast<float>(c.In(1).Integer(other)) - q.b_zero;
    const float r = q.kind == ir::BytesKind::kMul ? x * w * q.a_factor
                                                  : std::fma(w, q.b_factor, x * q.a_factor);
    const float steps = std::nearbyint(std::min(q.high, r > q.low ? r : q.low));
    c.Out(0).SetInteger(i, static_cast<int32_t>(steps) + q.zero);
  }
  return OkStatus();
}

Status LowerQBinary(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(QBinaryPlan p, QBinaryPlanOf(c));
  const bool last = p.repeats || c.IsChannelsLast(0) || c.IsChannelsLast(1);
  const Layout layout = last ? Layout::kChannelsLast : Layout::kPlain;
  const BufferId a = c.In(0, layout), b = c.In(1, layout);
  c.Emit(p.prim, {a, b}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kQBinaryOp;
const Op kQBinaryOp = {"QBinary", 2, 2, 1, 1, InferQBinary, ReferenceQBinary, LowerQBinary};

}  // namespace ferry::ops
