// What an elementwise file of one instruction set provides.
#pragma once

#include <cstdint>

namespace ferry::kernels {

// y[i] = f(x[i]); y may be x.
using UnaryFunction = void (*)(int64_t count, float alpha, float beta, const float* x, float* y);
// c[i] = f(a[i], b[i]); in the scalar forms one side is a single value.
using BinaryFunction = void (*)(int64_t count, const float* a, const float* b, float* c);

struct BinaryFunctions {
  BinaryFunction both;
  BinaryFunction scalar_a;
  BinaryFunction scalar_b;
};

struct UnaryTable {
#define FERRY_UNARY(name, error) UnaryFunction name;
#include "device-runtime/kernels/elementwise/unary.inc"
#undef FERRY_UNARY
};

struct BinaryTable {
#define FERRY_BINARY(name) BinaryFunctions name;
#include "device-runtime/kernels/elementwise/binary.inc"
#undef FERRY_BINARY
};

struct ElementwiseKernels {
  UnaryTable unary;
  BinaryTable binary;
};

#define FERRY_ELEMENTWISE(isa) extern const ElementwiseKernels kElementwise##isa;
#include "device-runtime/kernels/elementwise/list.inc"
#undef FERRY_ELEMENTWISE

}  // namespace ferry::kernels
