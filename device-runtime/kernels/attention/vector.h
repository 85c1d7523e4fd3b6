// Attention of query heads that share a kv head over one register type: a tile of pages at a time,
// softmax in one pass. All states meet a tile's keys and then its values, so that only one of the
// two has to stay in a first-level cache. Included by avx2.cc, avx512.cc and neon.cc after their
// simd header, never elsewhere.
#pragma once

#include "device-runtime/kernels/attention/kernels.h"
#include "device-runtime/kernels/attention/page.h"
#include "device-runtime/kernels/attention/widen.h"
#include "device-runtime/kernels/simd/math.h"

namespace ferry::kernels {
namespace {

// What a state adds up is read and written once a tile, and the largest score found once: a tile
// of 32 positions spends as much time on these as on products.
constexpr int kTilePages = 4;
// Each loop over registers is a function of its own: in one large function the compiler keeps what
// one loop needs in registers through all others, and their sums in memory.
#define FERRY_ALONE __attribute__((noinline))
constexpr int kTilePositions = kTilePages * kPositions;
constexpr int kTileParts = kTilePositions / kWidth;  // registers that hold a number for each
// Pages and heads whose products with keys run side by side: enough chains of sums for two units,
// in the registers that there are.
constexpr int kPagesTogether = kWidth == 16 ? 4 : 2;
constexpr int kPartsTogether = kPagesTogether * kPageParts;
constexpr int kTogether = kWidth == 16 ? 4 : kWidth == 8 ? 3 : 2;
// Heads that add up values side by side.
constexpr int kMixTogether = kWidth == 16 ? 4 : 2;

constexpr float kLog2E = 1.44269504f;

// One head of one row.
struct AttendState {
  const float* query;
  float* out;
  float slope;
  float max;  // of scores times kLog2E
  Vec total;
  int64_t first, end;  // positions that it sees
};

// Pages one behind another; in place of those that nobody sees, one that is seen.
struct Tile {
  int64_t at;                       // the first position
  const float* keys[kTilePages];    // [head_dim][kPositions], or rows as values
  const float* values[kTilePages];  // rows, value_stride apart
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

// Products of kHeads queries with turned keys of kPagesTogether pages from `page` on.
template <int kHeads>
FERRY_ALONE void ProductsOfPages(const AttendArgs& t, const Tile& tile, AttendState* const* states,
                                 int page, float (*scores)[kTilePositions]) {
  Vec sum[kHeads][kPartsTogether];
  const float* query[kHeads];
  const float* keys[kPagesTogether];
  for (int p = 0; p < kPagesTogether; ++p) keys[p] = tile.keys[page + p];
  FERRY_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    query[h] = states[h]->query;
    FERRY_UNROLL
    for (int p = 0; p < kPartsTogether; ++p) sum[h][p] = Zero();
  }
  for (int64_t d = 0; d < t.head_dim; ++d) {
    Vec key[kPartsTogether];
    FERRY_UNROLL
    for (int p = 0; p < kPartsTogether; ++p) {
      key[p] = Kept(Load(keys[p / kPageParts] + d * kPositions + p % kPageParts * kWidth));
    }
    FERRY_UNROLL
    for (int h = 0; h < kHeads; ++h) {
      const Vec q = Set(query[h][d]);
      FERRY_UNROLL
      for (int p = 0; p < kPartsTogether; ++p) sum[h][p] = Fma(q, key[p], sum[h][p]);
    }
  }
  FERRY_UNROLL
  for (int h = 0; h < kHeads; ++h) {
    float* const to = scores[h] + page * kPositions;
    FERRY_UNROLL
    for (int p = 0; p < kPartsTogether; ++p) Store(to + p * kWidth, sum[h][p]);
  }
}

// The same of keys in rows; positions that are not seen repeat one that is.
FERRY_ALONE void ProductsOfRows(const AttendArgs& t, const Tile& tile, const AttendState& state,
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
// be multiplied by. Scores are counted in powers of two, whose exponential is the cheapest.
FERRY_ALONE float WeighTile(const AttendArgs& t, int64_t at, AttendState* state, float* x) {
  const Span span = SpanOf(*state, at);
  const bool bent = t.cap > 0 || t.slopes != nullptr;
  const Vec scale = Set(bent ? t.scale : t.scale * kLog2E);
  Vec score[kTileParts];
  FERRY_UNROLL
  for (int p = 0; p < kTileParts; ++p) {
    score[p] = Mul(Load(x + p * kWidth), scale);
    if (bent) score[p] = Mul(Bent(t, *state, at + p * kWidth, score[p]), Set(kLog2E));
  }
  if (!span.whole()) {
    for (int p = 0; p < kTileParts; ++p) Store(x + p * kWidth, score[p]);
    FillOutside(span, -__builtin_inff(), x);
    for (int p = 0; p < kTileParts; ++p) score[p] = Load(x + p * kWidth);
  }
  Vec largest = score[0];
  FERRY_UNROLL
  for (int p = 1; p < kTileParts; ++p) largest = Max(largest, score[p]);
  float shrink = 1.0f;
  if (AnyAbove(largest, Set(state->max))) {
    const float max = MaxLanes(largest);
    shrink = First(Exp2(Set(state->max - max)));
    state->max = max;
    state->total = Mul(state->total, Set(shrink));
  }
  const Vec max = Set(state->max);
  FERRY_UNROLL
  for (int p = 0; p < kTileParts; ++p) {
    score[p] = Exp2(Sub(score[p], max));
    Store(x + p * kWidth, score[p]);
  }
  if (!span.whole()) {
    FillOutside(span, 0.0f, x);
    for (int p = 0; p < kTileParts; ++p) score[p] = Load(x + p * kWidth);
  }
  Vec sum = score[0];
  FERRY_UNROLL
  for (int p = 1; p < kTileParts; ++p) sum = Add(sum, score[p]);
  state->total = Add(state->total, sum);
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
FERRY_ALONE void Mix(const Tile& tile, const Span& span, const Mixed<kHeads>& m, int64_t d,
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
  for (int page = 0; page < kTilePages; ++page) {
    const int64_t begin = page * kPositions;
    const int64_t from = span.from > begin ? span.from - begin : 0;
    const int64_t to = span.to - begin < kPositions ? span.to - begin : kPositions;
    const float* values = tile.values[page] + from * tile.value_stride + d;
    for (int64_t i = from; i < to; ++i) {
      Vec value[kVectors];
      FERRY_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        value[v] = Kept(kPart ? LoadPart(values + v * kWidth, width) : Load(values + v * kWidth));
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

// Scores of kHeads states that see something of the tile.
template <int kHeads>
inline void ScoreTile(const AttendArgs& t, const Tile& tile, AttendState* const* states,
                      float (*scores)[kTilePositions]) {
  if (!t.layout->keys.turned) {
    for (int h = 0; h < kHeads; ++h) ProductsOfRows(t, tile, *states[h], scores[h]);
    return;
  }
  for (int page = 0; page < kTilePages; page += kPagesTogether) {
    ProductsOfPages<kHeads>(t, tile, states, page, scores);
  }
}

// Of the last ones, fewer than kTogether.
template <int kMost>
inline void ScoreRest(const AttendArgs& t, const Tile& tile, AttendState* const* states,
                      int64_t count, float (*scores)[kTilePositions]) {
  if (count == kMost) return ScoreTile<kMost>(t, tile, states, scores);
  if constexpr (kMost > 1) ScoreRest<kMost - 1>(t, tile, states, count, scores);
}

// kHeads states' values, where all of them see the whole tile.
template <int kHeads>
inline void MixTile(const AttendArgs& t, const Tile& tile, const Span& span,
                    AttendState* const* states, const float (*weights)[kTilePositions],
                    const float* shrink) {
  Mixed<kHeads> m;
  for (int h = 0; h < kHeads; ++h) {
    m.weights[h] = weights[h];
    m.shrink[h] = shrink[h];
    m.out[h] = states[h]->out;
  }
  MixAll<kHeads>(t, tile, span, m);
}

// `count` states that see something of the tile, whose keys are there, and then its values.
inline void ScoreAll(const AttendArgs& t, const Tile& tile, AttendState* const* states,
                     int64_t count, float (*weights)[kTilePositions], float* shrink) {
  int64_t i = 0;
  for (; i + kTogether <= count; i += kTogether) {
    ScoreTile<kTogether>(t, tile, states + i, weights + i);
  }
  ScoreRest<kTogether - 1>(t, tile, states + i, count - i, weights + i);
  for (i = 0; i < count; ++i) shrink[i] = WeighTile(t, tile.at, states[i], weights[i]);
}

inline void MixStates(const AttendArgs& t, const Tile& tile, AttendState* const* states,
                      int64_t count, const float (*weights)[kTilePositions], const float* shrink) {
  for (int64_t i = 0; i < count;) {
    const Span span = SpanOf(*states[i], tile.at);
    int64_t whole = 0;
    while (whole < kMixTogether && i + whole < count &&
           SpanOf(*states[i + whole], tile.at).whole()) {
      ++whole;
    }
    if (whole == kMixTogether) {
      MixTile<kMixTogether>(t, tile, span, states + i, weights + i, shrink + i);
      i += kMixTogether;
    } else if (whole >= 2) {
      MixTile<2>(t, tile, span, states + i, weights + i, shrink + i);
      i += 2;
    } else {
      MixTile<1>(t, tile, span, states + i, weights + i, shrink + i);
      ++i;
    }
  }
}

#undef FERRY_ALONE

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
  s.max = t.sinks == nullptr ? -__builtin_inff() : t.sinks[h] * kLog2E;
  s.total = t.sinks == nullptr ? Zero() : SelectFirst(1, Set(1.0f), Zero());
  s.first = FirstSeen(t, row);
  s.end = EndSeen(t, row);
  for (int64_t d = 0; d < t.value_dim; ++d) s.out[d] = 0.0f;
  return s;
}

// Pages of the tile at `at` that someone sees: between the first position and the last.
struct SeenPages {
  int from, to;
};
inline SeenPages PagesSeen(int64_t at, int64_t first, int64_t end) {
  int from = 0;
  while (at + (from + 1) * kPositions <= first) ++from;
  int to = kTilePages;
  while (at + (to - 1) * kPositions >= end) --to;
  return {from, to};
}

// The numbers of keys or of values of a tile's pages, where they are or widened to `room`.
inline void ReadTile(const AttendArgs& t, const KvPart& part, int64_t at, const SeenPages& seen,
                     float* room, const float** numbers) {
  for (int p = seen.from; p < seen.to; ++p) {
    numbers[p] = NumbersOf(part, t.head, t.pages[at / kPositions + p], &room);
  }
  for (int p = 0; p < kTilePages; ++p) {
    if (p < seen.from || p >= seen.to) numbers[p] = numbers[seen.from];
  }
}

void AttendRows(const AttendArgs& t) {
  AttendState states[kAttendStates];
  int64_t count = 0;
  for (int64_t row = 0; row < t.rows; ++row) {
    for (int64_t h = 0; h < t.heads; ++h) states[count++] = Begin(t, row, h);
  }
  alignas(64) float room[kTilePositions * kMaxNarrowDims];
  alignas(64) float weights[kAttendStates][kTilePositions];
  const bool rows_of_keys = t.layout->values.dim == 0;
  const int64_t first = FirstSeen(t, 0);
  const int64_t end = EndSeen(t, t.rows - 1);
  for (int64_t at = first / kTilePositions * kTilePositions; at < end; at += kTilePositions) {
    AttendState* seeing[kAttendStates];
    float shrink[kAttendStates];
    int64_t seen = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (states[i].first < at + kTilePositions && states[i].end > at) seeing[seen++] = &states[i];
    }
    const SeenPages pages = PagesSeen(at, first, end);
    Tile tile;
    tile.at = at;
    tile.value_stride = rows_of_keys ? t.head_dim : t.value_dim;
    ReadTile(t, t.layout->keys, at, pages, room, tile.keys);
    ScoreAll(t, tile, seeing, seen, weights, shrink);
    if (rows_of_keys) {
      for (int p = 0; p < kTilePages; ++p) tile.values[p] = tile.keys[p];
    } else {
      ReadTile(t, t.layout->values, at, pages, room, tile.values);
    }
    MixStates(t, tile, seeing, seen, weights, shrink);
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
