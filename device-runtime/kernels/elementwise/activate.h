// The activations of an epilogue on stored values.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/epilogue.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// x[i] = activation(x[i]) for `rows` rows of `count` floats, `stride` apart, on the calling thread;
// kNone does nothing.
void ActivateRows(const KernelTable& table, const Epilogue& epilogue, int64_t rows, int64_t count,
                  int64_t stride, float* x);

// The same for `count` dense floats.
inline void Activate(const KernelTable& table, const Epilogue& epilogue, int64_t count, float* x) {
  ActivateRows(table, epilogue, 1, count, count, x);
}

}  // namespace ferry::kernels
