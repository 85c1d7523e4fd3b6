// Attention of query heads that share a kv head over one register type: a pair of pages at a time,
// softmax in one pass. Included by avx2.cc, avx512.cc and neon.cc after their simd header, never
// elsewhere.
#pragma once

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/kernels/attention/widen.h"
#include "device-runtime/kernels/simd/math.h"

namespace ferry::kernels {
namespace {

constexpr int kTilePositions = 2 * kPositions;
constexpr int kTileParts = kTilePositions / kWidth;  // registers that hold a number for each
// Heads whose products with keys run side by side: enough chains of sums for two units, in the
// registers that there are.
constexpr int kTogether = kWidth == 16 ? 4 : kWidth == 8 ? 3 : 2;

// One head of one row.
struct AttendState {
  const float* query;
  float* out;
  float slope;
  float max;
  Vec total;
  int64_t first, end;  // positions that it sees
};

// A pair of pages, or one of them twice where the other is not seen, and who sees it.
struct Tile {
  int64_t at;              // the first position
  const float* keys[2];    // [head_dim][kPositions], or rows as values
  const float* values[2];  // rows, value_stride apart
  int64_t value_stride;
};

// What a state sees of a tile, from its first position.
struct Span {
  int64_t from, to;
  bool whole() const { return from == 0 && to == kTilePositions; }
};
inline Span SpanOf(const AttendState& s, int64_t at) {
  const int64_t from = s.first > at ? s.first - at : 0;
  const int64_t to = s.end - at < kTilePositions ? s.end - at : kTilePositions;
  return {from, to};
}

// Products of kHeads queries with turned keys.
template <int kHeads>
inline void Products(const AttendArgs& t, const Tile& tile, AttendState* const* states,
                     float (*scores)[kTilePositions]) {
  Vec sum[kHeads][kTileParts];
  const float* query[kHeads];
  FERRY_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    query[h] = states[h]->query;
    FERRY_UNROLL
    for (int p = 0; p < kTileParts; ++p) sum[h][p] = Zero();
  }
  const float* a = tile.keys[0];
  const float* b = tile.keys[1];
  for (int64_t d = 0; d < t.head_dim; ++d) {
    Vec key[kTileParts];
    FERRY_UNROLL
    for (int p = 0; p < kTileParts; ++p) {
      key[p] = Load((p < kPageParts ? a : b) + p % kPageParts * kWidth);
    }
    FERRY_UNROLL
    for (int h = 0; h < kHeads; ++h) {
      const Vec q = Set(query[h][d]);
      FERRY_UNROLL
      for (int p = 0; p < kTileParts; ++p) sum[h][p] = Fma(q, key[p], sum[h][p]);
    }
    a += kPositions;
    b += kPositions;
  }
  FERRY_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    FERRY_UNROLL
    for (int p = 0; p < kTileParts; ++p) Store(scores[h] + p * kWidth, sum[h][p]);
  }
}

// The same of keys in rows; positions that are not seen repeat one that is.
inline void ProductsOfRows(const AttendArgs& t, const Tile& tile, const AttendState& state,
                           float* scores) {
  const Span span = SpanOf(state, tile.at);
  for (int part = 0; part < kTileParts; ++part) {
    const float* key[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      int64_t at = part * kWidth + i;
      at = at < span.from ? span.from : at >= span.to ? span.to - 1 : at;
      key[i] = tile.keys[at / kPositions] + at % kPositions * t.head_dim;
    }
    Vec sum[kWidth];
    FERRY_UNROLL
    for (int i = 0; i < kWidth; ++i) sum[i] = Zero();
    int64_t d = 0;
    for (; d + kWidth <= t.head_dim; d += kWidth) {
      const Vec q = Load(state.query + d);
      FERRY_UNROLL
      for (int i = 0; i < kWidth; ++i) sum[i] = Fma(q, Load(key[i] + d), sum[i]);
    }
    if (d < t.head_dim) {
      const int64_t rest = t.head_dim - d;
      const Vec q = LoadPart(state.query + d, rest);
      FERRY_UNROLL
      for (int i = 0; i < kWidth; ++i) sum[i] = Fma(q, LoadPart(key[i] + d, rest), sum[i]);
    }
    Store(scores + part * kWidth, SumEach(sum));
  }
}

// What becomes of the scores of the positions from `at` on.
inline Vec Bent(const AttendArgs& t, const AttendState& state, int64_t at, Vec score) {
  if (t.cap > 0) score = Mul(Tanh(Div(score, Set(t.cap))), Set(t.cap));
  if (t.slopes == nullptr) return score;
  float fall[kWidth];
  for (int i = 0; i < kWidth; ++i) {
    fall[i] = state.slope * static_cast<float>(state.end - 1 - at - i);
  }
  return Sub(score, Load(fall));
}

