// The row kernels on vectors of kLanes words, written once with the compilers' vector types; a file
// an instruction set includes it and names its width. Source: ChaCha20 after RFC 8439.
#pragma once

#include <cstring>
#include <limits>
#include <utility>

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

  template <typename V>
  static inline __attribute__((always_inline)) void Store(const V& v, uint32_t* to) {
    std::memcpy(to, &v, sizeof(v));
  }

  template <int kBits>
  static inline __attribute__((always_inline)) void AddXorRotate(Words& a, const Words& b,
                                                                 Words& d) {
    a += b;
    d ^= a;
    d = (d << kBits) | (d >> (32 - kBits));
  }

  static inline __attribute__((always_inline)) void QuarterRound(Words& a, Words& b, Words& c,
                                                                 Words& d) {
    AddXorRotate<16>(a, b, d);
    AddXorRotate<12>(c, d, b);
    AddXorRotate<8>(a, b, d);
    AddXorRotate<7>(c, d, b);
  }

  // body(0), ..., body(15), unrolled at any level of optimisation: the state stays in registers.
  template <typename Body>
  static inline __attribute__((always_inline)) void Each(const Body& body) {
    [&]<int... i>(std::integer_sequence<int, i...>) {
      (body(std::integral_constant<int, i>{}), ...);
    }
    (std::make_integer_sequence<int, kPrfBlockWords>{});
  }

  static inline __attribute__((always_inline)) void DoubleRound(Words (&v)[kPrfBlockWords]) {
    QuarterRound(v[0], v[4], v[8], v[12]);
    QuarterRound(v[1], v[5], v[9], v[13]);
    QuarterRound(v[2], v[6], v[10], v[14]);
    QuarterRound(v[3], v[7], v[11], v[15]);
    QuarterRound(v[0], v[5], v[10], v[15]);
    QuarterRound(v[1], v[6], v[11], v[12]);
    QuarterRound(v[2], v[7], v[8], v[13]);
    QuarterRound(v[3], v[4], v[9], v[14]);
  }

  // kLanes blocks, a lane each.
  static void BlockGroup(const uint32_t (&state)[kPrfBlockWords], const uint32_t* counters,
                         uint32_t (*words)[kPrfBlockWords]) {
    constexpr int kCounter = 12;
    const Words counter = Load<Words>(counters);
    Words v[kPrfBlockWords];
    Each([&](auto i) { v[i] = i == kCounter ? counter : Words{} + state[i]; });
    for (int round = 0; round < 10; ++round) DoubleRound(v);
    Each([&](auto i) { v[i] += i == kCounter ? counter : Words{} + state[i]; });
    // Lane `block` of word i becomes word i of `block`: four words of four blocks at a time.
    alignas(64) uint32_t columns[kPrfBlockWords][kLanes];
    Each([&](auto i) { std::memcpy(columns[i], &v[i], sizeof(v[i])); });
    using Four = typename Vectors<4>::Words;
    for (int block = 0; block < kLanes; block += 4) {
      for (int i = 0; i < kPrfBlockWords; i += 4) {
        const auto a = Load<Four>(&columns[i][block]), b = Load<Four>(&columns[i + 1][block]);
        const auto c = Load<Four>(&columns[i + 2][block]), d = Load<Four>(&columns[i + 3][block]);
        const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        const Four cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        const Four ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const Four cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        Store(__builtin_shufflevector(ab, cd, 0, 1, 4, 5), &words[block][i]);
        Store(__builtin_shufflevector(ab, cd, 2, 3, 6, 7), &words[block + 1][i]);
        Store(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), &words[block + 2][i]);
        Store(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), &words[block + 3][i]);
      }
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

  static inline __attribute__((always_inline)) float Largest(const Floats& v) {
    if constexpr (kLanes > 4) {
      return [&]<int... i>(std::integer_sequence<int, i...>) {
        const auto low = __builtin_shufflevector(v, v, i...);
        const auto high = __builtin_shufflevector(v, v, (kLanes / 2 + i)...);
        return Lanes<kLanes / 2>::Largest(low > high ? low : high);
      }
      (std::make_integer_sequence<int, kLanes / 2>{});
    } else {
      const float a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
      return a > b ? a : b;
    }
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
        const Ints rest = (Ints)(0xffffffu - (Load<Words>(words + i) >> 8));
        Floats e = __builtin_convertvector(rest, Floats);
        e = e > kGumbelLeast ? e : Floats{} + kGumbelLeast;
        const Floats bound = kGumbelBase - kGumbelScale * __builtin_convertvector((Ints)e, Floats);
        const Floats v = bound + inverse_temperature * Load<Floats>(x + i);
        best = v > best ? v : best;
      }
      maxima[g] = Largest(best);
    }
  }

  static void Masses(const float* x, float largest, float temperature, int64_t groups,
                     float* masses) {
    constexpr float kLog2E = 1.44269504f;
    constexpr float kRound = 0x1.8p23f;  // adding it leaves the nearest integer in the low bits
    // 2^f on [-0.5, 0.5]: the series of exp(f ln 2) up to the sixth power.
    constexpr float kSeries[] = {1.54035304e-4f,
                                 1.33335581e-3f,
                                 9.61812911e-3f,
                                 5.55041087e-2f,
                                 2.40226507e-1f,
                                 6.93147181e-1f,
                                 1.0f};
    for (int64_t i = 0; i < groups * kGroupTokens; i += kLanes) {
      const Floats gap = (largest - Load<Floats>(x + i)) / temperature;
      const Ints some = gap < kMostGap;  // false for NaN
      const Floats y = -kLog2E * (some ? gap : Floats{});
      const Floats shifted = y + kRound;
      const Floats f = y - (shifted - kRound);
      Floats power = Floats{} + kSeries[0];
      for (int k = 1; k < 7; ++k) power = power * f + kSeries[k];
      const Ints scaled = (Ints)power + ((Ints)shifted << 23);  // power times 2^integer
      const Ints mass = scaled & some;
      std::memcpy(masses + i, &mass, sizeof(mass));
    }
  }

  static constexpr RowKernels kKernels = {Blocks, Maxima, Bounds, Masses};
};

}  // namespace
}  // namespace ferry::llm
