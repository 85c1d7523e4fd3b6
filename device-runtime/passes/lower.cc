#include "device-runtime/passes/lower.h"

#include <algorithm>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/passes/graph_pass.h"

namespace ferry::passes {
namespace {

class Lowering {
 public:
  explicit Lowering(const ir::Graph& graph) : graph_(graph) {
    infos_.reserve(graph.values.size());
    for (const ir::Value& value : graph.values) infos_.push_back(InfoOf(value));
  }

  Result<ir::Program> Run(const StepCost& cost) {
    FERRY_TRY(AllNodes(Layouts(graph_.nodes.size())));
    // Most graphs of matrices know plain values alone: then there is nothing to choose.
    const bool is_plain = std::ranges::none_of(
        forms_, [](const ops::Forms& forms) { return forms[ir::Layout::kChannelsLast] >= 0; });
    if (cost && !is_plain) {
      FERRY_ASSIGN_OR_RETURN(const Layouts layouts, Choose(cost));
      FERRY_TRY(AllNodes(layouts));
    }
    for (ir::ValueId id : graph_.outputs) program_.outputs.push_back(Plain(id));
    FERRY_TRY(ir::Verify(program_));
    return std::move(program_);
  }

 private:
  // Lowers all nodes anew.
  Status AllNodes(const Layouts& layouts) {
    program_ = {};
    forms_.assign(graph_.values.size(), {});
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
    for (size_t n = 0; n < graph_.nodes.size(); ++n) FERRY_TRY(InLayout(n, layouts[n]));
    return OkStatus();
  }

  Result<Layouts> Choose(const StepCost& cost) {
    return ChooseLayouts(
        graph_,
        [this](size_t n, ir::Program& program, std::span<ops::Forms> in,
               std::span<ops::Forms> out) { return OneNode(n, program, in, out); },
        cost);
  }

  // Lowers node `n` with its inputs in a layout. They are shown in that one only, which the
  // operator then follows; forms that come to be are kept.
  Status InLayout(size_t n, std::optional<ir::Layout> layout) {
    const ir::Node& node = graph_.nodes[n];
    std::vector<ops::Forms> in(node.inputs.size()), out(node.outputs.size());
    for (size_t i = 0; i < in.size(); ++i) {
      const ir::ValueId id = node.inputs[i];
      if (id == ir::kNoValue) continue;
      if (layout && TakesLayout(graph_, node, i)) {
        in[i][*layout] = Form(id, *layout);
      } else {
        in[i] = forms_[id];
      }
    }
    FERRY_TRY(OneNode(n, program_, in, out));
    for (size_t i = 0; i < in.size(); ++i) Keep(node.inputs[i], in[i]);
    for (size_t k = 0; k < out.size(); ++k) Keep(node.outputs[k], out[k]);
    return OkStatus();
  }

  void Keep(ir::ValueId id, const ops::Forms& forms) {
    if (id == ir::kNoValue) return;
    for (ir::Layout layout : {ir::Layout::kPlain, ir::Layout::kChannelsLast}) {
      if (forms_[id][layout] < 0) forms_[id][layout] = forms[layout];
    }
  }

  Status OneNode(size_t n, ir::Program& program, std::span<ops::Forms> in,
                 std::span<ops::Forms> out) const {
    const ir::Node& node = graph_.nodes[n];
    std::vector<const ops::ValueInfo*> inputs, outputs;
    std::vector<ops::Forms*> input_forms, output_forms;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ir::ValueId id = node.inputs[i];
      inputs.push_back(id == ir::kNoValue ? nullptr : &infos_[id]);
      // The same value twice has the same forms.
      const auto first =
          static_cast<size_t>(std::ranges::find(node.inputs, id) - node.inputs.begin());
      input_forms.push_back(id == ir::kNoValue ? nullptr : &in[first]);
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const ir::ValueId id = node.outputs[k];
      outputs.push_back(id == ir::kNoValue ? &nothing_ : &infos_[id]);
      output_forms.push_back(id == ir::kNoValue ? nullptr : &out[k]);
    }
    const ops::Op* op = ops::FindOp(node.op);
    ops::LowerContext context(node, inputs, outputs, program, std::move(input_forms),
                              std::move(output_forms));
    if (op->lower != nullptr) {
      FERRY_TRY(op->lower(context).Context("lowering {}", ir::NodeName{node}));
    } else if (ir::IsHostFunction(node.op)) {
      context.EmitHost();
    } else {
      return Status::Of(Code::kInternal, "operator '{}' has no lowering", node.op);
    }
    context.Finish();
    return OkStatus();
  }

  ir::BufferId Form(ir::ValueId id, ir::Layout layout) {
    ops::Forms& forms = forms_[id];
    if (forms[layout] < 0) {
      const ir::Layout other =
          layout == ir::Layout::kPlain ? ir::Layout::kChannelsLast : ir::Layout::kPlain;
      forms[layout] = ops::Convert(program_, forms[other], infos_[id].dtype, infos_[id].shape,
                                   layout, graph_.values[id].name);
    }
    return forms[layout];
  }
  ir::BufferId Plain(ir::ValueId id) { return Form(id, ir::Layout::kPlain); }

  const ir::Graph& graph_;
  ir::Program program_;
  std::vector<ops::ValueInfo> infos_;
  std::vector<ops::Forms> forms_;
  ops::ValueInfo nothing_;
};

}  // namespace

Result<ir::Program> Lower(const ir::Graph& graph, const StepCost& cost) {
  return Lowering(graph).Run(cost);
}

}  // namespace ferry::passes
