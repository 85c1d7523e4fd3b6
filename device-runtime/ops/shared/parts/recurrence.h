// What RNN, GRU and LSTM (ONNX) share: inputs, activations, and the walk along sequences in one or
// both directions. An operator adds what one step does.
#pragma once

#include <span>
#include <vector>

#include "device-runtime/ops/op.h"

namespace ferry::ops {

// One activation with its factors, behind the clipping that all share.
struct Activation {
  double (*function)(double x, double alpha, double beta) = nullptr;
  double alpha = 0, beta = 0;
  double clip = 0;        // 0: none
  std::string_view name;  // in small letters
  double operator()(double x) const;
};

// One direction's numbers. Rows of `w` and `r` are gate after gate, `hidden` rows each.
struct Cell {
  int64_t input = 0, hidden = 0;
  std::span<const double> w, r;
  std::span<const double> w_bias, r_bias;  // empty when there are none
  std::span<const double> peepholes;       // the same
  std::span<const Activation> activations;

  // w x + w_bias of row `row` (gate * hidden + unit), and r h + r_bias.
  double FromInput(int64_t row, const double* x) const;
  double FromState(int64_t row, const double* h) const;
};

// A state, and room for steps to work in (gates * hidden numbers).
struct RecurrentState {
  std::vector<double> h, c, room;
};

struct RecurrenceSpec {
  int64_t gates;
  std::span<const std::string_view> activations;  // of one direction, by default
  bool has_cell = false;                          // LSTM's c
};

struct RecurrencePlan {
  int64_t steps, batch, input, hidden, directions;
  bool batch_first;
  bool reverse;                         // the first direction
  std::vector<Activation> activations;  // direction after direction
};
Result<RecurrencePlan> PlanRecurrence(const NodeContext& c, const RecurrenceSpec& spec);

// Inputs in ONNX's order: x, w, r, bias, lengths, initial h, (LSTM:) initial c, peepholes.
Status InferRecurrence(InferContext& c, const RecurrenceSpec& spec);
// Runs `step` for each position of each sequence: it replaces what `state` holds.
using RecurrentStep = void (*)(const Cell& cell, const double* x, RecurrentState& state,
                               int64_t flags);
// `flags` go to the step as they are.
Status RunRecurrence(ReferenceContext& c, const RecurrenceSpec& spec, RecurrentStep step,
                     int64_t flags = 0);

// The products with the input as one, then the steps of each direction. `flag`: RecurrentPrim's.
Status LowerRecurrence(LowerContext& c, const RecurrenceSpec& spec, ir::CellKind kind,
                       bool flag = false);

}  // namespace ferry::ops
