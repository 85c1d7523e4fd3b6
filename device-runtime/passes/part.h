// Cuts a graph into parts that can be planned: where a type depends on a value that only the run
// can tell, or an operator runs on values as they come, one part ends.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/ops/node_context.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {

// What is known of the values of a graph at one moment of a run, by id: the type of each tensor
// that is there, with its elements where they decide types ("pinned"). Constants need no entry.
using KnownValues = std::vector<std::optional<ops::ValueInfo>>;

// The inputs' types for the given shapes, in the order of graph.inputs. Errors as Specialize.
Result<KnownValues> KnownInputs(const ir::Graph& graph, std::span<const ir::Shape> input_shapes);

struct Part {
  // The nodes [begin, end) with fixed types, expanded, folded and fused. Its inputs are values made
  // before (of the first part: all inputs of the graph that are tensors, in order), its outputs
  // those read after it (of a part that is all of the graph: the graph's outputs, in order).
  ir::Graph graph;
  std::vector<ir::ValueId> inputs, outputs;  // their ids in the whole graph
  size_t end = 0;
  // The value to pin before the node `end` can be planned; kNoValue when it must be evaluated, or
  // there is none.
  ir::ValueId needed = ir::kNoValue;
};

// The longest part that begins at node `begin`; may be empty (end == begin). Errors of shape rules
// name the node.
Result<Part> SpecializePart(const ir::Graph& graph, size_t begin, const KnownValues& known,
                            std::span<const GraphPass> passes = SpecializePasses());

}  // namespace ferry::passes
