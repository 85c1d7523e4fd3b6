#include "device-runtime/passes/lower.h"

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

class Lowering {
 public:
  explicit Lowering(const ir::Graph& graph) : graph_(graph), forms_(graph.values.size()) {
    infos_.reserve(graph.values.size());
    for (const ir::Value& value : graph.values) infos_.push_back(InfoOf(value));
  }

  Result<ir::Program> Run() {
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const ir::ValueId id = graph_.inputs[i];
      program_.buffers.push_back({infos_[id].dtype, infos_[id].shape});
      program_.buffers.back().input = static_cast<int>(i);
      forms_[id][ir::Layout::kPlain] = static_cast<ir::BufferId>(i);
    }
    for (size_t id = 0; id < graph_.values.size(); ++id) {
      if (!graph_.values[id].constant) continue;
      program_.buffers.push_back({infos_[id].dtype, infos_[id].shape});
      program_.buffers.back().constant = graph_.values[id].constant;
      forms_[id][ir::Layout::kPlain] = static_cast<ir::BufferId>(program_.buffers.size() - 1);
    }
    for (const ir::Node& node : graph_.nodes) {
      FERRY_TRY(OneNode(node).Context("lowering {}", ir::NodeText(node)));
    }
    for (ir::ValueId id : graph_.outputs) program_.outputs.push_back(Plain(id));
    FERRY_TRY(ir::Verify(program_));
    return std::move(program_);
  }

 private:
  Status OneNode(const ir::Node& node) {
    std::vector<const ops::ValueInfo*> inputs, outputs;
    std::vector<ops::Forms*> input_forms, output_forms;
    for (ir::ValueId id : node.inputs) {
      inputs.push_back(id == ir::kNoValue ? nullptr : &infos_[id]);
      input_forms.push_back(id == ir::kNoValue ? nullptr : &forms_[id]);
    }
    for (ir::ValueId id : node.outputs) {
      outputs.push_back(id == ir::kNoValue ? &nothing_ : &infos_[id]);
      output_forms.push_back(id == ir::kNoValue ? nullptr : &forms_[id]);
    }
    const ops::Op* op = ops::FindOp(node.op);
    ops::LowerContext context(node, inputs, outputs, program_, std::move(input_forms),
                              std::move(output_forms));
    if (op->lower != nullptr) {
      FERRY_TRY(op->lower(context));
    } else if (ir::IsHostFunction(node.op)) {
      context.EmitHost();
    } else {
      return Status::Of(Code::kInternal, "operator '{}' has no lowering", node.op);
    }
    context.Finish();
    return OkStatus();
  }

  ir::BufferId Plain(ir::ValueId id) {
    ops::Forms& forms = forms_[id];
    ir::BufferId& plain = forms[ir::Layout::kPlain];
    if (plain < 0) {
      plain = ops::Convert(program_, forms[ir::Layout::kChannelsLast], infos_[id].dtype,
                           infos_[id].shape, ir::Layout::kPlain, graph_.values[id].name);
    }
    return plain;
  }

  const ir::Graph& graph_;
  ir::Program program_;
  std::vector<ops::ValueInfo> infos_;
  std::vector<ops::Forms> forms_;
  ops::ValueInfo nothing_;
};

}  // namespace

Result<ir::Program> Lower(const ir::Graph& graph) {
  return Lowering(graph).Run();
}

}  // namespace ferry::passes
