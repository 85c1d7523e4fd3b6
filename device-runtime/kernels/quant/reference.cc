#include <cmath>

#include "device-runtime/kernels/quant/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kGroup = 4;
constexpr int kColumns = 8;

int32_t Wrapped(int64_t x) {
  return static_cast<int32_t>(static_cast<uint32_t>(x));
}

template <bool kSigned>
int32_t Element(uint8_t x) {
  return kSigned ? static_cast<int8_t>(x) : x;
}

template <bool kSigned, int kRows>
void Tile(const QuantTile& t) {
  for (int r = 0; r < kRows; ++r) {
    int64_t sum[kColumns];
    for (int j = 0; j < kColumns; ++j) {
      sum[j] = t.start != nullptr ? t.start[j] : t.sums[r * kMaxQuantWidth + j];
    }
    const int8_t* b = t.b;
    for (int64_t tap = 0; tap < t.taps; ++tap) {
      const uint8_t* a = t.a[tap * kRows + r];
      for (int64_t k = 0; k < t.depth; k += kGroup, b += kColumns * kGroup) {
        for (int64_t i = k; i < t.depth && i < k + kGroup; ++i) {
          const int32_t left = Element<kSigned>(a[i]) + (kSigned ? 128 : 0);
          for (int j = 0; j < kColumns; ++j) sum[j] += left * b[j * kGroup + i - k];
        }
      }
    }
    for (int j = 0; j < kColumns; ++j) t.sums[r * kMaxQuantWidth + j] = Wrapped(sum[j]);
  }
}

// NaN becomes `low`.
float Clip(float x, float low, float high) {
  x = x > low ? x : low;
  return x > high ? high : x;
}

template <QuantType kType>
void FinishOne(const QuantFinish& f, int64_t row, int64_t c) {
  const QuantEpilogue& e = *f.epilogue;
  const int32_t sum = f.sums[row * f.sums_stride + c];
  const int64_t at = row * f.y_stride + c;
  if constexpr (kType == QuantType::kI32) {
    static_cast<int32_t*>(f.y)[at] = sum;
    return;
  }
  float r = std::fma(static_cast<float>(sum), f.factor[c], f.offset == nullptr ? 0 : f.offset[c]);
  if (f.add != nullptr) {
    if (e.rounds_first) r = std::nearbyint(Clip(r, e.first_low, e.first_high));
    const int32_t add = e.add_signed ? Element<true>(f.add[at]) : Element<false>(f.add[at]);
    r = std::fma(static_cast<float>(add) - e.add_zero, e.add_factor, r * e.first_factor);
  }
  if constexpr (kType == QuantType::kF32) {
    static_cast<float*>(f.y)[at] = std::isnan(r) ? r : Clip(r, e.low, e.high);
  } else {
    r = Clip(r, e.low, e.high);
    static_cast<uint8_t*>(f.y)[at] =
        static_cast<uint8_t>(static_cast<int32_t>(std::nearbyint(r)) + e.zero);
  }
}

template <QuantType kType>
void Finish(const QuantFinish& f) {
  for (int64_t row = 0; row < f.rows; ++row) {
    for (int64_t c = 0; c < f.columns; ++c) FinishOne<kType>(f, row, c);
  }
}

template <bool kSigned>
void Depthwise(const QuantDepthwise& t) {
  for (int64_t i = 0; i < t.pixels * t.channels; ++i) {
    const int64_t c = i % t.channels, pixel = i / t.channels;
    int64_t sum = t.start[c];
    for (int64_t tap = 0; tap < 2 * t.pairs; ++tap) {
      sum += Element<kSigned>(t.in[tap][pixel * t.pixel_stride + c]) *
             t.weight[tap / 2 * t.pair_stride + 2 * c + tap % 2];
    }
    t.sums[pixel * t.sums_stride + c] = Wrapped(sum);
  }
}

template <bool kSigned>
void MaxOf(int64_t count, const uint8_t* const* taps, int64_t channels, uint8_t* out) {
  for (int64_t c = 0; c < channels; ++c) {
    uint8_t largest = taps[0][c];
    for (int64_t t = 1; t < count; ++t) {
      if (Element<kSigned>(taps[t][c]) > Element<kSigned>(largest)) largest = taps[t][c];
    }
    out[c] = largest;
  }
}

template <bool kSigned>
void SumOf(int64_t count, const uint8_t* const* taps, int64_t channels, int32_t* sums) {
  for (int64_t c = 0; c < channels; ++c) {
    int64_t sum = sums[c];
    for (int64_t t = 0; t < count; ++t) sum += Element<kSigned>(taps[t][c]);
    sums[c] = Wrapped(sum);
  }
}

void Quantize(const QuantizeRun& t) {
  for (int64_t i = 0; i < t.count; ++i) {
    const float r = std::nearbyint(Clip(t.x[i] / t.scale, t.low, t.high));
    t.y[i] = static_cast<uint8_t>(static_cast<int32_t>(r) + t.zero);
  }
}

