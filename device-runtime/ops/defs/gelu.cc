// Gelu (ONNX): x * (1 + erf(x / sqrt(2))) / 2, or with approximate="tanh"
// x * (1 + tanh(u)) / 2 = x * sigmoid(2 u) for u = sqrt(2 / pi) * (x + 0.044715 x^3).
#include <cmath>
#include <numbers>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

constexpr double kCubic = 0.044715;
// 2 sqrt(2 / pi)
constexpr double kScale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

Result<bool> IsApproximate(const NodeContext& c) {
  const auto approximate = c.Text("approximate", "none");
  FERRY_TRY(approximate.status());
  if (*approximate == "tanh") return true;
  if (*approximate == "none") return false;
  return Status::Of(Code::kBadModel, "approximate '{}'", *approximate);
}

Status InferGelu(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Float));
  FERRY_TRY(IsApproximate(c));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceGelu(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const bool approximate, IsApproximate(c));
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const double x = c.In(0).Number(i);
    const double y = approximate ? x / (1 + std::exp(-kScale * (x + kCubic * x * x * x)))
                                 : x * (1 + std::erf(x / std::numbers::sqrt2)) / 2;
    c.Out(0).SetNumber(i, y);
  }
  return OkStatus();
}

Status LowerGelu(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const bool approximate, IsApproximate(c));
  MapBuilder map(c, c.OutputShape(0));
  const auto x = map.Input(0);
  auto number = [&](double value) { return map.Number(x, value); };
  if (approximate) {  // x * sigmoid(x * (kScale + kScale * kCubic * x^2))
    const auto factor =
        map.Call("MulAdd", map.Call("Mul", x, x), number(kScale * kCubic), number(kScale));
    map.Output(0, map.Call("Mul", x, map.Call("Sigmoid", map.Call("Mul", x, factor))));
  } else {
    const auto erf = map.Call("Erf", map.Call("Mul", x, number(1 / std::numbers::sqrt2)));
    const auto half = map.Call("Mul", x, number(0.5));
    map.Output(0, map.Call("MulAdd", half, erf, half));
  }
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kGeluOp;
const Op kGeluOp = {"Gelu", 1, 1, 1, 1, InferGelu, ReferenceGelu, LowerGelu};

}  // namespace ferry::ops
