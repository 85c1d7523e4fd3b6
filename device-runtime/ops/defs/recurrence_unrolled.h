// RNN, GRU and LSTM of few steps as other operators: a product for all inputs at once, then one for
// each step.
#pragma once

#include "device-runtime/ops/defs/recurrence.h"
#include "device-runtime/ops/expand.h"

namespace ferry::ops {

// Steps of all directions that are written out; longer ones stay one node.
inline constexpr int64_t kMaxUnrolledSteps = 64;

// One direction in the making; all values are matrices of `batch` rows.
struct UnrolledCell {
  int64_t hidden = 0;
  ir::ValueId r = ir::kNoValue;        // [gates * hidden, hidden]
  ir::ValueId r_bias = ir::kNoValue;   // [gates * hidden], or none
  std::vector<ir::ValueId> peepholes;  // [hidden] each; empty: none
  std::span<const Activation> activations;
  ir::ValueId h = ir::kNoValue, c = ir::kNoValue;  // a step replaces them
};

// x r^T + addend, of all or the rows [begin, end) of r.
ir::ValueId ByState(ExpandContext& c, ir::ValueId x, ir::ValueId r, ir::ValueId addend);
ir::ValueId Rows(ExpandContext& c, ir::ValueId x, int64_t begin, int64_t end);
// x as `count` matrices side by side.
std::vector<ir::ValueId> Gates(ExpandContext& c, ir::ValueId x, size_t count);
ir::ValueId Activate(ExpandContext& c, const Activation& activation, ir::ValueId x);

// `from_input`: w x + w_bias of one step, [batch, gates * hidden].
using UnrolledStep = void (*)(ExpandContext& c, UnrolledCell& cell, ir::ValueId from_input,
                              int64_t flags);
Status ExpandRecurrence(ExpandContext& c, const RecurrenceSpec& spec, UnrolledStep step,
                        int64_t flags = 0);

}  // namespace ferry::ops
