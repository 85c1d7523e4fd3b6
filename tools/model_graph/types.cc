#include "tools/model_graph/types.h"

#include <algorithm>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::model_graph {
namespace {

using ops::ValueInfo;

constexpr std::string_view kNamelessDim = "?";

class TypeWalk {
 public:
  explicit TypeWalk(const ir::Graph& graph) : graph_(graph) {
    types_.of.resize(graph.values.size());
  }

  Types Run() {
    for (size_t id = 0; id < graph_.values.size(); ++id) {
      const ir::Value& value = graph_.values[id];
      if (value.constant)
        types_.of[id] = {value.constant->dtype(), value.constant->shape(), value.constant};
    }
    for (const ir::ValueId id : graph_.inputs) TakeInput(id);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) TakeNode(i);
    return std::move(types_);
  }

 private:
  void TakeInput(ir::ValueId id) {
    const ir::Value& value = graph_.values[static_cast<size_t>(id)];
    if (value.kind != ir::ValueKind::kTensor || !value.dtype || !value.dims) return;
    std::vector<int64_t> dims;
    for (const ir::Dim& dim : *value.dims) {
      dims.push_back(dim.extent < 0 ? 1 : dim.extent);
      if (dim.extent >= 0) continue;
      const std::string name(dim.symbol.empty() ? kNamelessDim : dim.symbol);
      if (std::ranges::find(types_.assumed, name) == types_.assumed.end())
        types_.assumed.push_back(name);
    }
    const auto shape = ir::Shape::Make(dims);
    if (shape.ok()) types_.of[static_cast<size_t>(id)] = {*value.dtype, *shape, std::nullopt};
  }

  void TakeNode(size_t index) {
    const ir::Node& node = graph_.nodes[index];
    const ops::Op* op = ops::FindOp(node.op);
    if (op == nullptr || node.captured > 0) return;
    std::vector<const ValueInfo*> inputs;
    for (const ir::ValueId id : node.inputs) {
      if (id == ir::kNoValue) {
        inputs.push_back(nullptr);
        continue;
      }
      const std::optional<ValueInfo>& known = types_.of[static_cast<size_t>(id)];
      if (!known) return;
      inputs.push_back(&*known);
    }
    int needed = -1;
    Result<std::vector<ValueInfo>> outputs = OutputsOf(*op, node, inputs, &needed);
    if (!outputs.ok()) {
      if (needed < 0) types_.problems[index] = outputs.status().message();
      return;
    }
    Fold(*op, node, inputs, *outputs);
    for (size_t i = 0; i < node.outputs.size() && i < outputs->size(); ++i)
      if (node.outputs[i] != ir::kNoValue)
        types_.of[static_cast<size_t>(node.outputs[i])] = std::move((*outputs)[i]);
  }

  static Result<std::vector<ValueInfo>> OutputsOf(const ops::Op& op, const ir::Node& node,
                                                  const std::vector<const ValueInfo*>& inputs,
                                                  int* needed) {
    if (op.infer != nullptr) {
      ops::InferContext context(node, inputs, node.outputs.size());
      const Status inferred = ops::Infer(op, context);
      *needed = context.needed();
      FERRY_TRY(inferred);
      return std::move(context.outputs);
    }
    if (op.expand == nullptr) {
      *needed = 0;  // it runs on values as they come
      return Status(Code::kUnsupported, "known when it runs");
    }
    FERRY_ASSIGN_OR_RETURN(const ir::Graph piece, ops::Expand(op, node, inputs, needed));
    std::vector<ValueInfo> outputs;
    for (const ir::ValueId id : piece.outputs) {
      ValueInfo& info = outputs.emplace_back();
      if (id == ir::kNoValue) continue;
      const ir::Value& value = piece.values[static_cast<size_t>(id)];
      info = {value.dtype.value_or(ir::DType::kF32), value.FixedShape().value_or(ir::Shape()),
              value.constant};
    }
    return outputs;
  }

  // Small results of constants are computed, for they may decide shapes further on.
  static void Fold(const ops::Op& op, const ir::Node& node,
                   const std::vector<const ValueInfo*>& inputs, std::vector<ValueInfo>& outputs) {
    if (op.infer == nullptr || op.reference == nullptr || !op.is_pure || inputs.empty()) return;
    int64_t elements = 0;
    std::vector<const tensor::Tensor*> constants;
    for (const ValueInfo* input : inputs) {
      if (input != nullptr && !input->constant) return;
      elements += input == nullptr ? 0 : input->shape.elements();
      constants.push_back(input == nullptr ? nullptr : &*input->constant);
    }
    for (const ValueInfo& output : outputs) {
      if (output.constant) return;
      elements += output.shape.elements();
    }
    if (elements > kMaxFoldedElements) return;
    const auto results = ops::RunReference(op, node, constants);
    if (!results.ok()) return;
    for (size_t i = 0; i < outputs.size() && i < results->size(); ++i)
      outputs[i].constant = (*results)[i];
  }

  const ir::Graph& graph_;
  Types types_;
};

}  // namespace

Types TypesOf(const ir::Graph& graph) {
  return TypeWalk(graph).Run();
}

}  // namespace ferry::model_graph
