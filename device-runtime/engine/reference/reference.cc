#include "device-runtime/engine/reference/reference.h"

#include <algorithm>

#include "device-runtime/engine/run/eager.h"

namespace ferry::engine {

Result<std::vector<tensor::NamedValue>> RunReference(const ir::Graph& graph,
                                                     std::span<const tensor::NamedValue> inputs) {
  std::vector<tensor::Value> values;
  for (ir::ValueId id : graph.inputs) {
    const std::string& name = graph.values[id].name;
    const auto given = std::ranges::find(inputs, name, &tensor::NamedValue::name);
    if (given == inputs.end()) {
      return Status::Of(Code::kInvalidArgument, "input '{}' is missing", name);
    }
    values.push_back(given->value);
  }
  EagerBodies bodies;
  FERRY_ASSIGN_OR_RETURN(auto results, RunEager(graph, std::move(values), bodies, nullptr));
  std::vector<tensor::NamedValue> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    outputs.push_back({graph.values[graph.outputs[i]].name, std::move(results[i])});
  }
  return outputs;
}

Result<std::vector<tensor::NamedTensor>> RunReference(const ir::Graph& graph,
                                                      std::span<const tensor::NamedTensor> inputs) {
  std::vector<tensor::NamedValue> values;
  for (const tensor::NamedTensor& input : inputs) values.push_back({input.name, input.tensor});
  FERRY_ASSIGN_OR_RETURN(auto results, RunReference(graph, values));
  std::vector<tensor::NamedTensor> outputs;
  for (tensor::NamedValue& result : results) {
    if (!result.value.IsTensor()) {
      return Status::Of(Code::kShapeMismatch, "output '{}' is {}, not a tensor", result.name,
                        result.value.TypeText());
    }
    outputs.push_back({result.name, result.value.tensor()});
  }
  return outputs;
}

}  // namespace ferry::engine
