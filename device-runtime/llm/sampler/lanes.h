// The row kernels on vectors of kLanes words, written once with the compilers' vector types; a file
// an instruction set includes it and names its width. Source: own; ChaCha20 after RFC 8439.
#pragma once

#include <cstring>
#include <limits>

#include "device-runtime/llm/sampler/gumbel_bound.h"
#include "device-runtime/llm/sampler/row_kernels.h"

namespace ferry::llm {
namespace {

template <int kLanes>
struct Vectors;

#define FERRY_VECTORS(lanes)                                          \
  template <>                                                         \
  struct Vectors<lanes> {                                             \
    typedef uint32_t Words __attribute__((vector_size(4 * (lanes)))); \
    typedef int32_t Ints __attribute__((vector_size(4 * (lanes))));   \
    typedef float Floats __attribute__((vector_size(4 * (lanes))));   \
  }
FERRY_VECTORS(4);
FERRY_VECTORS(8);
FERRY_VECTORS(16);
#undef FERRY_VECTORS

template <int kLanes>
struct Lanes {
  using Words = typename Vectors<kLanes>::Words;
  using Ints = typename Vectors<kLanes>::Ints;
  using Floats = typename Vectors<kLanes>::Floats;

  template <typename V, typename T>
  static inline __attribute__((always_inline)) V Load(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof(v));
    return v;
  }

  template <int kBits>
  static inline void AddXorRotate(Words& a, const Words& b, Words& d) {
    a += b;
    d ^= a;
    d = (d << kBits) | (d >> (32 - kBits));
  }

  static inline void QuarterRound(Words& a, Words& b, Words& c, Words& d) {
    AddXorRotate<16>(a, b, d);
    AddXorRotate<12>(c, d, b);
    AddXorRotate<8>(a, b, d);
    AddXorRotate<7>(c, d, b);
  }

  // kLanes blocks, a lane each.
  static void BlockGroup(const uint32_t (&state)[kPrfBlockWords], const uint32_t* counters,
                         uint32_t (*words)[kPrfBlockWords]) {
    constexpr int kCounter = 12;
    const Words counter = Load<Words>(counters);
    Words v[kPrfBlockWords];
    for (int i = 0; i < kPrfBlockWords; ++i) v[i] = Words{} + state[i];
    v[kCounter] = counter;
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < 4; ++i) QuarterRound(v[i], v[4 + i], v[8 + i], v[12 + i]);
      for (int i = 0; i < 4; ++i) {
        QuarterRound(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4]);
      }
    }
    uint32_t columns[kPrfBlockWords][kLanes];
    for (int i = 0; i < kPrfBlockWords; ++i) {
      const Words sum = v[i] + (i == kCounter ? counter : Words{} + state[i]);
      std::memcpy(columns[i], &sum, sizeof(sum));
    }
    for (int block = 0; block < kLanes; ++block) {
      for (int i = 0; i < kPrfBlockWords; ++i) words[block][i] = columns[i][block];
    }
  }

  static void Blocks(const uint32_t* key, uint64_t position, const uint32_t* counters,
                     int64_t count, uint32_t (*words)[kPrfBlockWords]) {
    uint32_t state[kPrfBlockWords] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    std::memcpy(state + 4, key, 32);
    state[13] = static_cast<uint32_t>(position);
    state[14] = static_cast<uint32_t>(position >> 32);
    int64_t at = 0;
    for (; at + kLanes <= count; at += kLanes) BlockGroup(state, counters + at, words + at);
    if (at == count) return;
    const auto rest = static_cast<size_t>(count - at);
    uint32_t last_counters[kLanes] = {};
    uint32_t last_words[kLanes][kPrfBlockWords];
    std::memcpy(last_counters, counters + at, rest * sizeof(uint32_t));
    BlockGroup(state, last_counters, last_words);
    std::memcpy(words + at, last_words, rest * sizeof(last_words[0]));
  }

  static inline float Largest(const Floats& v) {
    float largest = v[0];
    for (int i = 1; i < kLanes; ++i) largest = v[i] > largest ? v[i] : largest;
    return largest;
  }

  static void Maxima(const float* x, int64_t groups, float* maxima) {
    for (int64_t g = 0; g < groups; ++g, x += kGroupTokens) {
      Floats best = Floats{} - std::numeric_limits<float>::infinity();
      for (int i = 0; i < kGroupTokens; i += kLanes) {
        const auto v = Load<Floats>(x + i);
        best = v > best ? v : best;
      }
      maxima[g] = Largest(best);
    }
  }

  static void Bounds(const float* x, const uint32_t* words, float inverse_temperature,
                     int64_t groups, float* maxima) {
    for (int64_t g = 0; g < groups; ++g, x += kGroupTokens, words += kGroupTokens) {
      Floats best = Floats{} - std::numeric_limits<float>::infinity();
      for (int i = 0; i < kGroupTokens; i += kLanes) {
        // GumbelBound, a lane each.
        const Ints rest = (Ints)(~Load<Words>(words + i) >> 8);
        Floats e = __builtin_convertvector(rest, Floats);
        e = e > kGumbelLeast ? e : Floats{} + kGumbelLeast;
        const Floats bound = kGumbelBase - kGumbelScale * __builtin_convertvector((Ints)e, Floats);
        const Floats v = bound + inverse_temperature * Load<Floats>(x + i);
        best = v > best ? v : best;
      }
      maxima[g] = Largest(best);
    }
  }

  static constexpr RowKernels kKernels = {Blocks, Maxima, Bounds};
};

}  // namespace
}  // namespace ferry::llm
