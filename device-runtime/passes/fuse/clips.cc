#include <algorithm>
#include <limits>

#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::ValueId;

struct Bounds {
  ValueId x = ir::kNoValue;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

// What a Max, Min, Relu or Clip with constant bounds of f32 numbers does; x is kNoValue for others.
Bounds BoundsOf(const Graph& graph, const Matcher& match, const ir::Node& node) {
  Bounds b;
  if (!node.HasInput(0)) return b;
  if (node.op == "Relu") return {node.inputs[0], 0, b.high};
  if (node.op == "Max" || node.op == "Min") {
    const auto pair = match.WithNumber(node);
    if (!pair || (node.inputs[0] == pair->first) == graph.IsConstant(node.inputs[0])) return b;
    (node.op == "Max" ? b.low : b.high) = pair->second;
    b.x = pair->first;
    return b;
  }
  if (node.op != "Clip") return b;
  auto bound = [&](size_t input, const char* key, double fallback) -> std::optional<double> {
    if (node.HasInput(input)) return match.Number(node.inputs[input]);
    const float* value = node.Find<float>(key);
    return value == nullptr ? fallback : static_cast<double>(*value);
  };
  const auto low = bound(1, "min", b.low);
  const auto high = bound(2, "max", b.high);
  return low && high ? Bounds{node.inputs[0], *low, *high} : b;
}

Result<ValueId> NumberValue(Graph& graph, FreshNames& names, double value) {
  const auto number = static_cast<float>(value);
  FERRY_ASSIGN_OR_RETURN(tensor::Tensor t, tensor::Tensor::Of<float>({}, {&number, 1}));
  return graph.AddConstant(names.Next(), std::move(t));
}

// Whether the bounds' constants say that the values are f32: a Relu and a clip without bounds,
// which are of any type, alone do not.
bool HasF32Bound(const Graph& graph, const ir::Node& node) {
  return std::ranges::any_of(node.inputs, [&](ValueId id) {
    return graph.IsConstant(id) && graph.values[static_cast<size_t>(id)].dtype == ir::DType::kF32;
  });
}

}  // namespace

Result<int> FuseClips(Graph& graph) {
  const Matcher match(graph);
  FreshNames names(graph, "bound");
  int fused = 0;
  for (ir::Node& node : graph.nodes) {
    Bounds outer = BoundsOf(graph, match, node);
    if (outer.x == ir::kNoValue) continue;
    const ir::Node* before = match.Maker(outer.x);
    const bool joins = before != nullptr && match.IsReadOnce(outer.x);
    const Bounds inner = joins ? BoundsOf(graph, match, *before) : Bounds();
    const bool f32 = HasF32Bound(graph, node) || (joins && HasF32Bound(graph, *before));
    // min(high, max(low, .)) of both in turn; an empty range gives the upper bound, as Clip does.
    const bool both = inner.x != ir::kNoValue && inner.low <= inner.high &&
                      outer.low <= outer.high && outer.low <= inner.high && inner.low <= outer.high;
    const bool spelled = node.op == "Max" || node.op == "Min";
    if (!f32 || (!both && !spelled)) continue;
    if (both) {
      outer = {inner.x, std::max(inner.low, outer.low), std::min(inner.high, outer.high)};
    }
    FERRY_ASSIGN_OR_RETURN(const ValueId low, NumberValue(graph, names, outer.low));
    FERRY_ASSIGN_OR_RETURN(const ValueId high, NumberValue(graph, names, outer.high));
    node.op = "Clip";
    node.version = 0;
    node.attributes.clear();
    node.inputs = {outer.x, low, high};
    ++fused;
  }
  return fused;
}

}  // namespace ferry::passes
