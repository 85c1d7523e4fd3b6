#include <algorithm>

#include <fmt/ranges.h>

#include "common/base/nearest.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/tensor/alignment.h"

namespace ferry::ops {

#define FERRY_OP(name) extern const Op k##name##Op;
#include "device-runtime/ops/defs/list.inc"
#undef FERRY_OP

// The families whose members are rows of a table.
std::span<const Op> UnaryOps();
std::span<const Op> BinaryOps();
std::span<const Op> ReduceOps();

namespace {

std::vector<const Op*> Sorted() {
  std::vector<const Op*> ops = {
#define FERRY_OP(name) &k##name##Op,
#include "device-runtime/ops/defs/list.inc"
#undef FERRY_OP
  };
  for (auto family : {UnaryOps(), BinaryOps(), ReduceOps()}) {
    for (const Op& op : family) ops.push_back(&op);
  }
  std::ranges::sort(ops, {}, &Op::name);
  return ops;
}

}  // namespace

std::span<const Op* const> AllOps() {
  static const std::vector<const Op*>& ops = *new std::vector<const Op*>(Sorted());
  return ops;
}

const Op* FindOp(std::string_view name) {
  auto ops = AllOps();
  auto it = std::ranges::lower_bound(ops, name, {}, &Op::name);
  return it != ops.end() && (*it)->name == name ? *it : nullptr;
}

Status CheckNode(const Node& node) {
  const Op* op = FindOp(node.op);
  if (op == nullptr) {
    return Status::Of(Code::kUnsupportedOperator, "{}: no operator '{}'", ir::NodeText(node),
                      node.op);
  }
  auto bad = [&](const char* what, size_t count, int low, int high) {
    return Status::Of(Code::kBadModel, "{} has {} {} instead of {} to {}", ir::NodeText(node),
                      count, what, low, high);
  };
  const int inputs = node.formal_inputs();
  const int outputs = static_cast<int>(node.outputs.size());
  if (inputs < op->min_inputs || inputs > op->max_inputs) {
    return bad("inputs", static_cast<size_t>(inputs), op->min_inputs, op->max_inputs);
  }
  if (outputs < op->min_outputs || outputs > op->max_outputs) {
    return bad("outputs", node.outputs.size(), op->min_outputs, op->max_outputs);
  }
  for (int i = 0; i < op->min_inputs; ++i) {
    if (node.inputs[static_cast<size_t>(i)] == ir::kNoValue) {
      return Status::Of(Code::kBadModel, "{} lacks input {}", ir::NodeText(node), i);
    }
  }
  for (int i = 0; i < op->min_outputs && op->max_outputs != kAnyCount; ++i) {
    if (node.outputs[static_cast<size_t>(i)] == ir::kNoValue) {
      return Status::Of(Code::kBadModel, "{} lacks output {}", ir::NodeText(node), i);
    }
  }
  return OkStatus();
}

namespace {

// Nodes that lack the same operator.
struct Unknown {
  std::string_view op, first_node;
  int version = 0, nodes = 0;
};

// Operators that nodes lack, in the order of their first nodes; the first error of another kind.
void CheckAll(const ir::Graph& graph, std::vector<Unknown>& unknown, Status& other) {
  for (const Node& node : graph.nodes) {
    if (FindOp(node.op) == nullptr) {
      auto at = std::ranges::find_if(unknown, [&](const Unknown& one) {
        return one.op == node.op && one.version == node.version;
      });
      if (at == unknown.end()) at = unknown.insert(at, {node.op, node.name, node.version, 0});
      ++at->nodes;
    } else if (other.ok()) {
      other = CheckNode(node);
    }
    for (const auto& [key, attribute] : node.attributes) {
      const auto* body = std::get_if<ir::Subgraph>(&attribute);
      if (body != nullptr) CheckAll(**body, unknown, other);
    }
  }
}

std::string UnknownText(const Unknown& unknown) {
  std::vector<std::string> names;
  for (const Op* op : AllOps()) names.emplace_back(op->name);
  const auto near = NearName(unknown.op, names);
  return fmt::format(
      "no operator '{}' ({} '{}'{}){}", unknown.op,
      unknown.nodes == 1 ? "node" : fmt::format("{} nodes, the first", unknown.nodes),
      unknown.first_node, unknown.version > 0 ? fmt::format(", opset {}", unknown.version) : "",
      near ? fmt::format(", perhaps '{}'", *near) : "");
}

}  // namespace

Status CheckNodes(const ir::Graph& graph) {
  constexpr size_t kMostNamed = 50;
  std::vector<Unknown> unknown;
  Status other;
  CheckAll(graph, unknown, other);
  if (unknown.empty()) return other;
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(unknown.size(), kMostNamed); ++i) {
    texts.push_back(UnknownText(unknown[i]));
  }
  return Status::Of(Code::kUnsupportedOperator, "{}{}; `ferry ops` lists the operators",
                    fmt::join(texts, ", "), unknown.size() > kMostNamed ? ", ..." : "");
}

Status Infer(const Op& op, InferContext& context) {
  return op.infer(context).Context("{}", ir::NodeName{context.node()});
}

Result<std::vector<Tensor>> RunReference(const Op& op, const Node& node,
                                         std::span<const Tensor* const> inputs,
                                         std::shared_ptr<tensor::MemoryBudget> budget) {
  std::vector<ValueInfo> infos(inputs.size());
  std::vector<const ValueInfo*> pointers(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    infos[i] = {inputs[i]->dtype(), inputs[i]->shape(), *inputs[i]};
    pointers[i] = &infos[i];
  }
  InferContext inferred(node, pointers, node.outputs.size());
  FERRY_TRY(Infer(op, inferred));
  std::vector<Tensor> outputs, copies;
  std::vector<const Tensor*> readable(inputs.begin(), inputs.end());
  copies.reserve(inputs.size());
  for (const Tensor*& input : readable) {
    if (input == nullptr || tensor::IsAligned(*input)) continue;
    FERRY_ASSIGN_OR_RETURN(Tensor copy, input->Clone(budget));
    input = &copies.emplace_back(std::move(copy));
  }
  bool has_texts = false;
  for (const ValueInfo& info : inferred.outputs) {
    has_texts = has_texts || info.dtype == DType::kString;
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, info.dtype == DType::kString
                                              ? Tensor::Zeros(info.dtype, info.shape, budget)
                                              : Tensor::Allocate(info.dtype, info.shape, budget));
    outputs.push_back(std::move(tensor));
  }
  auto strings = std::make_shared<tensor::StringPool>();
  ReferenceContext context(node, pointers, readable, outputs, *strings);
  FERRY_TRY(op.reference(context).Context("{}", ir::NodeName{node}));
  if (!has_texts) return outputs;
  // Texts come from the pool, or are those of inputs, which may go: the outputs own theirs.
  for (Tensor& tensor : outputs) {
    FERRY_ASSIGN_OR_RETURN(tensor, tensor.Clone(budget));
  }
  return outputs;
}

}  // namespace ferry::ops
