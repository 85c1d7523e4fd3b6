// Whether stored weights are finite.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/linear/linear.h"
#include "device-runtime/kernels/packed/packed.h"

namespace ferry::llm {

// The index of the first NaN or infinity among `count` float numbers, or -1; int8
// ones always are. Limited by memory bandwidth.
int64_t FirstNonFinite(kernels::WeightType type, const void* values, int64_t count);
// The first row of a packed matrix that has a scale or shift that is none, or -1.
int64_t FirstNonFiniteRow(const kernels::PackedMatrix& matrix);

}  // namespace ferry::llm
