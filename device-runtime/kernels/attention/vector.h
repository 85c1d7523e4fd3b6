// Attention of query heads that share a kv head over one register type: page by page, softmax in
// one pass. Included by avx2.cc and avx512.cc after their simd header, never elsewhere.
#pragma once

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/kernels/simd/math.h"

namespace ferry::kernels {
namespace {

constexpr int kPositions = static_cast<int>(kPagePositions);
constexpr int kParts = kPositions / kWidth;  // registers that hold a number for each
constexpr int64_t kGroup = 8;                // heads that walk the pages together

struct Head {
  float max;
  Vec total[kParts];
};

// Products of the query with the keys of the positions [part * kWidth, + kWidth) of a page; those
// from `count` on repeat the last.
template <bool kFull>
inline Vec Products(const float* query, const float* keys, int64_t head_dim, int part,
                    int64_t count) {
  const float* key[kWidth];
  FERRY_UNROLL
  for (int i = 0; i < kWidth; ++i) {
    const int64_t at = part * kWidth + i;
    key[i] = keys + (kFull || at < count ? at : count - 1) * head_dim;
  }
  Vec sum[kWidth];
  FERRY_UNROLL
  for (int i = 0; i < kWidth; ++i) sum[i] = Zero();
  int64_t d = 0;
  for (; d + kWidth <= head_dim; d += kWidth) {
    const Vec q = Load(query + d);
    FERRY_UNROLL
    for (int i = 0; i < kWidth; ++i) sum[i] = Fma(q, Load(key[i] + d), sum[i]);
  }
  if (d < head_dim) {
    const Vec q = LoadPart(query + d, head_dim - d);
    FERRY_UNROLL
    for (int i = 0; i < kWidth; ++i) {
      sum[i] = Fma(q, LoadPart(key[i] + d, head_dim - d), sum[i]);
    }
  }
  return SumEach(sum);
}

// out = out * shrink + sum over i of weights[i] * values[i], kVectors registers wide.
template <int kVectors, bool kPart>
inline void Mix(const float* weights, const float* values, int64_t count, int64_t stride,
                float shrink, int64_t width, float* out) {
  Vec sum[kVectors];
  FERRY_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const float* from = out + v * kWidth;
    sum[v] = Mul(kPart ? LoadPart(from, width) : Load(from), Set(shrink));
  }
  for (int64_t i = 0; i < count; ++i) {
    const Vec weight = Set(weights[i]);
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const float* from = values + i * stride + v * kWidth;
      sum[v] = Fma(weight, kPart ? LoadPart(from, width) : Load(from), sum[v]);
    }
  }
  FERRY_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    if (kPart) {
      StorePart(out + v * kWidth, sum[v], width);
    } else {
      Store(out + v * kWidth, sum[v]);
    }
  }
}

// Values are `stride` floats apart and `dim` long.
inline void MixAll(const float* weights, const float* values, int64_t count, int64_t stride,
                   int64_t dim, float shrink, float* out) {
  int64_t d = 0;
  for (; d + 4 * kWidth <= dim; d += 4 * kWidth) {
    Mix<4, false>(weights, values + d, count, stride, shrink, 0, out + d);
  }
  if (d + 2 * kWidth <= dim) {
    Mix<2, false>(weights, values + d, count, stride, shrink, 0, out + d);
    d += 2 * kWidth;
  }
  if (d + kWidth <= dim) {
    Mix<1, false>(weights, values + d, count, stride, shrink, 0, out + d);
    d += kWidth;
  }
  if (d < dim) Mix<1, true>(weights, values + d, count, stride, shrink, dim - d, out + d);
}

// What becomes of the scores of the positions from `at` on.
inline Vec Bent(const AttendArgs& t, int64_t h, int64_t at, Vec score) {
  if (t.cap > 0) score = Mul(Tanh(Div(score, Set(t.cap))), Set(t.cap));
  if (t.slopes == nullptr) return score;
  float fall[kWidth];
  for (int i = 0; i < kWidth; ++i) {
    fall[i] = t.slopes[h] * static_cast<float>(t.length - 1 - at - i);
  }
  return Sub(score, Load(fall));
}

