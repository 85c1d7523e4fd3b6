#include "device-runtime/engine/run/kernel_folder.h"

#include <algorithm>

#include "device-runtime/engine/plan.h"
#include "device-runtime/passes/part.h"
#include "device-runtime/tensor/alignment.h"

namespace ferry::engine {

using ir::kNoValue;
using ir::ValueId;

namespace {

// Shorter ones may decide shapes, and are constants of the node's graph.
constexpr int64_t kDecidingBytes = 256;

// A graph of one node: long operands are its inputs, in order, so that nobody folds it again.
struct OneNode {
  ir::Graph graph;
  std::vector<const Tensor*> given;
};

OneNode GraphOf(const ir::Node& node, std::span<const Tensor* const> inputs) {
  OneNode one;
  ir::Node mine = node;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    const std::string name = fmt::format("i{}", i);
    if (inputs[i]->size_bytes() <= kDecidingBytes) {
      mine.inputs[i] = one.graph.AddConstant(name, *inputs[i]);
      continue;
    }
    mine.inputs[i] = one.graph.AddValue(name);
    ir::Value& value = one.graph.values[static_cast<size_t>(mine.inputs[i])];
    value.dtype = inputs[i]->dtype();
    value.dims.emplace();
    for (int64_t extent : inputs[i]->shape().dims()) value.dims->push_back({extent, ""});
    one.graph.inputs.push_back(mine.inputs[i]);
    one.given.push_back(inputs[i]);
  }
  for (size_t k = 0; k < mine.outputs.size(); ++k) {
    if (mine.outputs[k] == kNoValue) continue;
    mine.outputs[k] = one.graph.AddValue(fmt::format("o{}", k));
    one.graph.outputs.push_back(mine.outputs[k]);
  }
  one.graph.nodes.push_back(std::move(mine));
  return one;
}

Result<std::vector<Tensor>> RunOne(const OneNode& one, const backends::CpuDevice& device) {
  std::vector<Shape> shapes;
  for (const Tensor* tensor : one.given) shapes.push_back(tensor->shape());
  FERRY_ASSIGN_OR_RETURN(const ir::Graph graph, passes::Specialize(one.graph, shapes));
  const Model::State no_model;
  PlanSettings exact;
  exact.error_bound = 0;
  FERRY_ASSIGN_OR_RETURN(
      auto plan, MakePlan(graph, no_model, device, std::make_shared<Arena>(nullptr), exact));
  tensor::StringPool strings;
  FERRY_TRY(RunPlan(*plan, one.given, *exact.parallel, strings));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < one.graph.outputs.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Tensor own, PlanOutput(*plan, i).Clone());
    outputs.push_back(std::move(own));
  }
  return outputs;
}

}  // namespace

Result<std::vector<Tensor>> KernelFolder::Run(const ops::Op& op, const ir::Node& node,
                                              std::span<const Tensor* const> inputs) const {
  int64_t bytes = 0;
  bool is_plain = op.lower != nullptr && std::ranges::count(node.outputs, kNoValue) == 0;
  for (const Tensor* input : inputs) {
    if (input == nullptr) continue;
    bytes += input->size_bytes();
    is_plain = is_plain && input->dtype() != DType::kString && tensor::IsAligned(*input);
  }
  const passes::FoldScope plain(nullptr);
  if (is_plain && bytes >= kFoldedByReference) {
    const OneNode one = GraphOf(node, inputs);
    // What no plan covers the reference says better, errors too.
    if (!one.given.empty()) {
      auto outputs = RunOne(one, device_);
      if (outputs.ok()) return outputs;
    }
  }
  return ops::RunReference(op, node, inputs);
}

}  // namespace ferry::engine
