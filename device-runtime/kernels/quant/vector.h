// All micro-kernels but tiles over the registers of simd/<isa>.h and quant/<width>.h. Included by
// <isa>.cc after those, never elsewhere.
#pragma once

#include "device-runtime/kernels/quant/kernels.h"
#if defined(__AVX512BW__)
#include "device-runtime/kernels/quant/finish_wide.h"
#endif

namespace ferry::kernels {
namespace {

// 1 to 3 bytes of a last group, the others 0.
inline uint32_t LastBytes(const uint8_t* p, int64_t count) {
  if (count == 1) return p[0];
  uint16_t two;
  __builtin_memcpy(&two, p, 2);
  return count == 2 ? two : two | uint32_t{p[2]} << 16;
}

inline uint32_t FourBytes(const uint8_t* p) {
  uint32_t x;
  __builtin_memcpy(&x, p, 4);
  return x;
}

// The numbers of an epilogue in registers: stores of bytes may not make them be read again.
struct Steps {
  explicit Steps(const QuantEpilogue& e)
      : low(Set(e.low)),
        high(Set(e.high)),
        zero(SetInts(e.zero)),
        first_low(Set(e.first_low)),
        first_high(Set(e.first_high)),
        first_factor(Set(e.first_factor)),
        add_zero(Set(e.add_zero)),
        add_factor(Set(e.add_factor)),
        rounds_first(e.rounds_first),
        add_signed(e.add_signed) {}

  Vec Added(Vec r, const uint8_t* add, int64_t count) const {
    if (rounds_first) r = Nearest(Min(first_high, Max(r, first_low)));
    const Vec x = add_signed ? LoadBytes<true>(add, count) : LoadBytes<false>(add, count);
    return Fma(Sub(x, add_zero), add_factor, Mul(r, first_factor));
  }

  Vec low, high;
  Ints zero;
  Vec first_low, first_high, first_factor, add_zero, add_factor;
  bool rounds_first, add_signed;
};

// One vector of columns of all rows.
template <QuantType kType, bool kAdd>
inline void FinishColumns(const QuantFinish& f, const Steps& e, int64_t c) {
  const int64_t count = f.columns - c, rows = f.rows, stride = f.y_stride;
  const int64_t sums_stride = f.sums_stride;
  const Vec factor = kType == QuantType::kI32 ? Zero() : LoadPart(f.factor + c, count);
  const Vec offset =
      kType == QuantType::kI32 || f.offset == nullptr ? Zero() : LoadPart(f.offset + c, count);
  const int32_t* sums = f.sums + c;
  const uint8_t* add = kAdd ? f.add + c : nullptr;
  void* const y = f.y;
  int64_t at = c;
  for (int64_t row = 0; row < rows; ++row, sums += sums_stride, at += stride) {
    const Ints sum = LoadInts(sums);
    if constexpr (kType == QuantType::kI32) {
      StorePart(static_cast<int32_t*>(y) + at, sum, count);
      continue;
    }
    Vec r = Fma(ToFloats(sum), factor, offset);
    if constexpr (kAdd) {
      r = e.Added(r, add, count);
      add += stride;
    }
    if constexpr (kType == QuantType::kF32) {
      StorePart(static_cast<float*>(y) + at, Min(e.high, Max(e.low, r)), count);
    } else {
      r = Min(e.high, Max(r, e.low));
      StoreBytes(static_cast<uint8_t*>(y) + at, AddInts(ToInts(r), e.zero), count);
    }
  }
}

}  // namespace
}  // namespace ferry::kernels

#if defined(__AVX2__) && !defined(__AVX512BW__)
#include "device-runtime/kernels/quant/finish_pairs.h"
#endif

