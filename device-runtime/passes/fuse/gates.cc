// Activations that exporters spell as arithmetic. Whatever the order of the factors, the node that
// makes the result is P(x) + Q(x) * t, where P and Q are polynomials of some value x and t is a
// function (Erf, Tanh, Sigmoid, a clip, ...) of another polynomial of x: these decide which
// activation of x it is.
#include <array>
#include <cmath>
#include <numbers>

#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::kNoValue;
using ir::ValueId;

constexpr int kMaxDepth = 6;      // of arithmetic between a result and x
constexpr size_t kMaxFound = 12;  // values that may be x, and that may be t
constexpr size_t kDegrees = 4;

using Polynomial = std::array<double, kDegrees>;  // coefficients of 1, x, x^2, x^3

Polynomial Times(const Polynomial& a, const Polynomial& b, bool& fits) {
  Polynomial product{};
  for (size_t i = 0; i < kDegrees; ++i) {
    for (size_t j = 0; j < kDegrees; ++j) {
      const double term = a[i] * b[j];
      if (term == 0) continue;
      if (i + j >= kDegrees) {
        fits = false;
      } else {
        product[i + j] += term;
      }
    }
  }
  return product;
}

bool IsPolynomial(const Polynomial& p, const Polynomial& expected) {
  for (size_t i = 0; i < kDegrees; ++i) {
    if (expected[i] == 0 ? std::abs(p[i]) > 1e-9 : !Near(p[i], expected[i])) return false;
  }
  return true;
}

struct Form {  // p(x) + q(x) * t
  Polynomial p{}, q{};
};

class GateFinder {
 public:
  explicit GateFinder(Graph& graph) : graph_(graph), match_(graph) {}

  int Run() {
    int fused = 0;
    for (ir::Node& node : graph_.nodes) {
      const bool may_end = node.op == "Mul" || node.op == "Div" || node.op == "Add";
      if (may_end && node.outputs.size() == 1 && (Quotient(node) || Gate(node))) ++fused;
    }
    return fused;
  }

 private:
  bool IsArithmetic(const ir::Node& node) const {
    return node.op == "Add" || node.op == "Sub" || node.op == "Mul" || node.op == "Div" ||
           node.op == "Neg" || node.op == "Pow";
  }

  // The form of `id` in x and t; nullopt when it has none.
  std::optional<Form> FormOf(ValueId id, ValueId x, ValueId t, int depth) const {
    Form form;
    if (id == x || id == t) {
      (id == x ? form.p[1] : form.q[0]) = 1;
      return form;
    }
    const ir::Node* node = match_.Maker(id);
    if (node == nullptr || depth == 0 || !IsArithmetic(*node)) return std::nullopt;
    const auto a = Operand(*node, 0, x, t, depth);
    if (!a) return std::nullopt;
    if (node->op == "Neg") return Scaled(*a, -1);
    if (node->op == "Pow") return PowerOf(*a, node->inputs[1]);
    const auto b = Operand(*node, 1, x, t, depth);
    if (!b) return std::nullopt;
    if (node->op == "Add") return Sum(*a, *b);
    if (node->op == "Sub") return Sum(*a, Scaled(*b, -1));
    if (node->op == "Mul") return Product(*a, *b);
    const auto divisor = match_.ScalarFor(node->inputs[1], node->inputs[0]);
    if (!divisor || *divisor == 0) return std::nullopt;
    return Scaled(*a, 1 / *divisor);
  }

  std::optional<Form> Operand(const ir::Node& node, size_t i, ValueId x, ValueId t,
                              int depth) const {
    if (!node.HasInput(i)) return std::nullopt;
    if (!graph_.IsConstant(node.inputs[i])) return FormOf(node.inputs[i], x, t, depth - 1);
    const auto number = match_.ScalarFor(node.inputs[i], x);
    if (!number) return std::nullopt;
    Form form;
    form.p[0] = *number;
    return form;
  }

  static Form Scaled(Form form, double factor) {
    for (double& c : form.p) c *= factor;
    for (double& c : form.q) c *= factor;
    return form;
  }
  static Form Sum(Form a, const Form& b) {
    for (size_t i = 0; i < kDegrees; ++i) {
      a.p[i] += b.p[i];
      a.q[i] += b.q[i];
    }
    return a;
  }
  static std::optional<Form> Product(const Form& a, const Form& b) {
    bool fits = true;
    const Polynomial square = Times(a.q, b.q, fits);
    const Form sum = Sum({{}, Times(a.p, b.q, fits)}, {{}, Times(a.q, b.p, fits)});
    const Form product = Sum({Times(a.p, b.p, fits), {}}, sum);
    return fits && IsPolynomial(square, {}) ? std::optional(product) : std::nullopt;
  }
  std::optional<Form> PowerOf(const Form& a, ValueId exponent) const {
    const auto n = match_.Number(exponent);
    if (!n || (*n != 2 && *n != 3)) return std::nullopt;
    const auto square = Product(a, a);
    return *n == 2 || !square ? square : Product(*square, a);
  }

  // Values that arithmetic above `id` reads, `id` first: what x may be, or where t is.
  void Collect(ValueId id, int depth, std::vector<ValueId>& found) const {
    if (id == kNoValue || graph_.IsConstant(id) || found.size() >= kMaxFound) return;
    found.push_back(id);
    const ir::Node* node = match_.Maker(id);
    if (node == nullptr || depth == 0 || !IsArithmetic(*node)) return;
    for (ValueId input : node->inputs) Collect(input, depth - 1, found);
  }

