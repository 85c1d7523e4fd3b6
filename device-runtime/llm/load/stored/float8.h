// F8_E4M3: a sign, four bits of exponent, three of fraction; no infinity. Source: Micikevicius et
// al., "FP8 Formats for Deep Learning" (2022).
#pragma once

#include <cstdint>

namespace ferry::llm {

float Float8Value(uint8_t bits);  // NaN for the two codes that are none

}  // namespace ferry::llm
