// GRU (ONNX): gates update (z), reset (r) and hidden (h) in this order;
// h' = (1 - z) * candidate + z * h.
#include "device-runtime/ops/defs/recurrence_unrolled.h"

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

void Unrolled(ExpandContext& c, UnrolledCell& cell, ir::ValueId from_input,
              int64_t linear_before_reset) {
  using ir::ValueId;
  const int64_t split = 2 * cell.hidden;
  const int64_t end = 3 * cell.hidden;
  const bool biased = cell.r_bias != ir::kNoValue;
  auto rows = [&](ValueId x, int64_t first, int64_t last) {
    return x == ir::kNoValue ? x : Rows(c, x, first, last);
  };
  const std::vector<ValueId> in = Gates(c, from_input, 3);
  const std::vector<ValueId> by_state =
      Gates(c, ByState(c, cell.h, rows(cell.r, 0, split), rows(cell.r_bias, 0, split)), 2);
  const Activation& sigmoid = cell.activations[0];
  const ValueId update = Activate(c, sigmoid, c.Add("Add", {in[0], by_state[0]}));
  const ValueId reset = Activate(c, sigmoid, c.Add("Add", {in[1], by_state[1]}));
  const ValueId r = rows(cell.r, split, end);
  const ValueId bias = biased ? rows(cell.r_bias, split, end) : ir::kNoValue;
  const ValueId state = linear_before_reset != 0
                            ? c.Add("Mul", {reset, ByState(c, cell.h, r, bias)})
                            : ByState(c, c.Add("Mul", {reset, cell.h}), r, bias);
  const ValueId candidate = Activate(c, cell.activations[1], c.Add("Add", {in[2], state}));
  const ValueId kept = c.Add("Mul", {update, c.Add("Sub", {cell.h, candidate})});
  cell.h = c.Add("Add", {candidate, kept});
}

Status InferGru(InferContext& c) {
  FERRY_TRY(c.Int("linear_before_reset", 0).status());
  return InferRecurrence(c, kSpec);
}
Status ReferenceGru(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t linear_before_reset, c.Int("linear_before_reset", 0));
  return RunRecurrence(c, kSpec, Step, linear_before_reset);
}
Status ExpandGru(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t linear_before_reset, c.Int("linear_before_reset", 0));
  return ExpandRecurrence(c, kSpec, Unrolled, linear_before_reset);
}

}  // namespace

extern const Op kGRUOp;
const Op kGRUOp = {"GRU", 3, 6, 0, 2, InferGru, ReferenceGru, nullptr, ExpandGru};

}  // namespace ferry::ops
