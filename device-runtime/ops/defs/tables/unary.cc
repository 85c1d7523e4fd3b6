// Element-wise operators of one input; unary.inc has a row for each.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/parts/map_forms.h"

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
#define FERRY_UNARY_INTEGER(...)
#include "device-runtime/ops/defs/tables/unary.inc"
#undef FERRY_UNARY
#undef FERRY_UNARY_INTEGER
};

struct IntegerFunction {
  std::string_view name;
  int64_t (*of_signed)(int64_t x);
  uint64_t (*of_unsigned)(uint64_t x);
  int64_t operator()(int64_t x) const { return of_signed(x); }
  uint64_t operator()(uint64_t x) const { return of_unsigned(x); }
  double operator()(double x) const { return x; }
};

constexpr IntegerFunction kIntegerFunctions[] = {
#define FERRY_UNARY(...)
#define FERRY_UNARY_INTEGER(name, ...)    \
  {#name,                                 \
   [](int64_t x) {                        \
     using T [[maybe_unused]] = int64_t;  \
     return static_cast<T>(__VA_ARGS__);  \
   },                                     \
   [](uint64_t x) {                       \
     using T [[maybe_unused]] = uint64_t; \
     return static_cast<T>(__VA_ARGS__);  \
   }},
#include "device-runtime/ops/defs/tables/unary.inc"
#undef FERRY_UNARY
#undef FERRY_UNARY_INTEGER
};

// Null when the operator takes floating point only.
const IntegerFunction* IntegerFunctionOf(const NodeContext& c) {
  const auto* found = std::ranges::find(kIntegerFunctions, c.node().op, &IntegerFunction::name);
  return found == std::end(kIntegerFunctions) ? nullptr : found;
}

const Function& FunctionOf(const NodeContext& c) {
  return *std::ranges::find(kFunctions, c.node().op, &Function::name);
}

// Selu's constants had fewer digits at first.
bool IsOldSelu(const NodeContext& c) {
  return c.node().op == "Selu" && c.version() < 6;
}
Result<float> Alpha(const NodeContext& c, const Function& f) {
  return c.Float("alpha", IsOldSelu(c) ? 1.6732f : f.alpha);
}
// ONNX calls the second parameter beta but for Selu, where it is gamma.
Result<float> Beta(const NodeContext& c, const Function& f) {
  if (IsOldSelu(c)) return c.Float("gamma", 1.0507f);
  return c.Float(f.name == "Selu" ? "gamma" : "beta", f.beta);
}

Status InferUnary(InferContext& c) {
  const bool integers = IntegerFunctionOf(c) != nullptr || c.node().op == "Erf";
  FERRY_TRY(CheckKinds(c, 0, integers ? Kinds::Number : Kinds::Float));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceUnary(ReferenceContext& c) {
  const Function& f = FunctionOf(c);
  FERRY_ASSIGN_OR_RETURN(const float alpha, Alpha(c, f));
  FERRY_ASSIGN_OR_RETURN(const float beta, Beta(c, f));
  const Tensor& x = c.In(0);
  const IntegerFunction* exact = IntegerFunctionOf(c);
  if (exact != nullptr && !tensor::IsFloat(x.dtype())) {
    WithExact(x.dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (int64_t i = 0; i < x.elements(); ++i) Put<T>(c.Out(0), i, (*exact)(Get<T>(x, i)));
    });
    return OkStatus();
  }
  for (int64_t i = 0; i < x.elements(); ++i) {
    c.Out(0).SetNumber(i, f.value(x.Number(i), alpha, beta));
  }
  return OkStatus();
}

Status LowerUnary(LowerContext& c) {
  const Function& f = FunctionOf(c);
  FERRY_ASSIGN_OR_RETURN(const float alpha, Alpha(c, f));
  FERRY_ASSIGN_OR_RETURN(const float beta, Beta(c, f));
  MapBuilder map(c, c.OutputShape(0));
  const auto x = map.Input(0);
  const auto a = static_cast<double>(alpha), b = static_cast<double>(beta);
  auto value = UnaryForm(map, f.name, x, a, b);
  if (!value) {  // integers, of a function of floats
    value = UnaryForm(map, f.name, map.Convert(x, ir::MapType::kF64), a, b);
    if (!value) return Status::Of(Code::kInternal, "no form of '{}'", f.name);
    value = map.Narrow(*value, c.Input(0).dtype);
  }
  map.Output(0, *value);
  map.Emit();
  return OkStatus();
}

constexpr Op kOps[] = {
#define FERRY_UNARY(name, ...) {#name, 1, 1, 1, 1, InferUnary, ReferenceUnary, LowerUnary},
#define FERRY_UNARY_INTEGER(...)
#include "device-runtime/ops/defs/tables/unary.inc"
#undef FERRY_UNARY
#undef FERRY_UNARY_INTEGER
};

}  // namespace

std::span<const Op> UnaryOps() {
  return kOps;
}

}  // namespace ferry::ops
