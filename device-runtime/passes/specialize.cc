#include <map>

#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

// Checks a given shape against a declared one; free dimensions take the extent, a symbol only one.
Status BindInput(const ir::Value& value, const ir::Shape& shape,
                 std::map<std::string, int64_t>& symbols) {
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

void SetType(ir::Value& value, ir::DType dtype, const ir::Shape& shape) {
  value.dtype = dtype;
  value.dims.emplace();
  for (int64_t extent : shape.dims()) value.dims->push_back({extent, ""});
}

// Types of a node's outputs; true when all its outputs became constants and the node may go.
Result<bool> InferNode(ir::Graph& graph, const ir::Node& node, FoldAllowance& allowance) {
  const ops::Op* op = ops::FindOp(node.op);
  std::vector<ops::ValueInfo> infos(node.inputs.size());
  std::vector<const ops::ValueInfo*> pointers(node.inputs.size(), nullptr);
  std::vector<const tensor::Tensor*> constants(node.inputs.size(), nullptr);
  bool all_constant = true;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == ir::kNoValue) continue;
    const ir::Value& value = graph.values[node.inputs[i]];
    infos[i] = InfoOf(value);
    pointers[i] = &infos[i];
    if (value.constant) {
      constants[i] = &*value.constant;
    } else {
      all_constant = false;
    }
  }
  ops::InferContext context(node, pointers, node.outputs.size());
  FERRY_TRY(ops::Infer(*op, context));
  bool known = true;
  int64_t bytes = 0;
  for (const ops::ValueInfo& info : context.outputs) {
    known = known && info.constant.has_value();
    bytes += info.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(info.dtype));
  }
  std::vector<tensor::Tensor> results;
  if (!known && all_constant && allowance.Take(bytes)) {
    FERRY_ASSIGN_OR_RETURN(results, ops::RunReference(*op, node, constants));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == ir::kNoValue) continue;
    ir::Value& value = graph.values[node.outputs[i]];
    SetType(value, context.outputs[i].dtype, context.outputs[i].shape);
    if (known) value.constant = context.outputs[i].constant;
    if (!results.empty()) value.constant = results[i];
  }
  return known || !results.empty();
}

}  // namespace

ops::ValueInfo InfoOf(const ir::Value& value) {
  return {value.dtype.value_or(ir::DType::kF32), value.FixedShape().value_or(ir::Shape()),
          value.constant};
}

Result<Graph> Specialize(const Graph& graph, std::span<const ir::Shape> input_shapes) {
  Graph fixed = graph;
  if (input_shapes.size() != graph.inputs.size()) {
    return Status::Of(Code::kShapeMismatch, "{} input shapes for {} inputs", input_shapes.size(),
                      graph.inputs.size());
  }
  std::map<std::string, int64_t> symbols;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    ir::Value& value = fixed.values[graph.inputs[i]];
    FERRY_TRY(BindInput(value, input_shapes[i], symbols));
    SetType(value, *value.dtype, input_shapes[i]);
  }
  FoldAllowance allowance(fixed);
  std::vector<ir::Node> kept;
  for (ir::Node& node : fixed.nodes) {
    FERRY_ASSIGN_OR_RETURN(bool is_constant, InferNode(fixed, node, allowance));
    if (!is_constant) kept.push_back(std::move(node));
  }
  fixed.nodes = std::move(kept);
  FERRY_TRY(RunPasses(fixed, SpecializePasses()));
  return fixed;
}

}  // namespace ferry::passes
