// Gelu (ONNX): x * (1 + erf(x / sqrt(2))) / 2, or with approximate="tanh"
// x * (1 + tanh(u)) / 2 = x * sigmoid(2 u) for u = sqrt(2 / pi) * (x + 0.044715 x^3).
#include <cmath>
#include <numbers>

#include "device-runtime/ops/defs/exact.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

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

// x * sigmoid(x * (kScale + kScale * kCubic * x^2)), each step over all elements.
Status LowerApproximate(LowerContext& c, BufferId x, Layout layout) {
  const int64_t count = c.InputShape(0).elements();
  auto binary = [&](const char* op, BufferId a, BufferId b, int64_t b_stride, BufferId y) {
    ir::BinaryPrim prim;
    prim.op = op;
    prim.rank = 1;
    prim.size[0] = count;
    prim.a_stride[0] = 1;
    prim.b_stride[0] = b_stride;
    c.Emit(std::move(prim), {a, b}, y);
  };
  auto number = [&](double value) -> Result<BufferId> {
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kF32, {}));
    tensor.SetNumber(0, value);
    return c.Constant(std::move(tensor));
  };
  FERRY_ASSIGN_OR_RETURN(const BufferId cubic, number(kScale * kCubic));
  FERRY_ASSIGN_OR_RETURN(const BufferId scale, number(kScale));
  BufferId step[5];
  for (BufferId& id : step) id = c.Temporary(DType::kF32, c.InputShape(0));
  binary("Mul", x, x, 1, step[0]);
  binary("Mul", step[0], cubic, 0, step[1]);
  binary("Add", step[1], scale, 0, step[2]);
  binary("Mul", step[2], x, 1, step[3]);
  c.Emit(ir::UnaryPrim{"Sigmoid", 0, 0, count}, {step[3]}, step[4]);
  binary("Mul", x, step[4], 1, c.Out(0, layout));
  return OkStatus();
}

Status LowerGelu(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const bool approximate, IsApproximate(c));
  if (c.Input(0).dtype != DType::kF32) {
    c.EmitCall();
    return OkStatus();
  }
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  const BufferId x = c.In(0, layout);
  if (approximate) return LowerApproximate(c, x, layout);
  c.Emit(ir::UnaryPrim{"Gelu", 0, 0, c.InputShape(0).elements()}, {x}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kGeluOp;
const Op kGeluOp = {"Gelu", 1, 1, 1, 1, InferGelu, ReferenceGelu, LowerGelu};

}  // namespace ferry::ops
