// Intrinsics leave registers that they overwrite wholly uninitialised, of which GCC 12 warns (its
// bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#include <immintrin.h>

#include "device-runtime/kernels/packed/wide.h"
#include "device-runtime/kernels/tiled/kernels.h"

namespace ferry::kernels {
namespace {

// What LDTILECFG reads: all eight registers hold 16 rows of 64 bytes.
struct alignas(64) TileShapes {
  uint8_t palette;
  uint8_t start_row;
  uint8_t reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};
constexpr TileShapes kWhole = {
    1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};

constexpr int64_t kHalf = 16;  // rows, or columns, of a register

void Begin() {
  _tile_loadconfig(&kWhole);
}
void End() {
  _tile_release();
}

// Registers 0 to 3 are sums (two rows of two), 4 and 5 A, 6 and 7 B.
template <bool kTwoRows, bool kTwoColumns>
inline void LoadSums(const TiledBlock& t) {
  const auto* from = static_cast<const int32_t*>(t.start != nullptr ? t.start : t.sums);
  const int64_t stride = t.start != nullptr ? 0 : kTiledColumns * 4;
  const int64_t below = t.start != nullptr ? 0 : kHalf * kTiledColumns;
  _tile_loadd(0, from, stride);
  if constexpr (kTwoColumns) _tile_loadd(1, from + kHalf, stride);
  if constexpr (kTwoRows) {
    _tile_loadd(2, from + below, stride);
    if constexpr (kTwoColumns) _tile_loadd(3, from + below + kHalf, stride);
  }
}

template <bool kTwoRows, bool kTwoColumns>
inline void StoreSums(const TiledBlock& t) {
  auto* to = static_cast<int32_t*>(t.sums);
  constexpr int64_t kStride = kTiledColumns * 4, kBelow = kHalf * kTiledColumns;
  _tile_stored(0, to, kStride);
  if constexpr (kTwoColumns) _tile_stored(1, to + kHalf, kStride);
  if constexpr (kTwoRows) {
    _tile_stored(2, to + kBelow, kStride);
    if constexpr (kTwoColumns) _tile_stored(3, to + kBelow + kHalf, kStride);
  }
}

// The registers are operands of instructions: a macro, as no variable can name them.
#define FERRY_TILE_PRODUCT(sums, a, b) \
  do {                                 \
    if constexpr (kBytes) {            \
      _tile_dpbusd(sums, a, b);        \
    } else {                           \
      _tile_dpbf16ps(sums, a, b);      \
    }                                  \
  } while (false)

template <bool kBytes, bool kTwoRows, bool kTwoColumns>
void Sum(const TiledBlock& t) {
  LoadSums<kTwoRows, kTwoColumns>(t);
  constexpr int64_t kStride = (kTwoColumns ? 2 : 1) * kTiledChunk;
  const uint8_t* a = t.a;
  const auto* b = static_cast<const uint8_t*>(t.b);
  for (int64_t i = 0; i < t.chunks; ++i, a += kTiledStep, b += kTiledGroups * kStride) {
    _tile_loadd(4, a, kTiledChunk);
    _tile_loadd(6, b, kStride);
    FERRY_TILE_PRODUCT(0, 4, 6);
    if constexpr (kTwoColumns) {
      _tile_loadd(7, b + kTiledChunk, kStride);
      FERRY_TILE_PRODUCT(1, 4, 7);
    }
    if constexpr (kTwoRows) {
      _tile_loadd(5, a + kHalf * kTiledChunk, kTiledChunk);
      FERRY_TILE_PRODUCT(2, 5, 6);
      if constexpr (kTwoColumns) FERRY_TILE_PRODUCT(3, 5, 7);
    }
  }
  StoreSums<kTwoRows, kTwoColumns>(t);
}

template <bool kBytes>
void Block(const TiledBlock& t) {
  if (t.rows > kHalf) {
    t.columns > kHalf ? Sum<kBytes, true, true>(t) : Sum<kBytes, true, false>(t);
  } else {
    t.columns > kHalf ? Sum<kBytes, false, true>(t) : Sum<kBytes, false, false>(t);
  }
}

// The parts of chunk after chunk, in the order of kTiledProducts.
template <bool kTwoRows, bool kTwoColumns>
void SumFloats(const TiledBlock& t) {
  constexpr bool kBytes = false;
  LoadSums<kTwoRows, kTwoColumns>(t);
  constexpr int64_t kStride = (kTwoColumns ? 2 : 1) * kTiledChunk;
  constexpr int64_t kRight = kTiledGroups * kStride;  // from part to part of B
  const auto left = [](const uint8_t* a) {
    _tile_loadd(4, a, kTiledChunk);
    if constexpr (kTwoRows) _tile_loadd(5, a + kHalf * kTiledChunk, kTiledChunk);
  };
  const auto right = [](const uint8_t* b) {
    _tile_loadd(6, b, kStride);
    if constexpr (kTwoColumns) _tile_loadd(7, b + kTiledChunk, kStride);
  };
  const auto multiply = [] {
    FERRY_TILE_PRODUCT(0, 4, 6);
    if constexpr (kTwoColumns) FERRY_TILE_PRODUCT(1, 4, 7);
    if constexpr (kTwoRows) FERRY_TILE_PRODUCT(2, 5, 6);
    if constexpr (kTwoRows && kTwoColumns) FERRY_TILE_PRODUCT(3, 5, 7);
  };
  const uint8_t* a = t.a;
  const auto* b = static_cast<const uint8_t*>(t.b);
  for (int64_t i = 0; i < t.chunks; ++i) {
    right(b);
    left(a);
    multiply();
    left(a + kTiledStep);
    multiply();
    right(b + kRight);
    left(a);
    multiply();
    a += kMaxTiledParts * kTiledStep;
    b += kMaxTiledParts * kRight;
  }
  StoreSums<kTwoRows, kTwoColumns>(t);
}
#undef FERRY_TILE_PRODUCT

void Floats(const TiledBlock& t) {
  if (t.rows > kHalf) {
    t.columns > kHalf ? SumFloats<true, true>(t) : SumFloats<true, false>(t);
  } else {
    t.columns > kHalf ? SumFloats<false, true>(t) : SumFloats<false, false>(t);
  }
}

inline __mmask64 First(int64_t count) {
  return count >= kTiledChunk ? ~__mmask64{0} : (__mmask64{1} << count) - 1;
}

// What ends within a chunk is stored with zeros up to its end, where nothing is yet: a register is
// loaded from whole lines that were just stored, but must wait for parts of lines.
void Copy(const TiledCopy& t) {
  const __m512i flip = _mm512_set1_epi8(static_cast<char>(t.flip));
  uint8_t* const first = t.a + t.at / kTiledChunk * kTiledStep;
  const int64_t offset = t.at % kTiledChunk;
  const auto some = [&](const uint8_t* from, __mmask64 mask) {
    return _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip);
  };
  for (int64_t r = 0; r < t.count; ++r) {
    const uint8_t* from = t.rows[r];
    uint8_t* to = first + r * kTiledChunk;
    int64_t left = t.bytes;
    if (offset > 0) {
      const int64_t count = left < kTiledChunk - offset ? left : kTiledChunk - offset;
      _mm512_mask_storeu_epi8(to + offset, First(count), some(from, First(count)));
      from += count;
      left -= count;
      to += kTiledStep;
    }
    for (; left >= kTiledChunk; left -= kTiledChunk, from += kTiledChunk, to += kTiledStep) {
      _mm512_store_si512(to, _mm512_xor_si512(_mm512_loadu_si512(from), flip));
    }
    if (left > 0) _mm512_store_si512(to, some(from, First(left)));
  }
}

inline __m512 Widened(__m256i halves) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

// 32 numbers as two parts.
struct Parts {
  Parts(__m512 low, __m512 high) {
    first = (__m512i)_mm512_cvtne2ps_pbh(high, low);
    const __m512 low_rest = _mm512_sub_ps(low, Widened(_mm512_castsi512_si256(first)));
    const __m512 high_rest = _mm512_sub_ps(high, Widened(_mm512_extracti64x4_epi64(first, 1)));
    constexpr int kNanOrInfinity = 0x99;  // quiet NaN, +infinity, -infinity, signalling NaN
    const __mmask16 low_not = _mm512_fpclass_ps_mask(low_rest, kNanOrInfinity);
    const __mmask16 high_not = _mm512_fpclass_ps_mask(high_rest, kNanOrInfinity);
    const __mmask32 finite = ~(static_cast<__mmask32>(high_not) << 16 | low_not);
    second = _mm512_maskz_mov_epi16(finite, (__m512i)_mm512_cvtne2ps_pbh(high_rest, low_rest));
    all_finite = finite == ~__mmask32{0};
  }
  __m512i first, second;
  bool all_finite;
};

// `count` numbers, at most 32, and zeros.
inline Parts SomeParts(const uint8_t* from, int64_t count) {
  const __mmask16 low = static_cast<__mmask16>((uint32_t{1} << (count < 16 ? count : 16)) - 1);
  const __mmask16 high = static_cast<__mmask16>((uint32_t{1} << (count < 16 ? 0 : count - 16)) - 1);
  return {_mm512_maskz_loadu_ps(low, from), _mm512_maskz_loadu_ps(high, from + 64)};
}

// As Copy.
void Split(const TiledCopy& t) {
  constexpr int64_t kNumbers = kTiledChunk / 2;  // of a chunk
  constexpr int64_t kNext = kMaxTiledParts * kTiledStep;
  const int64_t at = t.at / 4;
  uint8_t* const first = t.a + at / kNumbers * kNext;
  const int64_t offset = at % kNumbers;
  for (int64_t r = 0; r < t.count; ++r) {
    const uint8_t* from = t.rows[r];
    uint8_t* to = first + r * kTiledChunk;
    int64_t left = t.bytes / 4;
    bool finite = true;
    if (offset > 0) {
      const int64_t some = left < kNumbers - offset ? left : kNumbers - offset;
      const auto halves = static_cast<__mmask32>((uint64_t{1} << some) - 1);
      const Parts x = SomeParts(from, some);
      finite = x.all_finite;
      _mm512_mask_storeu_epi16(to + 2 * offset, halves, x.first);
      _mm512_mask_storeu_epi16(to + 2 * offset + kTiledStep, halves, x.second);
      from += 4 * some;
      left -= some;
      to += kNext;
    }
    for (; left >= kNumbers; left -= kNumbers, from += 4 * kNumbers, to += kNext) {
      const Parts x(_mm512_loadu_ps(from), _mm512_loadu_ps(from + 64));
      finite &= x.all_finite;
      _mm512_store_si512(to, x.first);
      _mm512_store_si512(to + kTiledStep, x.second);
    }
    if (left > 0) {
      const Parts x = SomeParts(from, left);
      finite &= x.all_finite;
      _mm512_store_si512(to, x.first);
      _mm512_store_si512(to + kTiledStep, x.second);
    }
    if (!finite && t.infinite != nullptr) *t.infinite |= uint32_t{1} << r;
  }
}

// Columns from `first` on, up to 16. The order of operands lets NaN pass.
template <bool kAdds>
inline void FinishHalf(const TiledFinish& t, int64_t first) {
  const int64_t count = t.columns - first;
  const auto lanes = static_cast<__mmask16>((uint32_t{1} << (count < 16 ? count : 16)) - 1);
  const __m512 low = _mm512_set1_ps(t.low), high = _mm512_set1_ps(t.high);
  const __m512 bias =
      t.bias == nullptr ? _mm512_setzero_ps() : _mm512_maskz_loadu_ps(lanes, t.bias + first);
  const float* sums = t.sums + first;
  const float* add = kAdds ? t.add + first : nullptr;
  float* c = t.c + first;
  for (int64_t i = 0; i < t.rows; ++i, sums += kTiledColumns, c += t.c_stride) {
    __m512 x = _mm512_add_ps(_mm512_load_ps(sums), bias);
    if constexpr (kAdds) {
      x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(lanes, add));
      add += t.c_stride;
    }
    x = _mm512_min_ps(high, _mm512_max_ps(low, x));
    if (lanes == 0xffff) {  // a masked store is slow
      _mm512_storeu_ps(c, x);
    } else {
      _mm512_mask_storeu_ps(c, lanes, x);
    }
  }
}

void Finish(const TiledFinish& t) {
  for (int64_t first = 0; first < t.columns; first += kHalf)
    t.add == nullptr ? FinishHalf<false>(t, first) : FinishHalf<true>(t, first);
}

}  // namespace

const TiledKernels kTiledAmx = {true,
                                Begin,
                                End,
                                {kTiledChunk, 1, Copy, Block<true>},
                                {kTiledChunk, 1, Copy, Block<false>},
                                {2 * kTiledChunk, kMaxTiledParts, Split, Floats},
                                Finish,
                                {PackedWideAmx2, PackedWideAmx3, PackedWideAmx4, PackedWideAmx8}};

}  // namespace ferry::kernels
