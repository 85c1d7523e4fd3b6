#include <algorithm>

#include "device-runtime/ops/op.h"

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
  const int inputs = static_cast<int>(node.inputs.size());
  const int outputs = static_cast<int>(node.outputs.size());
  if (inputs < op->min_inputs || inputs > op->max_inputs) {
    return bad("inputs", node.inputs.size(), op->min_inputs, op->max_inputs);
  }
  if (outputs < op->min_outputs || outputs > op->max_outputs) {
    return bad("outputs", node.outputs.size(), op->min_outputs, op->max_outputs);
  }
  for (int i = 0; i < op->min_inputs; ++i) {
    if (node.inputs[static_cast<size_t>(i)] == ir::kNoValue) {
      return Status::Of(Code::kBadModel, "{} lacks input {}", ir::NodeText(node), i);
    }
  }
  return OkStatus();
}

Status CheckNodes(const ir::Graph& graph) {
  for (const Node& node : graph.nodes) FERRY_TRY(CheckNode(node));
  return OkStatus();
}

Status Infer(const Op& op, InferContext& context) {
  return op.infer(context).Context("{}", ir::NodeText(context.node()));
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
  std::vector<Tensor> outputs;
  for (const ValueInfo& info : inferred.outputs) {
    FERRY_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(info.dtype, info.shape, budget));
    outputs.push_back(std::move(tensor));
  }
  ReferenceContext context(node, pointers, inputs, outputs);
  FERRY_TRY(op.reference(context).Context("{}", ir::NodeText(node)));
  return outputs;
}

}  // namespace ferry::ops
