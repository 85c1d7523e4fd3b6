#include "device-runtime/engine/reference/reference.h"

#include <algorithm>
#include <optional>

#include "device-runtime/ops/op.h"

namespace ferry::engine {

Result<std::vector<tensor::NamedTensor>> RunReference(const ir::Graph& graph,
                                                      std::span<const tensor::NamedTensor> inputs) {
  std::vector<std::optional<tensor::Tensor>> values(graph.values.size());
  for (size_t id = 0; id < values.size(); ++id) values[id] = graph.values[id].constant;
  for (ir::ValueId id : graph.inputs) {
    const std::string& name = graph.values[id].name;
    const auto given = std::ranges::find(inputs, name, &tensor::NamedTensor::name);
    if (given == inputs.end()) {
      return Status::Of(Code::kInvalidArgument, "input '{}' is missing", name);
    }
    values[id] = given->tensor;
  }
  std::vector<int> uses = graph.UseCounts();
  for (const ir::Node& node : graph.nodes) {
    const ops::Op* op = ops::FindOp(node.op);
    if (op == nullptr) {
      return Status::Of(Code::kUnsupportedOperator, "{}: no operator '{}'", ir::NodeText(node),
                        node.op);
    }
    std::vector<const tensor::Tensor*> in;
    for (ir::ValueId id : node.inputs) in.push_back(id == ir::kNoValue ? nullptr : &*values[id]);
    FERRY_ASSIGN_OR_RETURN(auto out, ops::RunReference(*op, node, in));
    for (size_t i = 0; i < out.size(); ++i) {
      if (node.outputs[i] != ir::kNoValue) values[node.outputs[i]] = std::move(out[i]);
    }
    for (ir::ValueId id : node.inputs) {  // frees what nobody reads any more
      if (id != ir::kNoValue && --uses[id] == 0) values[id].reset();
    }
  }
  std::vector<tensor::NamedTensor> outputs;
  for (ir::ValueId id : graph.outputs) outputs.push_back({graph.values[id].name, *values[id]});
  return outputs;
}

}  // namespace ferry::engine
