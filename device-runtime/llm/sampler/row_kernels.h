// What the sampler does to every word of a row, for each instruction set. Integer results are the
// same on all of them; bounds may differ in rounding, which no choice depends on.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/isa.h"

namespace ferry::llm {

inline constexpr int64_t kPrfBlockWords = 16;
inline constexpr int64_t kGroupTokens = 64;  // tokens that share a maximum

inline constexpr float kMostGap = 87;  // e^-87 is still a normal float

struct RowKernels {
  // words[i] = the ChaCha20 block of `key` (8 words), counter counters[i] and nonce (position, 0).
  void (*blocks)(const uint32_t* key, uint64_t position, const uint32_t* counters, int64_t count,
                 uint32_t (*words)[kPrfBlockWords]);
  // maxima[g] = the largest of x[64 g .. 64 g + 64); NaN is passed over, -infinity when all are.
  void (*maxima)(const float* x, int64_t groups, float* maxima);
  // The same of GumbelBound(words[i]) + inverse_temperature * x[i].
  void (*bounds)(const float* x, const uint32_t* words, float inverse_temperature, int64_t groups,
                 float* maxima);
  // masses[i] = exp((x[i] - largest) / temperature), 0 for NaN and below e^-87, with a relative
  // error under 1e-5; the same bits on every instruction set. For `groups` whole groups.
  void (*masses)(const float* x, float largest, float temperature, int64_t groups, float* masses);
};

const RowKernels& RowKernelsOf(kernels::Isa isa);
// Those of kernels::ChooseIsa() at the first call; the fastest that runs when that fails.
const RowKernels& ChosenRowKernels();

extern const RowKernels kRowBaseline, kRowAvx2, kRowAvx512;

}  // namespace ferry::llm
