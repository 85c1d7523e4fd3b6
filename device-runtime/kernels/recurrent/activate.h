// The activations of recurrent cells over a row. Source: ONNX operators RNN, GRU, LSTM.
#pragma once

#include "device-runtime/kernels/recurrent/recurrent.h"

namespace ferry::kernels {

// x = f(x), behind a clip to [-clip, clip] unless that is 0.
void ActivateCell(const KernelTable& table, const CellActivation& activation, float clip,
                  int64_t count, float* x);

}  // namespace ferry::kernels
