// Layer and RMS normalisation of rows of float32. Source: layer norm (Ba et al. 2016), RMSNorm
// (Zhang and Sennrich 2019).
#pragma once

#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// Of each of `rows` rows of `size` floats: y = (x - mean) / sqrt(mean((x - mean)^2) + epsilon), the
// mean taken as 0 unless `centered`; then times scale and plus bias (`size` floats each, or null).
// y may be x.
void Norm(const KernelTable& table, sys::Parallel& parallel, int64_t rows, int64_t size,
          bool centered, float epsilon, const float* x, const float* scale, const float* bias,
          float* y);

}  // namespace ferry::kernels
