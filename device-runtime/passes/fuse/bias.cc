#include <algorithm>

#include "device-runtime/passes/fuse/match.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

using ir::kNoValue;
using ir::ValueId;

// The columns of a product that has no bias yet; 0 when it cannot take one.
int64_t ColumnsOf(const Graph& graph, const Matcher& match, const ir::Node& node) {
  if (node.HasInput(2) || node.HasInput(3) || node.attributes.contains("activation")) return 0;
  if (node.op == "StoredMatMul") {
    const auto scale = match.ShapeOf(node.inputs[4]);
    return scale && scale->rank() == 2 ? (*scale)[1] : 0;
  }
  if (node.op != "MatMul" && node.op != "Gemm") return 0;
  // Weights that are stored in fewer bits are no constants: their products are made by others.
  if (!graph.IsConstant(node.inputs[1])) return 0;
  const auto right = match.ShapeOf(node.inputs[1]);
  if (!right || right->rank() < 2 || !match.IsF32(node.inputs[1])) return 0;
  const int64_t* transposed = node.Find<int64_t>("transB");
  return (*right)[right->rank() - (transposed != nullptr && *transposed != 0 ? 2 : 1)];
}

// Whether a constant of f32 has one number for each of `columns`, and cannot add axes to the sum.
bool IsBias(const Graph& graph, ValueId id, int64_t columns) {
  if (!graph.IsConstant(id)) return false;
  const tensor::Tensor& t = *graph.values[static_cast<size_t>(id)].constant;
  return t.dtype() == ir::DType::kF32 && t.shape().rank() == 1 && t.elements() == columns;
}

}  // namespace

Result<int> FuseBias(Graph& graph) {
  const Matcher match(graph);
  std::vector<bool> gone(graph.nodes.size(), false);
  int fused = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& add = graph.nodes[i];
    if (add.op != "Add" || add.inputs.size() != 2) continue;
    for (size_t side = 0; side < 2; ++side) {
      const int maker = match.MakerIndex(add.inputs[side]);
      if (maker < 0 || !match.IsReadOnce(add.inputs[side])) continue;
      ir::Node& product = graph.nodes[static_cast<size_t>(maker)];
      const int64_t columns = ColumnsOf(graph, match, product);
      if (columns == 0 || !IsBias(graph, add.inputs[1 - side], columns)) continue;
      if (product.inputs.size() < 3) product.inputs.resize(3, kNoValue);
      product.inputs[2] = add.inputs[1 - side];
      if (product.op == "Gemm") product.attributes["beta"] = 1.0f;
      product.outputs = add.outputs;
      gone[i] = true;
      ++fused;
      break;
    }
  }
  KeepNodes(graph, gone);
  return fused;
}

}  // namespace ferry::passes
