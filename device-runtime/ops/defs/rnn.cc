// RNN (ONNX): h' = f(w x + r h + biases).
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/parts/recurrence.h"

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

Status InferRnn(InferContext& c) {
  return InferRecurrence(c, kSpec);
}
Status ReferenceRnn(ReferenceContext& c) {
  return RunRecurrence(c, kSpec, Step);
}
Status LowerRnn(LowerContext& c) {
  return LowerRecurrence(c, kSpec, ir::CellKind::kRnn);
}

}  // namespace

extern const Op kRNNOp;
const Op kRNNOp = {"RNN", 3, 6, 0, 2, InferRnn, ReferenceRnn, LowerRnn};

}  // namespace ferry::ops
