// The cost of each convolution algorithm: a function Cost<name> for each row of
// kernels/conv/algorithms.inc.
#pragma once

#include <limits>

#include "device-runtime/backends/cpu/search/product_cost.h"
#include "device-runtime/kernels/conv/conv.h"

namespace ferry::backends {

struct ConvWork {
  const kernels::KernelTable& table;
  const CpuDescription& cpu;
  const kernels::ConvShape& shape;
  kernels::Tiles tiles;
  int threads = 1;
};

// Of an algorithm that the table has no code for which would ever pay.
inline constexpr double kNotHere = std::numeric_limits<double>::infinity();

// Microseconds, or kNotHere; the shape is one that the algorithm supports.
#define FERRY_CONV(name) double Cost##name(const ConvWork& work);
#include "device-runtime/kernels/conv/algorithms.inc"
#undef FERRY_CONV

// Shared: bytes of the input and output as floats, output pixels.
double InputBytes(const kernels::ConvShape& shape);
double OutputBytes(const kernels::ConvShape& shape);
int64_t OutputPixels(const kernels::ConvShape& shape);
// Microseconds of `bytes` through the memory or, when they are few, the cache.
double MoveUs(const CpuDescription& cpu, double bytes, int threads);

}  // namespace ferry::backends