inline void FillOutside(const Span& span, float by, float* x) {
  for (int64_t i = 0; i < span.from; ++i) x[i] = by;
  for (int64_t i = span.to; i < kTilePositions; ++i) x[i] = by;
}

// Products become weights, 0 where the state sees nothing; gives back what all earlier sums are to
// be multiplied by.
inline float WeighTile(const AttendArgs& t, int64_t at, AttendState* state, float* x) {
  const Span span = SpanOf(*state, at);
  const bool bent = t.cap > 0 || t.slopes != nullptr;
  Vec score[kTileParts];
  FERRY_UNROLL
  for (int p = 0; p < kTileParts; ++p) {
    score[p] = Mul(Load(x + p * kWidth), Set(t.scale));
    if (bent) score[p] = Bent(t, *state, at + p * kWidth, score[p]);
  }
  if (!span.whole()) {
    for (int p = 0; p < kTileParts; ++p) Store(x + p * kWidth, score[p]);
    FillOutside(span, -__builtin_inff(), x);
    for (int p = 0; p < kTileParts; ++p) score[p] = Load(x + p * kWidth);
  }
  Vec largest = score[0];
  FERRY_UNROLL
  for (int p = 1; p < kTileParts; ++p) largest = Max(largest, score[p]);
  const float max = MaxLanes(largest);
  float shrink = 1.0f;
  if (max > state->max) {
    shrink = First(Exp(Set(state->max - max)));
    state->max = max;
    state->total = Mul(state->total, Set(shrink));
  }
  FERRY_UNROLL
  for (int p = 0; p < kTileParts; ++p) {
    score[p] = Exp(Sub(score[p], Set(state->max)));
    Store(x + p * kWidth, score[p]);
  }
  if (!span.whole()) {
    FillOutside(span, 0.0f, x);
    for (int p = 0; p < kTileParts; ++p) score[p] = Load(x + p * kWidth);
  }
  FERRY_UNROLL
  for (int p = 0; p < kTileParts; ++p) state->total = Add(state->total, score[p]);
  return shrink;
}

// What Mix reads and writes of kHeads states: weights [kTilePositions] each.
template <int kHeads>
struct Mixed {
  const float* weights[kHeads];
  float shrink[kHeads];
  float* out[kHeads];
};

// out = out * shrink + sum over i of weights[i] * values[i], kVectors registers from number `d` on,
// or `width` numbers of one.
template <int kHeads, int kVectors, bool kPart>
inline void Mix(const Tile& tile, const Span& span, const Mixed<kHeads>& m, int64_t d,
                int64_t width) {
  Vec sum[kHeads][kVectors];
  FERRY_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const float* from = m.out[h] + d + v * kWidth;
      sum[h][v] = Mul(kPart ? LoadPart(from, width) : Load(from), Set(m.shrink[h]));
    }
  }
  for (int page = 0; page < 2; ++page) {
    const int64_t begin = page * kPositions;
    const int64_t from = span.from > begin ? span.from - begin : 0;
    const int64_t to = span.to - begin < kPositions ? span.to - begin : kPositions;
    const float* values = tile.values[page] + from * tile.value_stride + d;
    for (int64_t i = from; i < to; ++i) {
      Vec value[kVectors];
      FERRY_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        value[v] = kPart ? LoadPart(values + v * kWidth, width) : Load(values + v * kWidth);
      }
      FERRY_UNROLL
      for (int h = 0; h < kHeads; ++h) {
        const Vec weight = Set(m.weights[h][begin + i]);
        FERRY_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[h][v] = Fma(weight, value[v], sum[h][v]);
      }
      values += tile.value_stride;
    }
  }
  FERRY_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    FERRY_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      float* to = m.out[h] + d + v * kWidth;
      if (kPart) {
        StorePart(to, sum[h][v], width);
      } else {
        Store(to, sum[h][v]);
      }
    }
  }
}

template <int kHeads>
inline void MixAll(const AttendArgs& t, const Tile& tile, const Span& span,
                   const Mixed<kHeads>& m) {
  constexpr int64_t kFour = 4 * kWidth;
  int64_t d = 0;
  for (; d + kFour <= t.value_dim; d += kFour) Mix<kHeads, 4, false>(tile, span, m, d, 0);
  if (d + 2 * kWidth <= t.value_dim) {
    Mix<kHeads, 2, false>(tile, span, m, d, 0);
    d += 2 * kWidth;
  }
  if (d + kWidth <= t.value_dim) {
    Mix<kHeads, 1, false>(tile, span, m, d, 0);
    d += kWidth;
  }
  if (d < t.value_dim) Mix<kHeads, 1, true>(tile, span, m, d, t.value_dim - d);
}