namespace ferry::kernels {
namespace {

#if !defined(__AVX2__)
// Columns that a form of the set's own has finished: finish_wide.h, finish_pairs.h.
template <QuantType kType>
inline int64_t FinishWide(const QuantFinish&) {
  return 0;
}
#endif

template <QuantType kType>
void Finish(const QuantFinish& f) {
  const int64_t columns = f.columns;
  const int64_t done = FinishWide<kType>(f);
  if (done == columns) return;
  const Steps steps(*f.epilogue);
  for (int64_t c = done; c < columns; c += kWidth) {
    if (kType != QuantType::kI32 && f.add != nullptr) {
      FinishColumns<kType, true>(f, steps, c);
    } else {
      FinishColumns<kType, false>(f, steps, c);
    }
  }
}

// kPixels neighbours from `pixel` on share the weights.
template <bool kSigned, int kPixels>
inline void DepthwisePixels(const QuantDepthwise& t, int64_t pixel) {
  const int64_t shift = pixel * t.pixel_stride;
  for (int64_t c = 0; c < t.channels; c += kBlock) {
    const int64_t count = t.channels - c;
    BlockSums sum[kPixels];
    FERRY_UNROLL
    for (int i = 0; i < kPixels; ++i) sum[i] = LoadBlock(t.start + c);
    const int16_t* weight = t.weight + 2 * c;
    for (int64_t p = 0; p < t.pairs; ++p, weight += t.pair_stride) {
      const uint8_t* a = t.in[2 * p] + shift + c;
      const uint8_t* b = t.in[2 * p + 1] + shift + c;
      const auto w = LoadPairs(weight);
      FERRY_UNROLL
      for (int i = 0; i < kPixels; ++i) {
        const int64_t at = i * t.pixel_stride;
        sum[i] = AddPairs<kSigned>(sum[i], a + at, b + at, count, w);
      }
    }
    FERRY_UNROLL
    for (int i = 0; i < kPixels; ++i) StoreBlock(t.sums + (pixel + i) * t.sums_stride + c, sum[i]);
  }
}

template <bool kSigned>
void Depthwise(const QuantDepthwise& t) {
  int64_t i = 0;
  for (; i + 4 <= t.pixels; i += 4) DepthwisePixels<kSigned, 4>(t, i);
  for (; i < t.pixels; ++i) DepthwisePixels<kSigned, 1>(t, i);
}

template <bool kSigned>
void MaxOf(int64_t count, const uint8_t* const* taps, int64_t channels, uint8_t* out) {
  for (int64_t c = 0; c < channels; c += kByteWidth) {
    const int64_t left = channels - c;
    Bytes largest = LoadAll(taps[0] + c, left);
    for (int64_t t = 1; t < count; ++t) {
      largest = MaxBytes<kSigned>(largest, LoadAll(taps[t] + c, left));
    }
    StoreAll(out + c, largest, left);
  }
}

template <bool kSigned>
void SumOf(int64_t count, const uint8_t* const* taps, int64_t channels, int32_t* sums) {
  for (int64_t c = 0; c < channels; c += kWidth) {
    Ints sum = LoadInts(sums + c);
    for (int64_t t = 0; t < count; ++t) {
      sum = AddInts(sum, IntsOf<kSigned>(taps[t] + c, channels - c));
    }
    StoreInts(sums + c, sum);
  }
}

inline void Quantize(const QuantizeRun& t) {
  const Vec scale = Set(t.scale), low = Set(t.low), high = Set(t.high);
  const Ints zero = SetInts(t.zero);
  const float* const x = t.x;
  uint8_t* const y = t.y;
  const int64_t count = t.count;
  for (int64_t i = 0; i < count; i += kWidth) {
    const Vec r = Min(high, Max(Div(LoadPart(x + i, count - i), scale), low));
    StoreBytes(y + i, AddInts(ToInts(r), zero), count - i);
  }
}

// Eight at once: stores of single bytes could lie over the table.
inline void LookupPlain(int64_t count, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t from;
    uint64_t to = 0;
    __builtin_memcpy(&from, x + i, 8);
    for (int b = 0; b < 64; b += 8) to |= uint64_t{table[from >> b & 0xff]} << b;
    __builtin_memcpy(y + i, &to, 8);
  }
  for (; i < count; ++i) y[i] = table[x[i]];
}

inline void Lookup(int64_t count, const uint8_t* table, const uint8_t* x, uint8_t* y) {
  if (count < 4 * kByteWidth) return LookupPlain(count, table, x, y);
  const ByteTable entries(table);
  int64_t i = 0;
  for (; i + kByteWidth <= count; i += kByteWidth) {
    StoreAll(y + i, entries.Of(LoadAll(x + i, kByteWidth)), kByteWidth);
  }
  LookupPlain(count - i, table, x + i, y + i);
}

// A vector of the compiler over the same bits.
using Lanes = int32_t __attribute__((vector_size(4 * kWidth)));
template <int kShift>
inline Ints Half(Ints x) {
  return {(decltype(x.v))((Lanes)x.v >> kShift & 15)};
}

template <bool kHalves>
void Widen(const QuantWiden& t) {
  const int64_t columns = t.columns, rows = t.rows;
  for (int64_t c = 0; c < columns; c += kWidth) {
    const Vec scale = Load(t.scale + c), zero = Load(t.zero + c);
    const uint8_t* q = t.q + c;
    float* out = t.out + c;
    if constexpr (kHalves) {
      for (int64_t i = 0; i < rows; i += 2, q += columns, out += 2 * columns) {
        const Ints both = IntsOf<false>(q, kWidth);
        Store(out, Mul(Sub(ToFloats(Half<0>(both)), zero), scale));
        if (i + 1 < rows) {
          Store(out + columns, Mul(Sub(ToFloats(Half<4>(both)), zero), scale));
        }
      }
    } else {
      for (int64_t i = 0; i < rows; ++i, q += columns, out += columns) {
        Store(out, Mul(Sub(LoadBytes<true>(q, kWidth), zero), scale));
      }
    }
  }
}

inline Vec LoadBytes(bool is_signed, const uint8_t* p, int64_t count) {
  return is_signed ? LoadBytes<true>(p, count) : LoadBytes<false>(p, count);
}

template <bool kMultiplies>
void Binary(const QuantPairRun& t) {
  const QuantBinaryShape& s = *t.shape;
  const Vec a_zero = Set(s.a_zero), b_zero = Set(s.b_zero);
  const Vec a_factor = Set(s.a_factor), b_factor = Set(s.b_factor);
  const Vec low = Set(s.low), high = Set(s.high);
  const Ints zero = SetInts(s.zero);
  const bool a_signed = s.a_signed, b_signed = s.b_signed;
  const uint8_t* const a = t.a;
  const uint8_t* const b = t.b;
  uint8_t* const y = t.y;
  const int64_t count = t.count;
  for (int64_t i = 0; i < count; i += kWidth) {
    const Vec x = Sub(LoadBytes(a_signed, a + i, count - i), a_zero);
    const Vec w = Sub(LoadBytes(b_signed, b + i, count - i), b_zero);
    const Vec r = kMultiplies ? Mul(Mul(x, w), a_factor) : Fma(w, b_factor, Mul(x, a_factor));
    StoreBytes(y + i, AddInts(ToInts(Min(high, Max(r, low))), zero), count - i);
  }
}

}  // namespace
}  // namespace ferry::kernels

#define FERRY_QUANT_SHARED                                                            \
  {Finish<QuantType::kU8>, Finish<QuantType::kI8>, Finish<QuantType::kF32>,           \
   Finish<QuantType::kI32>},                                                          \
      {Depthwise<false>, Depthwise<true>}, {MaxOf<false>, MaxOf<true>},               \
      {SumOf<false>, SumOf<true>}, Quantize, {Binary<false>, Binary<true>}, Lookup, { \
    Widen<false>, Widen<true>                                                         \
  }
