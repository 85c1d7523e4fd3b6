// Nodes that only move elements (and the largest of a window) give the same on quantized elements:
// DequantizeLinear goes behind them, QuantizeLinear before them, until the two meet or reach
// arithmetic.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/pattern.h"

namespace ferry::passes {
namespace {

using ir::Node;
using ir::ValueId;

bool IsPlainMaxPool(const Node& node) {
  return node.op == "MaxPool" && node.outputs.size() == 1;
}

// Movers of their first input; the others say how.
bool TakesDequantize(const Node& node) {
  static constexpr std::array<std::string_view, 11> kMovers = {
      "DepthToSpace", "Expand", "Flatten", "Gather", "Reshape",  "Slice",
      "SpaceToDepth", "Split",  "Squeeze", "Tile",   "Transpose"};
  return std::ranges::binary_search(kMovers, std::string_view(node.op)) || node.op == "Unsqueeze" ||
         IsPlainMaxPool(node);
}

// Those that would not make quantizing dearer.
bool TakesQuantize(const Node& node) {
  return node.outputs.size() == 1 && TakesDequantize(node) && node.op != "Slice" &&
         node.op != "Gather" && node.op != "Split";
}

class Mover {
 public:
  explicit Mover(Graph& graph) : graph_(graph) {}

  int Run() {
    Up();
    Down();
    return moved_;
  }

 private:
  ir::Shape ShapeOf(ValueId id) const {
    return graph_.values[id].FixedShape().value_or(ir::Shape());
  }

  // Pools of three axes have no kernel for bytes.
  bool IsDeep(const Node& node) const {
    return node.op == "MaxPool" && ShapeOf(node.inputs[0]).rank() > 4;
  }

  Node Like(const Node& node, ValueId from, ValueId to) const {
    Node copy = node;
    copy.inputs[0] = from;
    copy.outputs = {to};
    return copy;
  }

  // From the last node to the first, so that one sweep takes a QuantizeLinear all the way.
  void Up() {
    const Links links(graph_);
    std::vector<std::vector<Node>> slots(graph_.nodes.size());
    for (size_t i = graph_.nodes.size(); i-- > 0;) {
      std::vector<Node> mine = std::move(slots[i]);
      if (mine.empty()) mine.push_back(graph_.nodes[i]);
      slots[i].clear();
      for (Node& node : mine) {
        if (!RaiseOne(links, node, slots)) slots[i].push_back(std::move(node));
      }
    }
    graph_.nodes.clear();
    for (auto& slot : slots) {
      for (Node& node : slot) graph_.nodes.push_back(std::move(node));
    }
  }

  // Q(mover(x)) to mover(Q(x)): the nodes go where the mover stood, which is visited later. (What
  // reads the result stands behind both.)
  bool RaiseOne(const Links& links, const Node& node, std::vector<std::vector<Node>>& slots) {
    if (node.op != "QuantizeLinear") return false;
    const auto q = QuantizationOf(graph_, node);
    const ValueId between = node.inputs[0];
    if (!q || !links.IsReadOnce(between)) return false;
    const int at = links.Maker(between);
    if (at < 0) return false;
    const Node mover = graph_.nodes[static_cast<size_t>(at)];
    const bool joins = mover.op == "Concat";
    if ((!joins && !TakesQuantize(mover)) || IsDeep(mover)) return false;
    if (graph_.values[between].dtype != ir::DType::kF32) return false;
    std::vector<Node>& slot = slots[static_cast<size_t>(at)];
    Node moved = mover;
    moved.outputs = node.outputs;
    for (size_t i = 0; i < (joins ? mover.inputs.size() : 1); ++i) {
      const ValueId to = AddTyped(graph_, 'm', q->dtype, ShapeOf(mover.inputs[i]));
      slot.push_back(Like(node, mover.inputs[i], to));
      moved.inputs[i] = to;
    }
    slot.push_back(std::move(moved));
    ++moved_;
    return true;
  }

  void Down() {
    std::vector<Node> nodes;
    for (Node& node : graph_.nodes) {
      if (!LowerOne(node, nodes)) {
        if (node.op == "DequantizeLinear" && !graph_.IsConstant(node.inputs[0]) &&
            QuantizationOf(graph_, node)) {
          dequantized_[node.outputs[0]] = node;
        }
        nodes.push_back(std::move(node));
      }
    }
    graph_.nodes = std::move(nodes);
  }

  // mover(DQ(x)) to DQ(mover(x)).
  bool LowerOne(const Node& node, std::vector<Node>& nodes) {
    const bool joins = node.op == "Concat";
    if ((!joins && !TakesDequantize(node)) || IsDeep(node)) return false;
    const auto first = dequantized_.find(node.inputs[0]);
    if (first == dequantized_.end()) return false;
    const Node dequantize = first->second;
    const Quantization q = *QuantizationOf(graph_, dequantize);
    Node moved = node;
    moved.inputs[0] = dequantize.inputs[0];
    for (size_t i = 1; joins && i < node.inputs.size(); ++i) {
      const auto other = dequantized_.find(node.inputs[i]);
      if (other == dequantized_.end() || *QuantizationOf(graph_, other->second) != q) return false;
      moved.inputs[i] = other->second.inputs[0];
    }
    std::vector<Node> behind;
    for (ValueId& out : moved.outputs) {
      if (out == ir::kNoValue) continue;
      const ValueId narrow = AddTyped(graph_, 'm', q.dtype, ShapeOf(out));
      behind.push_back(Like(dequantize, narrow, out));
      out = narrow;
    }
    nodes.push_back(std::move(moved));
    for (Node& d : behind) {
      dequantized_[d.outputs[0]] = d;
      nodes.push_back(std::move(d));
    }
    ++moved_;
    return true;
  }

  Graph& graph_;
  std::map<ValueId, Node> dequantized_;  // what made a value
  int moved_ = 0;
};

}  // namespace

Result<int> MoveQuantization(Graph& graph) {
  return Mover(graph).Run();
}

}  // namespace ferry::passes