template <bool kMultiplies>
void Binary(const QuantPairRun& t) {
  const QuantBinaryShape& s = *t.shape;
  for (int64_t i = 0; i < t.count; ++i) {
    const int32_t a = s.a_signed ? Element<true>(t.a[i]) : Element<false>(t.a[i]);
    const int32_t b = s.b_signed ? Element<true>(t.b[i]) : Element<false>(t.b[i]);
    const float x = static_cast<float>(a) - s.a_zero, w = static_cast<float>(b) - s.b_zero;
    const float r = kMultiplies ? x * w * s.a_factor : std::fma(w, s.b_factor, x * s.a_factor);
    const float steps = std::nearbyint(Clip(r, s.low, s.high));
    t.y[i] = static_cast<uint8_t>(static_cast<int32_t>(steps) + s.zero);
  }
}

void Lookup(int64_t count, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  for (int64_t i = 0; i < count; ++i) y[i] = table[x[i]];
}

template <bool kHalves>
void Widen(const QuantWiden& t) {
  for (int64_t i = 0; i < t.rows * t.columns; ++i) {
    const int64_t row = i / t.columns, c = i % t.columns;
    const int32_t q =
        kHalves ? t.q[row / 2 * t.columns + c] >> (row % 2 * 4) & 15 : Element<true>(t.q[i]);
    t.out[i] = (static_cast<float>(q) - t.zero[c]) * t.scale[c];
  }
}

// B^T and 24 A^T with the divisors of G's rows (winograd.cc).
constexpr int32_t kPointLines[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0},
                                       {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0},
                                       {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
constexpr int32_t kPixelLines[4][6] = {
    {6, -4, -4, 1, 1, 0}, {0, -4, 4, 2, -2, 0}, {0, -4, -4, 4, 4, 0}, {0, -4, 4, 8, -8, 24}};

template <bool kSigned>
void PointsOf(const QuantPoints& t) {
  for (int64_t i = 0; i < 36 * t.channels; ++i) {
    const int64_t c = i / 36, y = i % 36 / 6, x = i % 6;
    int32_t sum = 0;
    for (int p = 0; p < 36; ++p) {
      const int32_t d = Element<kSigned>(t.pixels[p][c]) - t.zero;
      sum += kPointLines[y][p / 6] * kPointLines[x][p % 6] * d;
    }
    t.out[(6 * y + x) * t.point_stride + c] = static_cast<int16_t>(sum);
  }
  for (int64_t p = 0; t.channels % 2 == 1 && p < 36; ++p) {
    t.out[p * t.point_stride + t.channels] = 0;
  }
}

void PairTile(const QuantPairTile& t) {
  for (int64_t j = 0; j < kColumns; ++j) {
    int64_t sum = 0;
    for (int64_t k = 0; k < 2 * t.pairs; ++k) {
      sum += t.a[k] * t.b[(k / 2 * kColumns + j) * 2 + k % 2];
    }
    t.c[j] = Wrapped(sum);
  }
}

void PixelsOf(const QuantPixels& t) {
  for (int64_t i = 0; i < 16 * t.channels; ++i) {
    const int64_t c = i / 16, y = i % 16 / 4, x = i % 4;
    int64_t sum = 0;
    for (int p = 0; p < 36; ++p) {
      const int64_t factor = kPixelLines[y][p / 6] * kPixelLines[x][p % 6];
      sum += factor * t.in[p * t.point_stride + c];
    }
    const int32_t times_64 = Wrapped(static_cast<int64_t>(static_cast<uint32_t>(sum) * kNinth));
    t.sums[(4 * y + x) * t.sums_stride + c] = Wrapped(int64_t{times_64 >> 6} + t.start[c]);
  }
}

constexpr QuantWinograd kWinograd16 = {
    1, kColumns, 2, 1, {PointsOf<false>, PointsOf<true>}, {nullptr, PairTile}, PixelsOf};

}  // namespace

#define FERRY_TILES(s)                                        \
  {                                                           \
    {}, {                                                     \
      nullptr, Tile<s, 1>, Tile<s, 2>, Tile<s, 3>, Tile<s, 4> \
    }                                                         \
  }
const QuantKernels kQuantReference = {4,
                                      kColumns,
                                      1,
                                      {FERRY_TILES(false), FERRY_TILES(true)},
                                      {Finish<QuantType::kU8>, Finish<QuantType::kI8>,
                                       Finish<QuantType::kF32>, Finish<QuantType::kI32>},
                                      {Depthwise<false>, Depthwise<true>},
                                      {MaxOf<false>, MaxOf<true>},
                                      {SumOf<false>, SumOf<true>},
                                      Quantize,
                                      {Binary<false>, Binary<true>},
                                      Lookup,
                                      {Widen<false>, Widen<true>},
                                      4,
                                      {0, 128},
                                      nullptr,
                                      &kWinograd16};
#undef FERRY_TILES

}  // namespace ferry::kernels
