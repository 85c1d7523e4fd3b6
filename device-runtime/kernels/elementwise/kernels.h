// What an elementwise file of one instruction set provides.
#pragma once

#include <cstdint>

namespace ferry::kernels {

// x[i] = f(x[i]) for `rows` rows of `count` floats, `stride` apart; `low` and `high` as in
// Epilogue.
using ActivationFunction = void (*)(int64_t rows, int64_t count, int64_t stride, float low,
                                    float high, float* x);

struct ElementwiseKernels {
#define FERRY_ACTIVATION(name, error) ActivationFunction name;
#include "device-runtime/kernels/elementwise/activations.inc"
#undef FERRY_ACTIVATION
};

#define FERRY_ELEMENTWISE(isa) extern const ElementwiseKernels kElementwise##isa;
#include "device-runtime/kernels/elementwise/list.inc"
#undef FERRY_ELEMENTWISE

}  // namespace ferry::kernels
