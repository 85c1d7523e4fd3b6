// A function of one quantized tensor, quantized again, is a table of 256 entries; the same
// quantization twice is nothing.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/quantized/pattern.h"

namespace ferry::passes {
namespace {

using ir::Node;
using ir::Tensor;
using ir::ValueId;

// Element-wise functions of one tensor, or of one and single numbers.
bool IsFunction(const Node& node) {
  static constexpr std::array<std::string_view, 36> kNames = {
      "Abs",  "Add",     "Atan",  "Ceil", "Celu",        "Clip",      "Cos",        "Div",  "Elu",
      "Erf",  "Exp",     "Floor", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu",  "Log",  "Max",
      "Min",  "Mish",    "Mul",   "Neg",  "PRelu",       "Pow",       "Reciprocal", "Relu", "Round",
      "Selu", "Sigmoid", "Silu",  "Sin",  "Softplus",    "Softsign",  "Sqrt",       "Sub",  "Tanh"};
  return node.outputs.size() == 1 && std::ranges::binary_search(kNames, std::string_view(node.op));
}

class Tables {
 public:
  explicit Tables(Graph& graph) : graph_(graph), links_(graph), gone_(graph.nodes.size(), false) {}

  Result<int> Run() {
    for (size_t i = 0; i < gone_.size(); ++i) {
      if (graph_.nodes[i].op != "QuantizeLinear") continue;
      FERRY_TRY(OneNode(static_cast<int>(i)));
      if (graph_.nodes[i].op == "QuantizeLinear" && !gone_[i]) QuantizeInput(graph_.nodes[i]);
    }
    KeepNodes(graph_, gone_);
    for (Node& node : graph_.nodes) {
      for (ValueId& id : node.inputs) {
        for (auto it = same_.find(id); it != same_.end(); it = same_.find(id)) id = it->second;
      }
    }
    return fused_;
  }

 private:
  const Node& At(int i) const { return graph_.nodes[static_cast<size_t>(i)]; }

  // The input of a function that is no single number; -1 when there is not exactly one.
  int VaryingInput(const Node& node) const {
    int varying = -1;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == ir::kNoValue) continue;
      if (graph_.IsConstant(id) && graph_.values[id].constant->elements() == 1) continue;
      if (varying >= 0) return -1;
      varying = static_cast<int>(i);
    }
    return varying;
  }

  // An input of the graph is quantized by a kernel of its own: no map is there to take it in.
  void QuantizeInput(Node& node) {
    const auto y = QuantizationOf(graph_, node);
    if (!y || std::ranges::find(graph_.inputs, node.inputs[0]) == graph_.inputs.end()) return;
    node.op = "QQuantize";
    node.inputs.resize(1);
    node.attributes = {
        {"scale", y->scale}, {"y_zero", int64_t{y->zero}}, {"y_type", ops::OnnxOfDType(y->dtype)}};
    ++fused_;
  }

  // QuantizeLinear at `last`: the functions back to a DequantizeLinear.
  Status OneNode(int last) {
    const auto y = QuantizationOf(graph_, At(last));
    if (!y) return OkStatus();
    std::vector<int> chain;
    ValueId id = At(last).inputs[0];
    auto source = links_.Dequantized(id);
    while (!source) {
      const int maker = links_.Maker(id);
      if (maker < 0 || !links_.IsReadOnce(id) || !IsFunction(At(maker))) return OkStatus();
      const int input = VaryingInput(At(maker));
      if (input < 0) return OkStatus();
      chain.push_back(maker);
      id = At(maker).inputs[static_cast<size_t>(input)];
      source = links_.Dequantized(id);
    }
    const auto from = graph_.values[source->id].FixedShape();
    const auto to = graph_.values[At(last).outputs[0]].FixedShape();
    if (!from || from != to) return OkStatus();
    if (chain.empty() && source->quantization == *y) return Same(last, source->id);
    chain.push_back(links_.Maker(id));
    std::ranges::reverse(chain);
    chain.push_back(last);
    return Tabulate(chain, *source);
  }

  Status Same(int last, ValueId source) {
    const ValueId out = At(last).outputs[0];
    if (std::ranges::find(graph_.outputs, out) != graph_.outputs.end()) return OkStatus();
    same_[out] = source;
    gone_[static_cast<size_t>(last)] = true;
    ++fused_;
    return OkStatus();
  }

  // Runs the chain on all 256 elements.
  Status Tabulate(const std::vector<int>& chain, const Links::Source& source) {
    FERRY_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(source.quantization.dtype, {256}));
    for (int i = 0; i < 256; ++i) t.mutable_raw()[i] = static_cast<uint8_t>(i);
    ValueId id = source.id;
    for (int at : chain) {
      const Node& node = At(at);
      std::vector<const Tensor*> inputs;
      for (ValueId in : node.inputs) {
        inputs.push_back(in == ir::kNoValue ? nullptr
                         : in == id         ? &t
                                            : &*graph_.values[in].constant);
      }
      const ops::Op* op = ops::FindOp(node.op);
      if (op == nullptr || op->reference == nullptr || op->infer == nullptr) return OkStatus();
      FERRY_ASSIGN_OR_RETURN(auto outputs, ops::RunReference(*op, node, inputs));
      t = std::move(outputs[0]);
      id = node.outputs[0];
    }
    if (t.elements() != 256) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(t, t.Reshaped({256}));
    Node table;
    table.op = "ByteTable";
    table.name = At(chain.back()).name;
    table.inputs = {source.id, AddConstant(graph_, 't', std::move(t))};
    table.outputs = At(chain.back()).outputs;
    graph_.nodes[static_cast<size_t>(chain.back())] = std::move(table);
    for (size_t i = 1; i + 1 < chain.size(); ++i) gone_[static_cast<size_t>(chain[i])] = true;
    ++fused_;
    return OkStatus();
  }

  Graph& graph_;
  const Links links_;
  std::vector<bool> gone_;
  std::map<ValueId, ValueId> same_;
  int fused_ = 0;
};

}  // namespace

Result<int> FuseByteTables(Graph& graph) {
  return Tables(graph).Run();
}

}  // namespace ferry::passes
