// SHA-1 and SHA-256 by the instructions that newer x86 processors have for them. Source: Intel's
// reference of SHA1RNDS4, SHA1NEXTE, SHA256RNDS2 and those of the schedules.
#include "device-runtime/vm/lib/modules/_hashlib/digest.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#include "device-runtime/vm/lib/modules/_hashlib/constants.h"

namespace ferry::vm {
namespace {

bool HasInstructions() {
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0)
    return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

__attribute__((target("sha,ssse3,sse4.1"))) void TakeOfSha1(Digest* digest, const uint8_t* block) {
  const auto word = [&](size_t i) { return static_cast<int>(digest->words[i]); };
  __m128i abcd = _mm_set_epi32(word(0), word(1), word(2), word(3));
  const __m128i abcd_before = abcd, e_before = _mm_set_epi32(word(4), 0, 0, 0);
  const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090A0B0C0D0E0F);
  __m128i w[4], last = abcd;  // the schedule's last sixteen words; what was abcd four rounds ago
#pragma GCC unroll 20
  for (size_t i = 0; i < 20; ++i) {
    __m128i& next = w[i % 4];
    if (i < 4) {
      next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
      next = _mm_shuffle_epi8(next, swap);
    } else {
      next = _mm_sha1msg1_epu32(next, w[(i + 1) % 4]);
      next = _mm_xor_si128(next, w[(i + 2) % 4]);
      next = _mm_sha1msg2_epu32(next, w[(i + 3) % 4]);
    }
    const __m128i e = i == 0 ? _mm_add_epi32(e_before, next) : _mm_sha1nexte_epu32(last, next);
    last = abcd;
    switch (i / 5) {
      case 0:
        abcd = _mm_sha1rnds4_epu32(abcd, e, 0);
        break;
      case 1:
        abcd = _mm_sha1rnds4_epu32(abcd, e, 1);
        break;
      case 2:
        abcd = _mm_sha1rnds4_epu32(abcd, e, 2);
        break;
      default:
        abcd = _mm_sha1rnds4_epu32(abcd, e, 3);
        break;
    }
  }
  alignas(16) uint32_t words[4], e[4];
  _mm_store_si128(reinterpret_cast<__m128i*>(words), _mm_add_epi32(abcd, abcd_before));
  _mm_store_si128(reinterpret_cast<__m128i*>(e), _mm_sha1nexte_epu32(last, e_before));
  for (size_t i = 0; i < 4; ++i) digest->words[i] = words[3 - i];
  digest->words[4] = e[3];
}

__attribute__((target("sha,ssse3,sse4.1"))) void TakeOfSha256(Digest* digest,
                                                              const uint8_t* block) {
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

bool TakeSha1Quick(Digest* digest, const uint8_t* block) {
  static const bool kCan = HasInstructions();
  if (kCan) TakeOfSha1(digest, block);
  return kCan;
}

bool TakeSha256Quick(Digest* digest, const uint8_t* block) {
  static const bool kCan = HasInstructions();
  if (kCan) TakeOfSha256(digest, block);
  return kCan;
}

}  // namespace ferry::vm
#else
namespace ferry::vm {

bool TakeSha1Quick(Digest*, const uint8_t*) {
  return false;
}

bool TakeSha256Quick(Digest*, const uint8_t*) {
  return false;
}

}  // namespace ferry::vm
#endif
