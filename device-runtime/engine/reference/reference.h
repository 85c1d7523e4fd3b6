// The naive path: an imported graph, not lowered and not optimised, operator by operator by the
// operators' own references. Slow; the truth that the engine is tested against.
#pragma once

#include <span>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/tensor/value.h"

namespace ferry::engine {

// `inputs` by name, each of the graph's once; the outputs in the graph's order. Errors name the
// node.
Result<std::vector<tensor::NamedValue>> RunReference(const ir::Graph& graph,
                                                     std::span<const tensor::NamedValue> inputs);
// The same where all inputs and outputs are tensors; kShapeMismatch names an output that is none.
Result<std::vector<tensor::NamedTensor>> RunReference(const ir::Graph& graph,
                                                      std::span<const tensor::NamedTensor> inputs);

}  // namespace ferry::engine