  bool Gate(ir::Node& root) {
    std::vector<ValueId> inner;
    for (ValueId id : root.inputs) Collect(id, kMaxDepth, inner);
    for (ValueId t : inner) {
      const ir::Node* function = match_.Maker(t);
      if (function == nullptr || !IsFunction(*function)) continue;
      ValueId from = function->inputs[0];
      if (function->op == "Tanh" || function->op == "Min") {
        const ir::Node* before = match_.Maker(from);
        const bool nested = before != nullptr && (before->op == "Softplus" ||
                                                  before->op == "Relu" || before->op == "Max");
        if (nested) from = before->inputs[0];
      }
      std::vector<ValueId> candidates;
      Collect(from, kMaxDepth, candidates);
      for (ValueId x : candidates) {
        if (Replace(root, x, t, *function)) return true;
      }
    }
    return false;
  }

  static bool IsFunction(const ir::Node& node) {
    return node.HasInput(0) && (node.op == "Erf" || node.op == "Tanh" || node.op == "Sigmoid" ||
                                node.op == "HardSigmoid" || node.op == "Clip");
  }

  bool Replace(ir::Node& root, ValueId x, ValueId t, const ir::Node& function) {
    const auto form = FormOf(root.outputs[0], x, t, kMaxDepth);
    if (!form) return false;
    const auto argument = FormOf(function.inputs[0], x, kNoValue, kMaxDepth);
    const bool no_p = IsPolynomial(form->p, {});
    const bool gated = no_p && IsPolynomial(form->q, {0, 1, 0, 0});
    if (function.op == "Tanh" && gated) {  // x * tanh(softplus(x))
      const ir::Node* inner = match_.Maker(function.inputs[0], "Softplus");
      if (inner != nullptr && inner->inputs[0] == x) return Become(root, "Mish", x);
    }
    if (!argument) return false;
    const Polynomial& u = argument->p;
    const Polynomial half = {0, 0.5, 0, 0};
    const bool is_half = IsPolynomial(form->p, half) && IsPolynomial(form->q, half);
    if (function.op == "Erf" && is_half && IsPolynomial(u, {0, std::numbers::sqrt2 / 2, 0, 0})) {
      return Become(root, "Gelu", x);
    }
    if (function.op == "Tanh" && is_half) {
      const double scale = std::sqrt(2 / std::numbers::pi);
      if (!IsPolynomial(u, {0, scale, 0, scale * 0.044715})) return false;
      return Become(root, "Gelu", x, {{"approximate", std::string("tanh")}});
    }
    if (function.op == "Sigmoid" && gated && IsPolynomial(u, {0, 1, 0, 0})) {
      return Become(root, "Silu", x);
    }
    return HardGate(root, x, function, *form, u);
  }

  // low <= a x + b <= high, times q: x/6 + 1/2 between 0 and 1, times 1 or x.
  bool HardGate(ir::Node& root, ValueId x, const ir::Node& function, const Form& form,
                const Polynomial& u) {
    double a = u[1], b = u[0], high = 1;
    if (function.op == "HardSigmoid") {
      const float* alpha = function.Find<float>("alpha");
      const float* beta = function.Find<float>("beta");
      a *= static_cast<double>(alpha == nullptr ? 0.2f : *alpha);
      b = b * static_cast<double>(alpha == nullptr ? 0.2f : *alpha) +
          static_cast<double>(beta == nullptr ? 0.5f : *beta);
    } else if (function.op == "Clip") {
      const auto top = ClipTop(function);
      if (!top) return false;
      high = *top;
    } else {
      return false;
    }
    if (!IsPolynomial(form.p, {}) || u[2] != 0 || u[3] != 0 || high <= 0) return false;
    if (!Near(a / high, 1.0 / 6) || !Near(b / high, 0.5)) return false;
    if (IsPolynomial(form.q, {0, 1 / high, 0, 0})) return Become(root, "HardSwish", x);
    if (high == 1 || !IsPolynomial(form.q, {1 / high, 0, 0, 0})) return false;
    return Become(root, "HardSigmoid", x, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
  }

  // The upper bound of a clip from 0.
  std::optional<double> ClipTop(const ir::Node& clip) const {
    auto bound = [&](size_t input, const char* key) -> std::optional<double> {
      if (clip.HasInput(input)) return match_.Number(clip.inputs[input]);
      const float* value = clip.Find<float>(key);
      return value == nullptr ? std::nullopt : std::optional(static_cast<double>(*value));
    };
    const auto low = bound(1, "min");
    return low && *low == 0 ? bound(2, "max") : std::nullopt;
  }

  // a / (1 + exp(-x)): x gives Silu, 1 gives Sigmoid.
  bool Quotient(ir::Node& root) {
    if (root.op != "Div") return false;
    const ir::Node* sum = match_.Maker(root.inputs[1], "Add");
    const auto one = sum == nullptr ? std::nullopt : match_.WithNumber(*sum);
    if (!one || one->second != 1) return false;
    const ir::Node* power = match_.Maker(one->first, "Exp");
    const ir::Node* minus = power == nullptr ? nullptr : match_.Maker(power->inputs[0], "Neg");
    if (minus == nullptr) return false;
    const ValueId x = minus->inputs[0];
    if (root.inputs[0] == x) return Become(root, "Silu", x);
    const auto above = match_.ScalarFor(root.inputs[0], x);
    return above && *above == 1 && Become(root, "Sigmoid", x);
  }

  bool Become(ir::Node& root, const char* op, ValueId x,
              std::map<std::string, ir::Attribute, std::less<>> attributes = {}) {
    root.op = op;
    root.version = 0;
    root.inputs = {x};
    root.attributes = std::move(attributes);
    return true;
  }

  Graph& graph_;
  const Matcher match_;
};

}  // namespace

Result<int> FuseGates(Graph& graph) {
  return GateFinder(graph).Run();  // what nobody reads any more goes with the dead nodes
}

}  // namespace ferry::passes
