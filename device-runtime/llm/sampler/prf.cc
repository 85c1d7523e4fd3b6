#include "device-runtime/llm/sampler/prf.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/base/bytes.h"
#include "device-runtime/llm/sampler/prf_blocks.h"

namespace ferry::llm {

PrfKey PrfKey::FromSeed(uint64_t seed) {
  PrfKey key;
  PutU64(key.bytes.data(), seed);
  return key;
}

void PrfBlocks(const PrfKey& key, uint64_t position, std::span<const uint32_t> counters,
               uint32_t (*words)[kPrfBlockWords], const RowKernels& kernels) {
  uint32_t key_words[8];
  for (int i = 0; i < 8; ++i) key_words[i] = GetU32(key.bytes.data() + 4 * i);
  kernels.blocks(key_words, position, counters.data(), static_cast<int64_t>(counters.size()),
                 words);
}

void PrfWords(const PrfKey& key, uint64_t position, std::span<uint32_t> words) {
  PrfWords(key, position, words, ChosenRowKernels());
}

void PrfWords(const PrfKey& key, uint64_t position, std::span<uint32_t> words,
              const RowKernels& kernels) {
  constexpr size_t kPiece = 64;  // blocks
  uint32_t counters[kPiece];
  uint32_t blocks[kPiece][kPrfBlockWords];
  for (size_t at = 0; at < words.size(); at += kPiece * kPrfBlockWords) {
    const size_t count = std::min(words.size() - at, kPiece * kPrfBlockWords);
    const size_t needed = (count + kPrfBlockWords - 1) / kPrfBlockWords;
    for (size_t i = 0; i < needed; ++i) {
      counters[i] = static_cast<uint32_t>(at / kPrfBlockWords + i);
    }
    PrfBlocks(key, position, {counters, needed}, blocks, kernels);
    std::memcpy(words.data() + at, blocks, count * sizeof(uint32_t));
  }
}

double GumbelOfWord(uint32_t word) {
  return -std::log(-std::log((word + 0.5) * 0x1p-32));
}

}  // namespace ferry::llm
