// Functions of texts and tables: the operator itself, on tensors that view the arena.
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/ops/op.h"

namespace ferry::engine {
namespace {

// Everything a run needs, made once so that a run only sets addresses.
struct HostState {
  std::shared_ptr<const ir::Node> node;
  const ops::Op* op;
  std::vector<int> input_slots, output_slots;
  std::vector<ops::ValueInfo> infos;
  std::vector<const ops::ValueInfo*> info_pointers;
  std::vector<Tensor> inputs, outputs;
  std::vector<const Tensor*> input_pointers;
};

Status RunHost(HostState& s, const RunContext& c) {
  for (size_t i = 0; i < s.inputs.size(); ++i) {
    if (s.input_slots[i] < 0) continue;
    s.inputs[i] = Tensor::View(s.infos[i].dtype, s.infos[i].shape, c.at[s.input_slots[i]]);
  }
  for (size_t i = 0; i < s.outputs.size(); ++i) {
    s.outputs[i] =
        Tensor::View(s.outputs[i].dtype(), s.outputs[i].shape(), c.at[s.output_slots[i]]);
  }
  ops::ReferenceContext context(*s.node, s.info_pointers, s.input_pointers, s.outputs, c.strings);
  return s.op->reference(context).Context("{}", ir::NodeName{*s.node});
}

}  // namespace

Result<PreparedStep> PrepareHost(Preparer& p, const ir::HostPrim& prim, const ir::Step& step) {
  auto state = std::make_shared<HostState>();
  state->node = prim.node;
  state->op = ops::FindOp(prim.node->op);
  if (state->op == nullptr) return Status::Of(Code::kInternal, "no operator '{}'", prim.node->op);
  const size_t count = step.inputs.size();
  state->infos.resize(count);
  state->inputs.resize(count);
  state->info_pointers.assign(count, nullptr);
  state->input_pointers.assign(count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    const ir::BufferId id = step.inputs[i];
    state->input_slots.push_back(id);
    if (id < 0) continue;
    const ir::BufferInfo& buffer = p.program().buffers[id];
    state->infos[i] = {buffer.dtype, buffer.shape, std::nullopt};
    if (const Tensor* constant = p.ConstantOf(id)) state->infos[i].constant = *constant;
    state->info_pointers[i] = &state->infos[i];
    state->input_pointers[i] = &state->inputs[i];
  }
  for (ir::BufferId id : step.outputs) {
    const ir::BufferInfo& buffer = p.program().buffers[id];
    state->output_slots.push_back(id);
    state->outputs.push_back(Tensor::View(buffer.dtype, buffer.shape, nullptr));
  }
  return PreparedStep{[state](const RunContext& c) { return RunHost(*state, c); }, ""};
}

}  // namespace ferry::engine
