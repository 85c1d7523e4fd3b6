#include <cmath>

#include "device-runtime/kernels/quant/kernels.h"

namespace ferry::kernels {
namespace {

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
      for (int64_t k = 0; k < t.depth; k += kQuantGroup, b += kColumns * kQuantGroup) {
        for (int64_t i = k; i < t.depth && i < k + kQuantGroup; ++i) {
          const int32_t left = Element<kSigned>(a[i]) + (kSigned ? 128 : 0);
          for (int j = 0; j < kColumns; ++j) sum[j] += left * b[j * kQuantGroup + i - k];
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
                                      {Binary<false>, Binary<true>}};
#undef FERRY_TILES

}  // namespace ferry::kernels
