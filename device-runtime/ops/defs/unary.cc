// Element-wise operators of one input; unary.inc has a row for each.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {

std::span<const Op> UnaryOps();

namespace {

struct Function {
  std::string_view name;
  std::string_view kernel;
  float alpha, beta;
  double (*value)(double x, double a, double b);
};

constexpr Function kFunctions[] = {
#define FERRY_UNARY(name, kernel, alpha, beta, ...)                                      \
  {#name, kernel, alpha, beta,                                                           \
   []([[maybe_unused]] double x, [[maybe_unused]] double a, [[maybe_unused]] double b) { \
     return static_cast<double>(__VA_ARGS__);                                            \
   }},
#include "device-runtime/ops/defs/unary.inc"
#undef FERRY_UNARY
};

const Function& FunctionOf(const NodeContext& c) {
  return *std::ranges::find(kFunctions, c.node().op, &Function::name);
}

// ONNX calls the second parameter beta but for Selu, where it is gamma.
Result<float> Beta(const NodeContext& c, const Function& f) {
  return c.Float(f.name == "Selu" ? "gamma" : "beta", f.beta);
}

Status InferUnary(InferContext& c) {
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceUnary(ReferenceContext& c) {
  const Function& f = FunctionOf(c);
  FERRY_ASSIGN_OR_RETURN(const float alpha, c.Float("alpha", f.alpha));
  FERRY_ASSIGN_OR_RETURN(const float beta, Beta(c, f));
  const Tensor& x = c.In(0);
  for (int64_t i = 0; i < x.elements(); ++i) {
    c.Out(0).SetNumber(i, f.value(x.Number(i), alpha, beta));
  }
  return OkStatus();
}

Status LowerUnary(LowerContext& c) {
  const Function& f = FunctionOf(c);
  if (f.kernel.empty() || c.Input(0).dtype != DType::kF32) {
    c.EmitCall();
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(const float alpha, c.Float("alpha", f.alpha));
  FERRY_ASSIGN_OR_RETURN(const float beta, Beta(c, f));
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  const BufferId x = c.In(0, layout);
  c.Emit(ir::UnaryPrim{std::string(f.kernel), alpha, beta, c.InputShape(0).elements()}, {x},
         c.Out(0, layout));
  return OkStatus();
}

constexpr Op kOps[] = {
#define FERRY_UNARY(name, ...) {#name, 1, 1, 1, 1, InferUnary, ReferenceUnary, LowerUnary},
#include "device-runtime/ops/defs/unary.inc"
#undef FERRY_UNARY
};

}  // namespace

std::span<const Op> UnaryOps() {
  return kOps;
}

}  // namespace ferry::ops
