// Recurrent cells and linear attention: what walks along a sequence.
#include "device-runtime/kernels/recurrent/recurrent.h"

#include <algorithm>

#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/linear_attention/linear_attention.h"

namespace ferry::engine {
namespace {

// ORDER: both list the same.
static_assert(static_cast<int>(ir::CellFunction::kThresholdedRelu) ==
                  static_cast<int>(kernels::CellFunction::kThresholdedRelu) &&
              static_cast<int>(ir::CellFunction::kSigmoid) ==
                  static_cast<int>(kernels::CellFunction::kSigmoid));

kernels::RecurrentShape ShapeOf(const ir::RecurrentPrim& prim) {
  kernels::RecurrentShape shape;
  shape.kind = static_cast<kernels::CellKind>(prim.kind);  // ORDER: both list the same
  shape.steps = prim.steps;
  shape.batch = prim.batch;
  shape.hidden = prim.hidden;
  shape.reverse = prim.reverse;
  shape.flag = prim.flag;
  shape.clip = prim.clip;
  for (size_t i = 0; i < prim.activations.size(); ++i) {
    const ir::CellActivation& from = prim.activations[i];
    shape.activations[i] = {static_cast<kernels::CellFunction>(from.function), from.alpha,
                            from.beta};
  }
  return shape;
}

}  // namespace

Result<PreparedStep> PrepareRecurrent(Preparer& p, const ir::RecurrentPrim& prim,
                                      const ir::Step& step) {
  const kernels::RecurrentShape shape = ShapeOf(prim);
  const kernels::KernelTable& table = p.table();
  const size_t floats = kernels::PackedRecurrentSize(table, shape);
  const int workspace = p.AddWorkspace(kernels::RecurrentWorkspaceSize(shape));
  PackedCache::Block block;
  int packed_slot = -1;
  if (const tensor::Tensor* r = p.ConstantOf(step.inputs[1])) {
    const auto* data = reinterpret_cast<const float*>(r->raw());
    const std::string how =
        fmt::format("recurrent {} {}", static_cast<int>(prim.kind), prim.hidden);
    FERRY_ASSIGN_OR_RETURN(block, p.Packed(data, how, floats, [&](const float* from, float* to) {
      kernels::PackRecurrent(table, shape, from, to);
    }));
  } else {
    packed_slot = p.AddWorkspace(floats);
  }
  int in[7];
  for (size_t i = 0; i < 7; ++i) in[i] = Slot(step, i);
  const std::vector<int> out(step.outputs.begin(), step.outputs.end());
  PreparedStep prepared;
  prepared.how = block ? "packed before" : "packed in each run";
  prepared.run = [=, &table, name = step.node](const RunContext& c) {
    const float* packed = block ? reinterpret_cast<const float*>(block->data()) : nullptr;
    if (packed == nullptr && packed_slot >= 0) {
      kernels::PackRecurrent(table, shape, c.floats(in[1]), c.floats(packed_slot));
      packed = c.floats(packed_slot);
    }
    const auto* lengths = in[3] < 0 ? nullptr : reinterpret_cast<const int32_t*>(c.at[in[3]]);
    const kernels::RecurrentInputs inputs = {c.floats(in[0]), packed,          c.floats(in[2]),
                                             lengths,         c.floats(in[4]), c.floats(in[5]),
                                             c.floats(in[6])};
    const kernels::RecurrentOutputs outputs = {c.floats(out[0]), c.floats(out[1]),
                                               out.size() > 2 ? c.floats(out[2]) : nullptr};
    if (kernels::Recurrent(table, c.parallel, shape, inputs, outputs, c.floats(workspace))) {
      return OkStatus();
    }
    return Status::Of(Code::kInvalidArgument, "node '{}': a length is outside {} steps", name,
                      shape.steps);
  };
  return prepared;
}

Result<PreparedStep> PrepareLinearAttention(Preparer& p, const ir::LinearAttentionPrim& prim,
                                            const ir::Step& step) {
  const kernels::LinearAttentionShape shape = {
      prim.batch,  prim.length,        prim.query_heads, prim.heads,    prim.key,  prim.value,
      prim.decays, prim.decay_of_head, prim.corrects,    prim.one_beta, prim.scale};
  const int room = p.AddWorkspace(static_cast<size_t>(prim.batch * prim.heads * prim.value) + 1);
  int in[6];
  for (size_t i = 0; i < 6; ++i) in[i] = Slot(step, i);
  const int y = step.outputs[0], state = step.outputs[1];
  return PreparedStep{[=](const RunContext& c) {
                        const kernels::LinearAttentionInputs inputs = {
                            c.floats(in[0]), c.floats(in[1]), c.floats(in[2]),
                            c.floats(in[3]), c.floats(in[4]), c.floats(in[5])};
                        kernels::LinearAttention(c.parallel, shape, inputs, c.floats(y),
                                                 c.floats(state), c.floats(room));
                        return OkStatus();
                      },
                      ""};
}

}  // namespace ferry::engine
