// SHA-256 by the instructions that newer x86 processors have for it. Source: Intel's reference of
// SHA256RNDS2, SHA256MSG1 and SHA256MSG2.
#include "device-runtime/vm/lib/module/_hashlib/digest.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#include "device-runtime/vm/lib/module/_hashlib/constants.h"

namespace ferry::vm {
namespace {

bool HasInstructions() {
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0)
    return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

__attribute__((target("sha,ssse3,sse4.1"))) void Take(Digest* digest, const uint8_t* block) {
  const auto word = [&](size_t i) { return static_cast<int>(digest->words[i]); };
  __m128i abef = _mm_set_epi32(word(0), word(1), word(4), word(5));
  __m128i cdgh = _mm_set_epi32(word(2), word(3), word(6), word(7));
  const __m128i abef_before = abef, cdgh_before = cdgh;
  const __m128i swap = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
  __m128i w[4];  // the last sixteen words of the schedule
#pragma GCC unroll 16
  for (size_t i = 0; i < 16; ++i) {
    __m128i& next = w[i % 4];
    if (i < 4) {
      next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
      next = _mm_shuffle_epi8(next, swap);
    } else {
      const __m128i last = w[(i + 3) % 4];
      next = _mm_sha256msg1_epu32(next, w[(i + 1) % 4]);
      next = _mm_add_epi32(next, _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
      next = _mm_sha256msg2_epu32(next, last);
    }
    const auto constant = [&](size_t k) { return static_cast<int>(kCubeRoots[4 * i + k] >> 32); };
    __m128i sum = _mm_set_epi32(constant(3), constant(2), constant(1), constant(0));
    sum = _mm_add_epi32(sum, next);
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
  }
  alignas(16) uint32_t high[4], low[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(high), _mm_add_epi32(abef, abef_before));
  _mm_store_si128(reinterpret_cast<__m128i*>(low), _mm_add_epi32(cdgh, cdgh_before));
  const uint32_t words[] = {high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0]};
  for (size_t i = 0; i < 8; ++i) digest->words[i] = words[i];
}

}  // namespace

bool TakeSha256Quick(Digest* digest, const uint8_t* block) {
  static const bool kCan = HasInstructions();
  if (kCan) Take(digest, block);
  return kCan;
}

}  // namespace ferry::vm
#else
namespace ferry::vm {

bool TakeSha256Quick(Digest*, const uint8_t*) {
  return false;
}

}  // namespace ferry::vm
#endif