// `count` positions of a page from `skip` on, the first of them `at` of the sequence, for one head.
inline void Page(const AttendArgs& t, const float* page, int64_t skip, int64_t at, int64_t count,
                 int64_t h, Head* head) {
  const float* query = t.query + h * t.head_dim;
  const float* keys = page + t.keys + skip * t.head_dim;
  const bool bent = t.cap > 0 || t.slopes != nullptr;
  Vec score[kParts];
  Vec largest = Set(-__builtin_inff());
  FERRY_UNROLL
  for (int p = 0; p < kParts; ++p) {
    const Vec product = count == kPositions ? Products<true>(query, keys, t.head_dim, p, count)
                                            : Products<false>(query, keys, t.head_dim, p, count);
    score[p] = Mul(product, Set(t.scale));
    if (bent) score[p] = Bent(t, h, at + p * kWidth, score[p]);
    const int64_t rest = count - p * kWidth;
    const Vec seen =
        bent && rest < kWidth ? SelectFirst(rest < 0 ? 0 : rest, score[p], largest) : score[p];
    largest = Max(largest, seen);  // repeated positions change no maximum
  }
  const float page_max = MaxLanes(largest);
  float shrink = 1.0f;
  if (page_max > head->max) {
    shrink = First(Exp(Set(head->max - page_max)));
    head->max = page_max;
  }
  float weights[kPositions];
  FERRY_UNROLL
  for (int p = 0; p < kParts; ++p) {
    const int64_t rest = count - p * kWidth;
    Vec weight = Exp(Sub(score[p], Set(head->max)));
    if (rest < kWidth) weight = SelectFirst(rest < 0 ? 0 : rest, weight, Zero());
    head->total[p] = Fma(head->total[p], Set(shrink), weight);
    Store(weights + p * kWidth, weight);
  }
  MixAll(weights, page + t.values + skip * t.value_stride, count, t.value_stride, t.value_dim,
         shrink, t.out + h * t.value_dim);
}

inline void Scale(float factor, int64_t count, float* out) {
  for (int64_t d = 0; d < count; d += kWidth) {
    StorePart(out + d, Mul(LoadPart(out + d, count - d), Set(factor)), count - d);
  }
}

void AttendHeads(const AttendArgs& t) {
  for (int64_t begin = 0; begin < t.heads; begin += kGroup) {
    const int64_t heads = t.heads - begin < kGroup ? t.heads - begin : kGroup;
    Head state[kGroup];
    for (int64_t h = 0; h < heads; ++h) {
      const bool sinks = t.sinks != nullptr;
      state[h].max = sinks ? t.sinks[begin + h] : -__builtin_inff();
      for (int p = 0; p < kParts; ++p) state[h].total[p] = Zero();
      if (sinks) state[h].total[0] = SelectFirst(1, Set(1.0f), Zero());
    }
    for (int64_t i = begin * t.value_dim; i < (begin + heads) * t.value_dim; ++i) t.out[i] = 0.0f;
    for (int64_t at = t.first; at < t.length;) {
      const float* page = t.pages[at / kPositions];
      const int64_t skip = at % kPositions;
      const int64_t rest = t.length - at;
      const int64_t count = rest < kPositions - skip ? rest : kPositions - skip;
      for (int64_t h = 0; h < heads; ++h) Page(t, page, skip, at, count, begin + h, &state[h]);
      at += count;
    }
    for (int64_t h = 0; h < heads; ++h) {
      Vec total = state[h].total[0];
      for (int p = 1; p < kParts; ++p) total = Add(total, state[h].total[p]);
      Scale(1.0f / SumLanes(total), t.value_dim, t.out + (begin + h) * t.value_dim);
    }
  }
}

// One bias vector of `count` numbers from column `at` on.
inline Vec BiasPart(const WeighArgs::Bias& bias, int64_t row, int64_t at, int64_t count) {
  const float* from = bias.data + row * bias.row;
  if (bias.column == 1) return LoadPart(from + at, count);
  if (bias.column == 0) return Set(*from);
  float part[kWidth] = {};
  for (int64_t i = 0; i < count && i < kWidth; ++i) part[i] = from[(at + i) * bias.column];
  return Load(part);
}

inline void WeighRow(const WeighArgs& t, int64_t row) {
  float* x = t.scores + row * t.stride;
  const Vec scale = Set(t.scale);
  Vec largest = Set(t.max[row]);
  for (int64_t i = 0; i < t.keys; i += kWidth) {
    const int64_t rest = t.keys - i;
    Vec v = Mul(LoadPart(x + i, rest), scale);
    for (const WeighArgs::Bias& bias : t.bias) {
      if (bias.data != nullptr) v = Add(v, BiasPart(bias, row, i, rest));
    }
    StorePart(x + i, v, rest);
    largest = Max(largest, rest < kWidth ? SelectFirst(rest, v, largest) : v);
  }
  const float max = MaxLanes(largest);
  const float shrink = max > t.max[row] ? First(Exp(Set(t.max[row] - max))) : 1.0f;
  Vec sum = Zero();
  for (int64_t i = 0; i < t.keys; i += kWidth) {
    const int64_t rest = t.keys - i;
    const Vec e = Exp(Sub(LoadPart(x + i, rest), Set(max)));
    sum = Add(sum, rest < kWidth ? SelectFirst(rest, e, Zero()) : e);
    StorePart(x + i, e, rest);
  }
  t.max[row] = max;
  t.shrink[row] = shrink;
  t.total[row] = t.total[row] * shrink + SumLanes(sum);
}

void Weigh(const WeighArgs& t) {
  for (int64_t row = 0; row < t.rows; ++row) WeighRow(t, row);
}

void ScaleRow(float factor, int64_t count, float* x) {
  Scale(factor, count, x);
}

}  // namespace
}  // namespace ferry::kernels
