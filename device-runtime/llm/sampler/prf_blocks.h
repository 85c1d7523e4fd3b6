// Whole blocks of the pseudo-random function, and a choice of instruction set.
#pragma once

#include <span>

#include "device-runtime/llm/sampler/prf.h"
#include "device-runtime/llm/sampler/row_kernels.h"

namespace ferry::llm {

// words[i] = those of the tokens [16 counters[i], 16 counters[i] + 16) at `position`.
void PrfBlocks(const PrfKey& key, uint64_t position, std::span<const uint32_t> counters,
               uint32_t (*words)[kPrfBlockWords], const RowKernels& kernels);
void PrfWords(const PrfKey& key, uint64_t position, std::span<uint32_t> words,
              const RowKernels& kernels);

}  // namespace ferry::llm
