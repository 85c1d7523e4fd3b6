// RNN (ONNX): h' = f(w x + r h + biases).
#include "device-runtime/ops/defs/recurrence_unrolled.h"

namespace ferry::ops {
namespace {

constexpr std::string_view kActivations[] = {"Tanh"};
constexpr RecurrenceSpec kSpec = {1, kActivations};

void Step(const Cell& cell, const double* x, RecurrentState& s, int64_t) {
  for (int64_t i = 0; i < cell.hidden; ++i) {
    s.room[static_cast<size_t>(i)] =
        cell.activations[0](cell.FromInput(i, x) + cell.FromState(i, s.h.data()));
  }
  s.h.swap(s.room);
}

void Unrolled(ExpandContext& c, UnrolledCell& cell, ir::ValueId from_input, int64_t) {
  ir::ValueId sum = ByState(c, cell.h, cell.r, from_input);
  if (cell.r_bias != ir::kNoValue) sum = c.Add("Add", {sum, cell.r_bias});
  cell.h = Activate(c, cell.activations[0], sum);
}

Status InferRnn(InferContext& c) {
  return InferRecurrence(c, kSpec);
}
Status ReferenceRnn(ReferenceContext& c) {
  return RunRecurrence(c, kSpec, Step);
}
Status ExpandRnn(ExpandContext& c) {
  return ExpandRecurrence(c, kSpec, Unrolled);
}

}  // namespace

extern const Op kRNNOp;
const Op kRNNOp = {"RNN", 3, 6, 0, 2, InferRnn, ReferenceRnn, nullptr, ExpandRnn};

}  // namespace ferry::ops
