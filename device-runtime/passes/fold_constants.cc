#include <set>

#include "device-runtime/ops/op.h"
#include "device-runtime/passes/fold.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

// The node's inputs when all of them are constants, else empty.
std::vector<const tensor::Tensor*> Constants(const Graph& graph, const ir::Node& node) {
  std::vector<const tensor::Tensor*> inputs;
  for (ir::ValueId id : node.inputs) {
    if (id != ir::kNoValue && !graph.values[id].constant) return {};
    inputs.push_back(id == ir::kNoValue ? nullptr : &*graph.values[id].constant);
  }
  return inputs;
}

Result<int64_t> ResultBytes(const ops::Op& op, const ir::Node& node,
                            std::span<const tensor::Tensor* const> inputs) {
  std::vector<ops::ValueInfo> infos(inputs.size());
  std::vector<const ops::ValueInfo*> pointers(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    infos[i] = {inputs[i]->dtype(), inputs[i]->shape(), *inputs[i]};
    pointers[i] = &infos[i];
  }
  ops::InferContext context(node, pointers, node.outputs.size());
  FERRY_TRY(ops::Infer(op, context));
  int64_t bytes = 0;
  for (const ops::ValueInfo& info : context.outputs) {
    bytes += info.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(info.dtype));
  }
  return bytes;
}

}  // namespace

bool FoldAllowance::Take(int64_t bytes) {
  if (bytes <= kSmallFoldedBytes) return true;
  if (!left_) {
    left_ = kMaxFoldedBytes;
    std::set<const uint8_t*> counted;  // constants may share their bytes
    for (const ir::Value& value : graph_.values) {
      if (!value.constant || value.constant->elements() == 0 ||
          !counted.insert(value.constant->raw()).second) {
        continue;
      }
      *left_ += kFoldedPerConstantByte * value.constant->size_bytes();
    }
  }
  if (bytes > kMaxFoldedBytes || bytes > *left_) return false;
  *left_ -= bytes;
  return true;
}

namespace {

// How weights come back from their stored form: DequantizeLinear, or Cast of a narrow float.
bool GivesStored(const Graph& graph, const ir::Node& node) {
  if (node.inputs.empty() || !graph.IsConstant(node.inputs[0])) return false;
  const tensor::DType stored = graph.values[node.inputs[0]].constant->dtype();
  return node.op == "DequantizeLinear" ||
         (node.op == "Cast" && (stored == tensor::DType::kF16 || stored == tensor::DType::kBF16));
}

}  // namespace

bool WidensWeights(const Graph& graph, const ir::Node& node, int64_t result_bytes) {
  if (!GivesStored(graph, node)) return false;
  const auto& stored = *graph.values[node.inputs[0]].constant;
  if (stored.shape().rank() < 2 && result_bytes <= kSmallFoldedBytes) return false;
  return stored.size_bytes() < result_bytes;
}

namespace {

// Folds what `wanted` says.
template <typename Wanted>
Result<int> FoldWanted(Graph& graph, const Wanted& wanted) {
  int folded = 0;
  std::vector<ir::Node> kept;
  for (ir::Node& node : graph.nodes) {
    const auto inputs = Constants(graph, node);
    const ops::Op* op = ops::FindOp(node.op);
    if (inputs.empty() || op->infer == nullptr || !op->is_pure) {
      kept.push_back(std::move(node));
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(int64_t bytes, ResultBytes(*op, node, inputs));
    if (!wanted(node, bytes)) {
      kept.push_back(std::move(node));
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(auto outputs, passes::Fold(*op, node, inputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (node.outputs[i] == ir::kNoValue) continue;
      ir::Value& value = graph.values[node.outputs[i]];
      value.dtype = outputs[i].dtype();
      value.dims.emplace();
      for (int64_t extent : outputs[i].shape().dims()) value.dims->push_back({extent, ""});
      value.constant = std::move(outputs[i]);
    }
    ++folded;
  }
  graph.nodes = std::move(kept);
  return folded;
}

}  // namespace

Result<int> FoldConstants(Graph& graph) {
  FoldAllowance allowance(graph);
  return FoldWanted(graph, [&](const ir::Node& node, int64_t bytes) {
    return !WidensWeights(graph, node, bytes) && allowance.Take(bytes);
  });
}

Result<int> FoldDequantized(Graph& graph) {
  return FoldWanted(graph, [&](const ir::Node& node, int64_t bytes) {
    return GivesStored(graph, node) && bytes <= kMaxFoldedBytes;
  });
}

}  // namespace ferry::passes
