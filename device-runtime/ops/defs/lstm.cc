// LSTM (ONNX): gates input (i), output (o), forget (f) and cell (c) in this order, peepholes i, o
// and f; c' = f * c + i * candidate, h' = o * activation(c').
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/shared/parts/recurrence.h"

namespace ferry::ops {
namespace {

constexpr std::string_view kActivations[] = {"Sigmoid", "Tanh", "Tanh"};
constexpr RecurrenceSpec kSpec = {4, kActivations, true};

enum Gate { kInput, kOutput, kForget, kCell };

// `input_forget`: what is not taken in is kept.
void Step(const Cell& cell, const double* x, RecurrentState& s, int64_t input_forget) {
  const int64_t hidden = cell.hidden;
  for (int64_t row = 0; row < 4 * hidden; ++row) {
    s.room[static_cast<size_t>(row)] = cell.FromInput(row, x) + cell.FromState(row, s.h.data());
  }
  auto gate = [&](Gate g, int64_t i) { return s.room[static_cast<size_t>(g * hidden + i)]; };
  auto peephole = [&](Gate g, int64_t i, double state) {
    return cell.peepholes.empty() ? 0 : cell.peepholes[static_cast<size_t>(g * hidden + i)] * state;
  };
  const Activation& sigmoid = cell.activations[0];
  for (int64_t i = 0; i < hidden; ++i) {
    double& c = s.c[static_cast<size_t>(i)];
    const double in = sigmoid(gate(kInput, i) + peephole(kInput, i, c));
    const double forget =
        input_forget != 0 ? 1 - in : sigmoid(gate(kForget, i) + peephole(kForget, i, c));
    c = forget * c + in * cell.activations[1](gate(kCell, i));
    const double out = sigmoid(gate(kOutput, i) + peephole(kOutput, i, c));
    s.h[static_cast<size_t>(i)] = out * cell.activations[2](c);
  }
}

Status InferLstm(InferContext& c) {
  FERRY_TRY(c.Int("input_forget", 0).status());
  return InferRecurrence(c, kSpec);
}
Status ReferenceLstm(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t input_forget, c.Int("input_forget", 0));
  return RunRecurrence(c, kSpec, Step, input_forget);
}
Status LowerLstm(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t input_forget, c.Int("input_forget", 0));
  return LowerRecurrence(c, kSpec, ir::CellKind::kLstm, input_forget != 0);
}

}  // namespace

extern const Op kLSTMOp;
const Op kLSTMOp = {"LSTM", 3, 8, 0, 3, InferLstm, ReferenceLstm, LowerLstm};

}  // namespace ferry::ops
