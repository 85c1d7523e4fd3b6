// Reductions over one register type. Included by avx2.cc and avx512.cc after their simd header,
// never elsewhere.
#pragma once

#include "device-runtime/kernels/reduce/kernels.h"

namespace ferry::kernels {
namespace {

// Start is the neutral value, Map what is taken of an element, Join how two results meet.
struct SumOf {
  static float Start() { return 0.0f; }
  static Vec Map(Vec x) { return x; }
  static Vec Join(Vec a, Vec b) { return Add(a, b); }
  static float Lanes(Vec a) { return SumLanes(a); }
};
struct SumSquareOf : SumOf {
  static Vec Map(Vec x) { return Mul(x, x); }
};
struct SumAbsOf : SumOf {
  static Vec Map(Vec x) { return Abs(x); }
};
struct ProdOf : SumOf {
  static float Start() { return 1.0f; }
  static Vec Join(Vec a, Vec b) { return Mul(a, b); }
  static float Lanes(Vec a) { return ProductLanes(a); }
};
// NaN if there is one.
struct MaxOf : SumOf {
  static float Start() { return -__builtin_inff(); }
  static Vec Join(Vec a, Vec b) { return IfNan(a, a, Max(a, b)); }
  static float Lanes(Vec a) {
    float lane[kWidth];
    StorePart(lane, a, kWidth);
    float y = lane[0];
    for (float x : lane) y = x > y || x != x ? x : y;
    return y;
  }
};
struct MinOf : SumOf {
  static float Start() { return __builtin_inff(); }
  static Vec Join(Vec a, Vec b) { return IfNan(a, a, Min(a, b)); }
  static float Lanes(Vec a) {
    float lane[kWidth];
    StorePart(lane, a, kWidth);
    float y = lane[0];
    for (float x : lane) y = x < y || x != x ? x : y;
    return y;
  }
};

template <typename Op>
float Row(int64_t size, const float* x) {
  constexpr int kChains = 4;  // independent sums hide the latency of an addition
  const Vec start = Set(Op::Start());
  Vec part[kChains] = {start, start, start, start};
  int64_t i = 0;
  for (; i + kChains * kWidth <= size; i += kChains * kWidth) {
    FERRY_UNROLL
    for (int k = 0; k < kChains; ++k) {
      part[k] = Op::Join(part[k], Op::Map(Load(x + i + k * kWidth)));
    }
  }
  for (; i < size; i += kWidth) {
    const Vec value = Op::Map(LoadPart(x + i, size - i));
    part[0] = Op::Join(part[0], SelectFirst(size - i, value, start));
  }
  return Op::Lanes(Op::Join(Op::Join(part[0], part[1]), Op::Join(part[2], part[3])));
}

template <typename Op>
void Columns(int64_t size, int64_t stride, int64_t columns, const float* x, float* y) {
  // Rows joined before they meet the total: keeps rounding errors of long sums small.
  constexpr int64_t kBlock = 32;
  for (int64_t c = 0; c < columns; c += kWidth) {
    const int64_t count = columns - c;
    Vec total = Set(Op::Start());
    for (int64_t i = 0; i < size; i += kBlock) {
      const int64_t end = i + kBlock < size ? i + kBlock : size;
      Vec part = Op::Map(LoadPart(x + i * stride + c, count));
      for (int64_t j = i + 1; j < end; ++j) {
        part = Op::Join(part, Op::Map(LoadPart(x + j * stride + c, count)));
      }
      total = Op::Join(total, part);
    }
    StorePart(y + c, total, count);
  }
}

constexpr ReduceKernels kReduce = {
    {Row<SumOf>, Columns<SumOf>},       {Row<SumSquareOf>, Columns<SumSquareOf>},
    {Row<SumAbsOf>, Columns<SumAbsOf>}, {Row<ProdOf>, Columns<ProdOf>},
    {Row<MaxOf>, Columns<MaxOf>},       {Row<MinOf>, Columns<MinOf>}};

}  // namespace
}  // namespace ferry::kernels
