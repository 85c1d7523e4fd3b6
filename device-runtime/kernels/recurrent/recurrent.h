// The steps of RNN, GRU and LSTM (ONNX), whose products with the input are done before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

enum class CellKind { kRnn, kGru, kLstm };
enum class CellFunction {
  kAffine,
  kElu,
  kHardSigmoid,
  kLeakyRelu,
  kRelu,
  kScaledTanh,
  kSigmoid,
  kSoftplus,
  kSoftsign,
  kTanh,
  kThresholdedRelu,
};
struct CellActivation {
  CellFunction function = CellFunction::kTanh;
  float alpha = 0, beta = 0;
};

struct RecurrentShape {
  CellKind kind = CellKind::kLstm;
  int64_t steps = 0, batch = 0, hidden = 0;
  bool reverse = false;  // from each sequence's end
  bool flag = false;     // kGru: linear_before_reset; kLstm: input_forget
  float clip = 0;        // 0: none
  CellActivation activations[3];

  int64_t gates() const { return kind == CellKind::kRnn ? 1 : kind == CellKind::kGru ? 3 : 4; }
};

// Null where a node leaves it out.
struct RecurrentInputs {
  const float* x;         // w x + biases [steps, batch, gates * hidden], ONNX's order of gates
  const float* packed_r;  // by PackRecurrent
  const float* r_bias;    // [hidden], kGru with flag
  const int32_t* lengths;
  const float* h0;  // [batch, hidden]
  const float* c0;
  const float* peepholes;  // [3, hidden], of gates i, o, f
};
struct RecurrentOutputs {
  float* all;  // [steps, batch, hidden], zero behind a sequence's end
  float* h;    // [batch, hidden], the last states
  float* c;    // kLstm only
};

// Floats of the packed r, and packing r [gates * hidden, hidden].
size_t PackedRecurrentSize(const KernelTable& table, const RecurrentShape& shape);
void PackRecurrent(const KernelTable& table, const RecurrentShape& shape, const float* r,
                   float* packed);
size_t RecurrentWorkspaceSize(const RecurrentShape& shape);  // floats
// False when a length is outside [0, steps].
[[nodiscard]] bool Recurrent(const KernelTable& table, sys::Parallel& parallel,
                             const RecurrentShape& shape, const RecurrentInputs& in,
                             const RecurrentOutputs& out, float* workspace);

}  // namespace ferry::kernels