// kHeads states that see something of the tile.
template <int kHeads>
inline void AttendTile(const AttendArgs& t, const Tile& tile, AttendState* const* states) {
  float weights[kHeads][kTilePositions];
  float shrink[kHeads];
  if (t.layout->keys.turned) {
    Products<kHeads>(t, tile, states, weights);
  } else {
    for (int h = 0; h < kHeads; ++h) ProductsOfRows(t, tile, *states[h], weights[h]);
  }
  for (int h = 0; h < kHeads; ++h) shrink[h] = WeighTile(t, tile.at, states[h], weights[h]);
  for (int h = 0; h < kHeads;) {
    const Span span = SpanOf(*states[h], tile.at);
    if (h + 1 < kHeads && span.whole() && SpanOf(*states[h + 1], tile.at).whole()) {
      MixAll<2>(t, tile, span,
                {{weights[h], weights[h + 1]},
                 {shrink[h], shrink[h + 1]},
                 {states[h]->out, states[h + 1]->out}});
      h += 2;
    } else {
      MixAll<1>(t, tile, span, {{weights[h]}, {shrink[h]}, {states[h]->out}});
      ++h;
    }
  }
}

// The last ones, fewer than kTogether.
template <int kMost>
inline void AttendRest(const AttendArgs& t, const Tile& tile, AttendState* const* states,
                       int64_t count) {
  if (count == kMost) return AttendTile<kMost>(t, tile, states);
  if constexpr (kMost > 1) AttendRest<kMost - 1>(t, tile, states, count);
}

inline void Scale(float factor, int64_t count, float* out) {
  for (int64_t d = 0; d < count; d += kWidth) {
    StorePart(out + d, Mul(LoadPart(out + d, count - d), Set(factor)), count - d);
  }
}

inline AttendState Begin(const AttendArgs& t, int64_t row, int64_t h) {
  AttendState s;
  s.query = t.query + row * t.query_stride + h * t.head_dim;
  s.out = t.out + row * t.out_stride + h * t.value_dim;
  s.slope = t.slopes == nullptr ? 0.0f : t.slopes[h];
  s.max = t.sinks == nullptr ? -__builtin_inff() : t.sinks[h];
  s.total = t.sinks == nullptr ? Zero() : SelectFirst(1, Set(1.0f), Zero());
  s.first = FirstSeen(t, row);
  s.end = EndSeen(t, row);
  for (int64_t d = 0; d < t.value_dim; ++d) s.out[d] = 0.0f;
  return s;
}

// The pages of the tile at `at`, between the first position that anyone sees and the last.
// `room`: of narrow numbers widened.
inline Tile TileAt(const AttendArgs& t, int64_t at, int64_t first, int64_t end, float* room) {
  Tile tile;
  tile.at = at;
  const bool rows_of_keys = t.layout->values.dim == 0;
  tile.value_stride = rows_of_keys ? t.head_dim : t.value_dim;
  for (int p = 0; p < 2; ++p) {
    const int64_t begin = at + p * kPositions;
    if (begin + kPositions <= first || begin >= end) continue;
    const uint8_t* page = t.pages[begin / kPositions];
    tile.keys[p] = NumbersOf(t.layout->keys, t.head, page, &room);
    tile.values[p] = rows_of_keys ? tile.keys[p] : NumbersOf(t.layout->values, t.head, page, &room);
  }
  const int seen = at + kPositions <= first ? 1 : 0;
  if (seen == 1 || at + kPositions >= end) {
    tile.keys[1 - seen] = tile.keys[seen];
    tile.values[1 - seen] = tile.values[seen];
  }
  return tile;
}

void AttendRows(const AttendArgs& t) {
  AttendState states[kAttendStates];
  int64_t count = 0;
  for (int64_t row = 0; row < t.rows; ++row) {
    for (int64_t h = 0; h < t.heads; ++h) states[count++] = Begin(t, row, h);
  }
  alignas(64) float room[kTilePositions * kMaxNarrowDims];
  const int64_t first = FirstSeen(t, 0);
  const int64_t end = EndSeen(t, t.rows - 1);
  for (int64_t at = first / kTilePositions * kTilePositions; at < end; at += kTilePositions) {
    const Tile tile = TileAt(t, at, first, end, room);
    AttendState* seeing[kAttendStates];
    int64_t seen = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (states[i].first < at + kTilePositions && states[i].end > at) seeing[seen++] = &states[i];
    }
    int64_t i = 0;
    for (; i + kTogether <= seen; i += kTogether) AttendTile<kTogether>(t, tile, seeing + i);
    AttendRest<kTogether - 1>(t, tile, seeing + i, seen - i);
  }
  for (int64_t i = 0; i < count; ++i) {
    Scale(1.0f / SumLanes(states[i].total), t.value_dim, states[i].out);
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
