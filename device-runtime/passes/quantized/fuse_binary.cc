// Additions and products of two dequantized tensors that are quantized again work on the bytes.
// Differs from the float nodes by at most one step.
#include <cmath>

#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/sums.h"

namespace ferry::passes {
namespace {

using ir::Node;
using ir::ValueId;

class FuseBinaryPass {
 public:
  explicit FuseBinaryPass(Graph& graph)
      : graph_(graph), links_(graph), gone_(graph.nodes.size(), false) {}

  int Run() {
    for (size_t i = 0; i < gone_.size(); ++i) {
      if (graph_.nodes[i].op == "QuantizeLinear") OneNode(static_cast<int>(i));
    }
    KeepNodes(graph_, gone_);
    return fused_;
  }

 private:
  const Node& At(int i) const { return graph_.nodes[static_cast<size_t>(i)]; }
  int OnlyMaker(ValueId id) const { return links_.IsReadOnce(id) ? links_.Maker(id) : -1; }

  // Whether b has a's shape, or one number for each of its channels.
  bool Fits(ValueId a, ValueId b) const {
    const auto from = graph_.values[a].FixedShape(), to = graph_.values[b].FixedShape();
    if (!from || !to || from->rank() != to->rank()) return false;
    if (*from == *to) return true;
    bool fits = from->rank() >= 3 && (*from)[0] == (*to)[0] && (*from)[1] == (*to)[1];
    for (int axis = 2; fits && axis < from->rank(); ++axis) fits = (*to)[axis] == 1;
    return fits;
  }

  void OneNode(int quantize) {
    const auto y = QuantizationOf(graph_, At(quantize));
    int maker = OnlyMaker(At(quantize).inputs[0]);
    if (!y || maker < 0) return;
    QuantResult result;
    result.y = y;
    int clip = -1;
    if (const auto bounds = BoundsOf(graph_, At(maker))) {
      result.bounds = *bounds;
      clip = maker;
      maker = OnlyMaker(At(clip).inputs[0]);
      if (maker < 0) return;
    }
    const Node binary = At(maker);
    if (binary.op != "Add" && binary.op != "Mul") return;
    auto a = links_.Dequantized(binary.inputs[0]), b = links_.Dequantized(binary.inputs[1]);
    if (!a || !b) return;
    if (!Fits(a->id, b->id)) std::swap(a, b);
    if (!Fits(a->id, b->id)) return;
    Node node;
    node.op = "QBinary";
    node.name = binary.name;
    SetResult(result, 0, node);
    const double scale = static_cast<double>(y->scale);
    const double by_a = static_cast<double>(a->quantization.scale) / scale;
    const double by_b = static_cast<double>(b->quantization.scale);
    const bool multiplies = binary.op == "Mul";
    node.attributes["function"] = binary.op;
    node.attributes["a_zero"] = static_cast<float>(a->quantization.zero);
    node.attributes["b_zero"] = static_cast<float>(b->quantization.zero);
    const auto a_factor = static_cast<float>(multiplies ? by_a * by_b : by_a);
    const auto b_factor = static_cast<float>(multiplies ? 1.0 : by_b / scale);
    if (!std::isfinite(a_factor) || !std::isfinite(b_factor)) return;
    node.attributes["a_factor"] = a_factor;
    node.attributes["b_factor"] = b_factor;
    node.inputs = {a->id, b->id};
    node.outputs = At(quantize).outputs;
    graph_.nodes[static_cast<size_t>(quantize)] = std::move(node);
    gone_[static_cast<size_t>(maker)] = true;
    if (clip >= 0) gone_[static_cast<size_t>(clip)] = true;
    ++fused_;
  }

  Graph& graph_;
  const Links links_;
  std::vector<bool> gone_;
  int fused_ = 0;
};

}  // namespace

Result<int> FuseBinary(Graph& graph) {
  return FuseBinaryPass(graph).Run();
}

}  // namespace ferry::passes
