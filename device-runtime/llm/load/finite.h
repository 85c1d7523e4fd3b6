// Whether stored weights are finite.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/linear/linear.h"

namespace ferry::llm {

// The index of the first NaN or infinity among `count` float32 or bfloat16 numbers, or -1; int8
// ones always are. Limited by memory bandwidth.
int64_t FirstNonFinite(kernels::WeightType type, const void* values, int64_t count);

}  // namespace ferry::llm
