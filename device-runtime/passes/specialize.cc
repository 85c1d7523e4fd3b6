#include <map>

#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"
#include "device-runtime/passes/part.h"

namespace ferry::passes {
namespace {

// Checks a given shape against a declared one; free dimensions take the extent, a symbol only one.
Status BindInput(const ir::Value& value, const ir::Shape& shape,
                 std::map<std::string, int64_t>& symbols) {
  if (!value.dims) return OkStatus();  // any rank
  const std::vector<ir::Dim>& dims = *value.dims;
  if (static_cast<int>(dims.size()) != shape.rank()) {
    return Status::Of(Code::kShapeMismatch, "input '{}' has rank {}, {} is given", value.name,
                      dims.size(), shape.ToString());
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const ir::Dim& dim = dims[static_cast<size_t>(axis)];
    int64_t expected = dim.extent;
    if (expected < 0 && !dim.symbol.empty()) {
      expected = symbols.try_emplace(dim.symbol, shape[axis]).first->second;
    }
    if (expected >= 0 && expected != shape[axis]) {
      return Status::Of(Code::kShapeMismatch, "input '{}': axis {} must be {}, {} is given",
                        value.name, axis, expected, shape.ToString());
    }
  }
  return OkStatus();
}

}  // namespace

ops::ValueInfo InfoOf(const ir::Value& value) {
  return {value.dtype.value_or(ir::DType::kF32), value.FixedShape().value_or(ir::Shape()),
          value.constant};
}

Result<KnownValues> KnownInputs(const Graph& graph, std::span<const ir::Shape> input_shapes) {
  if (input_shapes.size() != graph.inputs.size()) {
    return Status::Of(Code::kShapeMismatch, "{} input shapes for {} inputs", input_shapes.size(),
                      graph.inputs.size());
  }
  KnownValues known(graph.values.size());
  std::map<std::string, int64_t> symbols;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ir::Value& value = graph.values[graph.inputs[i]];
    FERRY_TRY(BindInput(value, input_shapes[i], symbols));
    known[graph.inputs[i]] = {*value.dtype, input_shapes[i], std::nullopt};
  }
  return known;
}

Result<Graph> Specialize(const Graph& graph, std::span<const ir::Shape> input_shapes,
                         std::span<const GraphPass> passes) {
  FERRY_ASSIGN_OR_RETURN(KnownValues known, KnownInputs(graph, input_shapes));
  FERRY_ASSIGN_OR_RETURN(Part part, SpecializePart(graph, 0, known, passes));
  if (part.end < graph.nodes.size()) {
    return Status::Of(Code::kUnsupported, "{} depends on values of the run",
                      ir::NodeText(graph.nodes[part.end]));
  }
  return std::move(part.graph);
}

}  // namespace ferry::passes
