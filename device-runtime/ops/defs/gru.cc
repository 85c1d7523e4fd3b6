// GRU (ONNX): gates update (z), reset (r) and hidden (h) in this order;
// h' = (1 - z) * candidate + z * h.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/parts/recurrence.h"

namespace ferry::ops {
namespace {

constexpr std::string_view kActivations[] = {"Sigmoid", "Tanh"};
constexpr RecurrenceSpec kSpec = {3, kActivations};

// `linear_before_reset`: the reset gate acts on the product with the state, not on the state.
void Step(const Cell& cell, const double* x, RecurrentState& s, int64_t linear_before_reset) {
  const int64_t hidden = cell.hidden;
  double* update = s.room.data();
  double* reset = update + hidden;
  double* candidate = reset + hidden;
  const double* h = s.h.data();
  for (int64_t i = 0; i < 2 * hidden; ++i) {
    s.room[static_cast<size_t>(i)] =
        cell.activations[0](cell.FromInput(i, x) + cell.FromState(i, h));
  }
  // The state behind the reset gate; c is free, as GRU has no cell.
  for (int64_t i = 0; i < hidden; ++i) {
    s.c[static_cast<size_t>(i)] = linear_before_reset != 0 ? h[i] : reset[i] * h[i];
  }
  for (int64_t i = 0; i < hidden; ++i) {
    const double from_state = cell.FromState(2 * hidden + i, s.c.data());
    candidate[i] = cell.activations[1](cell.FromInput(2 * hidden + i, x) +
                                       (linear_before_reset != 0 ? reset[i] : 1) * from_state);
  }
  for (int64_t i = 0; i < hidden; ++i) {
    s.h[static_cast<size_t>(i)] = (1 - update[i]) * candidate[i] + update[i] * h[i];
  }
}

Status InferGru(InferContext& c) {
  FERRY_TRY(c.Int("linear_before_reset", 0).status());
  return InferRecurrence(c, kSpec);
}
Status ReferenceGru(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t linear_before_reset, c.Int("linear_before_reset", 0));
  return RunRecurrence(c, kSpec, Step, linear_before_reset);
}
Status LowerGru(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t linear_before_reset, c.Int("linear_before_reset", 0));
  return LowerRecurrence(c, kSpec, ir::CellKind::kGru, linear_before_reset != 0);
}

}  // namespace

extern const Op kGRUOp;
const Op kGRUOp = {"GRU", 3, 6, 0, 2, InferGru, ReferenceGru, LowerGru};

}  // namespace ferry::ops
