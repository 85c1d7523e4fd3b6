// The only randomness of sampling: a pseudo-random function of (key, position, token). Source: the
// ChaCha20 block function, RFC 8439 section 2.3; word (token mod 16) of the block with counter
// token / 16 and nonce (position, 0).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ferry::llm {

struct PrfKey {
  std::array<uint8_t, 32> bytes{};
  // The seed, little-endian, then zeros.
  static PrfKey FromSeed(uint64_t seed);
  bool operator==(const PrfKey&) const = default;
};

// words[t] for tokens [0, words.size()) at `position`.
void PrfWords(const PrfKey& key, uint64_t position, std::span<uint32_t> words);

// Standard Gumbel noise of a word: -log(-log((word + 0.5) / 2^32)).
double GumbelOfWord(uint32_t word);

}  // namespace ferry::llm
