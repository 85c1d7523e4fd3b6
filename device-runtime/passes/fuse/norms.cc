// Layer and RMS normalisation spelled as arithmetic: (x - mean) / sqrt(mean((x - mean)^2) +
// epsilon) and x / sqrt(mean(x^2) + epsilon), with a factor and a bias of one number for each of a
// row's.
#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::kNoValue;
using ir::ValueId;

struct Norm {
  ValueId x = kNoValue;
  int axis = 0;
  double epsilon = 0;
  bool centered = false;
  ValueId result = kNoValue;
};

class NormFinder {
 public:
  explicit NormFinder(Graph& graph) : graph_(graph), match_(graph) {}

  int Run() {
    int fused = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      ValueId scale = kNoValue, bias = kNoValue;
      size_t at = i;
      auto norm = Distributed(graph_.nodes[i], scale, bias);
      if (!norm) {
        norm = NormOf(graph_.nodes[i]);
        if (!norm) continue;
        Follow(*norm, "Mul", at, scale);
        Follow(*norm, "Add", at, bias);
      }
      ir::Node& node = graph_.nodes[at];
      node.op = "RowNorm";
      node.version = 0;
      node.inputs = {norm->x, scale, bias};
      node.attributes = {{"axis", int64_t{norm->axis}},
                         {"centered", int64_t{norm->centered}},
                         {"epsilon", static_cast<float>(norm->epsilon)}};
      ++fused;
    }
    return fused;
  }

 private:
  // d / sqrt(v), d * (1 / sqrt(v)), where v = mean(d^2) + epsilon.
  std::optional<Norm> NormOf(const ir::Node& node) const {
    if (node.inputs.size() != 2) return std::nullopt;
    if (node.op == "Div") return Divided(node, node.inputs[0], node.inputs[1]);
    if (node.op != "Mul") return std::nullopt;
    for (size_t side = 0; side < 2; ++side) {
      const ir::Node* inverse = match_.Maker(node.inputs[side]);
      if (inverse == nullptr) continue;
      ValueId root = kNoValue;
      if (inverse->op == "Reciprocal") root = inverse->inputs[0];
      if (inverse->op == "Div") {
        const auto one = match_.ScalarFor(inverse->inputs[0], inverse->inputs[1]);
        if (one && *one == 1) root = inverse->inputs[1];
      }
      if (root == kNoValue) continue;
      if (auto norm = Divided(node, node.inputs[1 - side], root)) return norm;
    }
    return std::nullopt;
  }

  std::optional<Norm> Divided(const ir::Node& node, ValueId d, ValueId root) const {
    const ir::Node* sum = nullptr;
    if (const ir::Node* sqrt = match_.Maker(root, "Sqrt"))
      sum = match_.Maker(sqrt->inputs[0], "Add");
    if (const ir::Node* power = match_.Maker(root, "Pow")) {
      const auto half = match_.ScalarFor(power->inputs[1], power->inputs[0]);
      if (half && *half == 0.5) sum = match_.Maker(power->inputs[0], "Add");
    }
    const auto with_epsilon = sum == nullptr ? std::nullopt : match_.WithNumber(*sum);
    if (!with_epsilon || !match_.IsF32(d)) return std::nullopt;
    const ir::Node* mean = match_.Maker(with_epsilon->first, "ReduceMean");
    const auto axis = mean == nullptr ? std::nullopt : TrailingAxis(graph_, *mean, "ReduceMean");
    if (!axis) return std::nullopt;
    Norm norm = {d, *axis, with_epsilon->second, false, node.outputs[0]};
    const ValueId squared = SquareRoot(mean->inputs[0]);
    if (squared == kNoValue) return std::nullopt;
    const ValueId x = Centered(d, norm.axis);
    if (x != kNoValue && (squared == d || Centered(squared, norm.axis) == x)) {
      norm.x = x;
      norm.centered = true;
    } else if (squared != d) {
      return std::nullopt;
    }
    return norm;
  }

  // x * a + (bias - mean * a) for a = 1 / sqrt(v) * scale, as TensorFlow writes layer norm.
  std::optional<Norm> Distributed(const ir::Node& node, ValueId& scale, ValueId& bias) const {
    if (node.op != "Add" || node.inputs.size() != 2) return std::nullopt;
    for (size_t side = 0; side < 2; ++side) {
      const ir::Node* product = match_.Maker(node.inputs[side], "Mul");
      const ir::Node* rest = match_.Maker(node.inputs[1 - side], "Sub");
      const ir::Node* taken = rest == nullptr ? nullptr : match_.Maker(rest->inputs[1], "Mul");
      if (product == nullptr || taken == nullptr) continue;
      for (size_t i = 0; i < 4; ++i) {  // either may have its operands in either order
        const ValueId x = product->inputs[i % 2], a = product->inputs[1 - i % 2];
        const ValueId mean = taken->inputs[i / 2];
        const ir::Node* reduced = match_.Maker(mean, "ReduceMean");
        if (taken->inputs[1 - i / 2] != a || reduced == nullptr || reduced->inputs[0] != x)
          continue;
        auto norm = Scaled(node, x, a, scale);
        const auto axis = TrailingAxis(graph_, *reduced, "ReduceMean");
        const bool same = norm && norm->centered && axis && *axis == norm->axis;
        if (same && TakesRow(*norm, rest->inputs[0])) {
          bias = rest->inputs[0];
          return norm;
        }
      }
    }
    return std::nullopt;
  }

  // The norm of x that `a` is the factor of: 1 / sqrt(v), or that times a scale.
  std::optional<Norm> Scaled(const ir::Node& node, ValueId x, ValueId a, ValueId& scale) const {
    const ir::Node* times = match_.Maker(a, "Mul");
    for (size_t i = 0; i < 2; ++i) {
      const ValueId inverse = times == nullptr ? a : times->inputs[i];
      const ir::Node* reciprocal = match_.Maker(inverse, "Reciprocal");
      auto norm = reciprocal == nullptr
                      ? std::nullopt
                      : Divided(node, CenteredIn(reciprocal->inputs[0]), reciprocal->inputs[0]);
      if (!norm || norm->x != x) continue;
      scale = times == nullptr ? kNoValue : times->inputs[1 - i];
      if (scale == kNoValue || TakesRow(*norm, scale)) return norm;
    }
    return std::nullopt;
  }

  // The value whose square's mean is under the root.
  ValueId CenteredIn(ValueId root) const {
    const ir::Node* sqrt = match_.Maker(root, "Sqrt");
    const ir::Node* sum = sqrt == nullptr ? nullptr : match_.Maker(sqrt->inputs[0], "Add");
    const auto pair = sum == nullptr ? std::nullopt : match_.WithNumber(*sum);
    const ir::Node* mean = pair ? match_.Maker(pair->first, "ReduceMean") : nullptr;
    return mean == nullptr ? kNoValue : SquareRoot(mean->inputs[0]);
  }

  // y when `id` is y^2.
  ValueId SquareRoot(ValueId id) const {
    const ir::Node* node = match_.Maker(id);
    if (node == nullptr || node->inputs.size() != 2) return kNoValue;
    if (node->op == "Mul" && node->inputs[0] == node->inputs[1]) return node->inputs[0];
    if (node->op != "Pow") return kNoValue;
    const auto two = match_.ScalarFor(node->inputs[1], node->inputs[0]);
    return two && *two == 2 ? node->inputs[0] : kNoValue;
  }

  // x when `id` is x minus its mean over the axes from `axis` on.
  ValueId Centered(ValueId id, int axis) const {
    const ir::Node* node = match_.Maker(id, "Sub");
    const ir::Node* mean = node == nullptr ? nullptr : match_.Maker(node->inputs[1], "ReduceMean");
    if (mean == nullptr || mean->inputs[0] != node->inputs[0]) return kNoValue;
    const auto own = TrailingAxis(graph_, *mean, "ReduceMean");
    return own && *own == axis ? node->inputs[0] : kNoValue;
  }

  // The only reader of the norm's result, when it is `op` with one number for each of a row's:
  // becomes part of it.
  void Follow(Norm& norm, std::string_view op, size_t& at, ValueId& factor) const {
    const int reader = match_.Reader(norm.result);
    if (reader < 0) return;
    const ir::Node& node = graph_.nodes[static_cast<size_t>(reader)];
    if (node.op != op || node.inputs.size() != 2) return;
    const ValueId other = node.inputs[node.inputs[0] == norm.result ? 1 : 0];
    if (!TakesRow(norm, other)) return;
    factor = other;
    norm.result = node.outputs[0];
    at = static_cast<size_t>(reader);  // the factor may be made behind the norm
  }

  // Whether a value has one number for each of a row's.
  bool TakesRow(const Norm& norm, ValueId id) const {
    const auto shape = match_.ShapeOf(norm.x);
    const auto with = match_.ShapeOf(id);
    return shape && with && IsRow(*with, *shape, norm.axis) && match_.IsF32(id);
  }

  // The extents from `axis` on, with nothing but 1 before them.
  static bool IsRow(const ir::Shape& with, const ir::Shape& shape, int axis) {
    const int rank = shape.rank() - axis;
    if (with.rank() < rank || with.rank() > shape.rank()) return false;
    for (int i = 0; i < with.rank(); ++i) {
      const int from_end = with.rank() - i;
      if (with[i] != (from_end > rank ? 1 : shape[shape.rank() - from_end])) return false;
    }
    return true;
  }

  Graph& graph_;
  const Matcher match_;
};

}  // namespace

Result<int> FuseNorms(Graph& graph) {
  return NormFinder(graph).Run();
}

}  // namespace ferry::passes
