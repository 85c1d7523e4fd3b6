// Attention and the normalisation of rows.
#include "device-runtime/kernels/attention/heads.h"

#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/kernels/rowwise/norm.h"

namespace ferry::engine {
namespace {

static_assert(kernels::kMaxHeadAxes >= tensor::kMaxRank);
static_assert(kernels::kMaxHeadDepth >= ir::kMaxAttentionDepth);

kernels::HeadsView ViewOf(const ir::AttentionPrim::View& from) {
  kernels::HeadsView view;
  std::ranges::copy(from.batch, view.batch.begin());
  view.row = from.row;
  view.column = from.column;
  return view;
}

kernels::HeadsShape ShapeOf(const ir::AttentionPrim& prim) {
  kernels::HeadsShape shape;
  shape.rank = prim.rank;
  std::ranges::copy(prim.size, shape.size.begin());
  shape.queries = prim.queries;
  shape.keys = prim.keys;
  shape.depth = prim.depth;
  shape.value_depth = prim.value_depth;
  shape.scale = prim.scale;
  shape.q = ViewOf(prim.q);
  shape.k = ViewOf(prim.k);
  shape.v = ViewOf(prim.v);
  shape.y = ViewOf(prim.y);
  for (size_t i = 0; i < prim.biases.size(); ++i) shape.biases[i] = ViewOf(prim.biases[i]);
  return shape;
}

}  // namespace

Result<PreparedStep> PrepareNorm(Preparer& p, const ir::NormPrim& prim, const ir::Step& step) {
  const int x = Slot(step, 0), scale = Slot(step, 1), bias = Slot(step, 2);
  const int y = step.outputs[0];
  PreparedStep prepared;
  prepared.run = [=, &table = p.table()](const RunContext& c) {
    kernels::Norm(table, c.parallel, prim.outer, prim.size, prim.centered, prim.epsilon,
                  c.floats(x), c.floats(scale), c.floats(bias), c.floats(y));
    return OkStatus();
  };
  return prepared;
}

Result<PreparedStep> PrepareAttention(Preparer& p, const ir::AttentionPrim& prim,
                                      const ir::Step& step) {
  const kernels::HeadsShape shape = ShapeOf(prim);
  const int workspace = p.AddWorkspace(
      kernels::AttendWorkspaceSize(p.table(), shape, p.settings().parallel->width()));
  std::array<int, 5> in{};
  for (size_t i = 0; i < in.size(); ++i) in[i] = Slot(step, i);
  const std::array<int64_t, 5> offsets = {prim.q.offset, prim.k.offset, prim.v.offset,
                                          prim.biases[0].offset, prim.biases[1].offset};
  const int64_t y_offset = prim.y.offset;
  const int y = step.outputs[0];
  PreparedStep prepared;
  prepared.run = [=, &table = p.table()](const RunContext& c) {
    std::array<const float*, 5> from{};
    for (size_t i = 0; i < from.size(); ++i) {
      if (in[i] >= 0) from[i] = c.floats(in[i]) + offsets[i];
    }
    kernels::Attend(table, c.parallel, shape, from[0], from[1], from[2], {from[3], from[4]},
                    c.floats(y) + y_offset, c.floats(workspace));
    return OkStatus();
  };
  return prepared;
}

}  // namespace ferry::engine
