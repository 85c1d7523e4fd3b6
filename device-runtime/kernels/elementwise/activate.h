// The activations of an epilogue on stored values.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/epilogue.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// x[i] = activation(x[i]) for `count` dense floats, on the calling thread; kNone does nothing.
void Activate(const KernelTable& table, const Epilogue& epilogue, int64_t count, float* x);

}  // namespace ferry::kernels
