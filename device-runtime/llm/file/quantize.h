// Rows of float32 numbers in fewer bits.
#pragma once

#include <cstdint>
#include <span>

namespace ferry::llm {

// Symmetric, in [-127, 127]: row[i] is nearly scale * out[i]. Returns the scale, 0 for a row of
// zeros. Of a few scales it takes the one of the least squared error.
float QuantizeRowToInt8(std::span<const float> row, int8_t* out);

// The nearest bfloat16, ties to even; past the largest one it becomes infinite.
uint16_t NearestBFloat16(float value);

}  // namespace ferry::llm
