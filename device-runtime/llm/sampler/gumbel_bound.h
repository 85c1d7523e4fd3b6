// A cheap upper bound of the Gumbel noise of a word.
//
// With u = (word + 0.5) / 2^32 and e = 1 - u: -log(u) >= e, so the noise -log(-log(u)) is at most
// -log(e). The leading 24 bits of the complement give n with e > n / 2^24 (e >= 2^-33 for n = 0),
// and the bits of a float, read as an integer, a lower bound of its logarithm: log2(2^k (1 + m)) >=
// k + m.
#pragma once

#include <bit>
#include <cstdint>

namespace ferry::llm {

inline constexpr float kGumbelLeast = 0x1p-9f;  // of n
inline constexpr float kGumbelScale = 0.693147181f / 0x1p23f;
inline constexpr float kGumbelBase = 0.693147181f * (127 + 24);

// At least the noise but for rounding errors below 1e-4 (kGumbelSlack allows ten times that). At
// most 0.1 above it for noise between 3 and 12, at most 0.8 for more, the 256 highest words apart.
inline float GumbelBound(uint32_t word) {
  const float n = static_cast<float>(static_cast<int32_t>(~word >> 8));
  const float e = n > kGumbelLeast ? n : kGumbelLeast;
  return kGumbelBase - kGumbelScale * static_cast<float>(std::bit_cast<int32_t>(e));
}

inline constexpr float kGumbelSlack = 1e-3f;
inline constexpr float kGumbelMost = 23;  // noise lies in (-4, 23)

}  // namespace ferry::llm
