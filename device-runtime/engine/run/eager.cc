#include "device-runtime/engine/run/eager.h"

#include <algorithm>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::engine {
namespace {

using tensor::Tensor;
using tensor::Value;

// What a node's context sees of its inputs: types and elements of those that are tensors.
struct Typed {
  explicit Typed(std::span<const Value* const> inputs)
      : infos(inputs.size()), pointers(inputs.size(), nullptr), tensors(inputs.size(), nullptr) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == nullptr) continue;
      if (!inputs[i]->IsTensor()) {
        all_tensors = false;
        continue;
      }
      tensors[i] = &inputs[i]->tensor();
      infos[i] = {tensors[i]->dtype(), tensors[i]->shape(), *tensors[i]};
      pointers[i] = &infos[i];
    }
  }
  std::vector<ops::ValueInfo> infos;
  std::vector<const ops::ValueInfo*> pointers;
  std::vector<const Tensor*> tensors;
  bool all_tensors = true;
};

Result<std::vector<Value>> RunExpanded(const ops::Op& op, const ir::Node& node, const Typed& typed,
                                       std::span<const Value* const> inputs,
                                       ops::BodyRunner& bodies,
                                       const std::shared_ptr<tensor::MemoryBudget>& budget) {
  FERRY_ASSIGN_OR_RETURN(ir::Graph piece, ops::Expand(op, node, typed.pointers));
  std::vector<Value> given;
  for (const Value* input : inputs) {
    if (input != nullptr) given.push_back(*input);
  }
  return RunEager(piece, std::move(given), bodies, budget);
}

// Texts that an operator moved are those of its inputs, which may go: string tensors that are not
// inputs themselves get texts of their own.
Status OwnTexts(std::span<const Value* const> inputs, std::vector<Value>& outputs,
                const std::shared_ptr<tensor::MemoryBudget>& budget) {
  for (Value& output : outputs) {
    if (!output.IsTensor() || output.tensor().dtype() != tensor::DType::kString) continue;
    const bool is_input = std::ranges::any_of(inputs, [&](const Value* input) {
      return input != nullptr && input->IsTensor() && input->tensor().is_owned() &&
             input->tensor().raw() == output.tensor().raw();
    });
    if (is_input) continue;
    FERRY_ASSIGN_OR_RETURN(output, CloneValue(output, budget));
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<Value>> RunNode(const ir::Node& node, std::span<const Value* const> inputs,
                                   ops::BodyRunner& bodies,
                                   const std::shared_ptr<tensor::MemoryBudget>& budget) {
  const ops::Op* op = ops::FindOp(node.op);
  if (op == nullptr) {
    return Status::Of(Code::kUnsupportedOperator, "{}: no operator '{}'", ir::NodeText(node),
                      node.op);
  }
  const Typed typed(inputs);
  const bool planned = op->infer != nullptr && op->reference != nullptr;
  if (op->evaluate != nullptr && (!typed.all_tensors || (!planned && op->expand == nullptr))) {
    ops::EvaluateContext context(node, typed.pointers, inputs, bodies, budget);
    FERRY_TRY(op->evaluate(context).Context("{}", ir::NodeName{node}));
    FERRY_TRY(OwnTexts(inputs, context.outputs(), budget));
    return std::move(context.outputs());
  }
  if (!typed.all_tensors) {
    return Status::Of(Code::kShapeMismatch, "{} takes tensors only", ir::NodeText(node));
  }
  if (!planned) return RunExpanded(*op, node, typed, inputs, bodies, budget);
  FERRY_ASSIGN_OR_RETURN(auto tensors, ops::RunReference(*op, node, typed.tensors, budget));
  std::vector<Value> outputs;
  for (Tensor& tensor : tensors) outputs.emplace_back(std::move(tensor));
  return outputs;
}

Result<std::vector<Value>> RunEager(const ir::Graph& graph, std::vector<Value> inputs,
                                    ops::BodyRunner& bodies,
                                    const std::shared_ptr<tensor::MemoryBudget>& budget) {
  if (inputs.size() != graph.inputs.size()) {
    return Status::Of(Code::kInvalidArgument, "{} inputs for {}", inputs.size(),
                      graph.inputs.size());
  }
  std::vector<Value> values(graph.values.size());
  for (size_t id = 0; id < values.size(); ++id) {
    if (graph.values[id].constant) values[id] = Value(*graph.values[id].constant);
  }
  for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs[i]] = std::move(inputs[i]);
  std::vector<int> uses = graph.UseCounts();
  for (const ir::Node& node : graph.nodes) {
    std::vector<const Value*> in;
    for (ir::ValueId id : node.inputs) in.push_back(id == ir::kNoValue ? nullptr : &values[id]);
    FERRY_ASSIGN_OR_RETURN(std::vector<Value> out, RunNode(node, in, bodies, budget));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != ir::kNoValue) values[node.outputs[i]] = std::move(out[i]);
    }
    for (ir::ValueId id : node.inputs) {
      if (id != ir::kNoValue && --uses[id] == 0) values[id] = Value();
    }
  }
  std::vector<Value> outputs;
  for (ir::ValueId id : graph.outputs) {
    outputs.push_back(id == ir::kNoValue ? Value() : values[id]);
  }
  return outputs;
}

}  // namespace ferry::engine
