// Tiles over the registers of one instruction set: lane = row, four columns a step. Included by
// <isa>.cc after what it is written over, never elsewhere:
//   Codes    a step of stored codes: 16 fields of four bytes
//   Sums     running sums of 16 rows, as wide as the products allow; kRunChunks<bits>: how many
//            chunks they hold before they are widened, 0 for any number
//   Ints, Floats   16 numbers
#pragma once

#include "device-runtime/kernels/packed/kernels.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kVectorBytes = 64;

// Sums stay in registers only where all that touches them is one function.
#define FERRY_INTO __attribute__((always_inline)) inline

// Step kStep of a chunk, one stored code a byte.
template <int kBits, int kStep>
FERRY_INTO Codes StepOf(const uint8_t* chunk) {
  if constexpr (kBits == 8) {
    return LoadCodes(chunk + kStep * kVectorBytes);
  } else if constexpr (kBits == 4) {
    return Field<kStep % 2 * 4, 15>(LoadCodes(chunk + kStep / 2 * kVectorBytes));
  } else {
    const Codes lower = Field<kStep % 4 * 2, 3>(LoadCodes(chunk + kStep / 4 * kVectorBytes));
    if constexpr (kBits == 2) return lower;
    return WithUpperBit<kStep>(lower, LoadCodes(chunk + 2 * kVectorBytes));
  }
}

template <int kBits, bool kUnpacked, int kRows, int kStep>
FERRY_INTO void AddStep(const uint8_t* chunk, const uint8_t* x, int64_t x_stride,
                        Sums (&sum)[kRows][kChains<kRows>]) {
  // NOLINTNEXTLINE(bugprone-branch-clone): of 8 bits both are alike
  const auto w = Prepare<kBits>(StepOf < kUnpacked ? 8 : kBits, kStep > (chunk));
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    Dot(sum[r][kStep % kChains<kRows>], w, x + r * x_stride + kStep * kPackedStep);
  }
}

template <int kBits, bool kUnpacked, int kRows>
FERRY_INTO void AddChunk(const uint8_t* chunk, const uint8_t* x, int64_t x_stride,
                         Sums (&sum)[kRows][kChains<kRows>]) {
  AddStep<kBits, kUnpacked, kRows, 0>(chunk, x, x_stride, sum);
  AddStep<kBits, kUnpacked, kRows, 1>(chunk, x, x_stride, sum);
  AddStep<kBits, kUnpacked, kRows, 2>(chunk, x, x_stride, sum);
  AddStep<kBits, kUnpacked, kRows, 3>(chunk, x, x_stride, sum);
  AddStep<kBits, kUnpacked, kRows, 4>(chunk, x, x_stride, sum);
  AddStep<kBits, kUnpacked, kRows, 5>(chunk, x, x_stride, sum);
  AddStep<kBits, kUnpacked, kRows, 6>(chunk, x, x_stride, sum);
  AddStep<kBits, kUnpacked, kRows, 7>(chunk, x, x_stride, sum);
}

// How far ahead of use a cold tile is asked for.
constexpr int64_t kPrefetchBytes = 2048;
inline void Prefetch(const uint8_t* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += kVectorBytes) __builtin_prefetch(from + i, 0, 2);
}

// The sums of `chunks` chunks from chunk `first` of the row, at most kRunChunks. `start`: of the
// group, where it begins here, else null.
template <int kBits, bool kUnpacked, int kRows>
FERRY_INTO void SumRun(const PackedStrip& s, const uint8_t* x, int64_t first, int64_t chunks,
                       const uint8_t* codes, int64_t group, Ints (&dots)[kRows]) {
  Sums sum[kRows][kChains<kRows>];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    sum[r][0] = StartGroup<kBits>(x + r * s.x_stride + s.negative_at + group * 4);
    FERRY_UNROLL
    for (int c = 1; c < kChains<kRows>; ++c) sum[r][c] = NoSums();
  }
  // NOLINTNEXTLINE(bugprone-branch-clone)
  constexpr int64_t kBytes = kUnpacked ? 8 * kVectorBytes : kBits * kVectorBytes;
  for (int64_t i = first; i < first + chunks; ++i, codes += kBytes) {
    if (!kUnpacked && s.cold) Prefetch(codes + kPrefetchBytes, kBytes);
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) {
      StartChunk<kBits>(x + r * s.x_stride + s.pairs_at + i * 4, &sum[r][0]);
    }
    AddChunk<kBits, kUnpacked, kRows>(codes, x + i * kPackedChunk, s.x_stride, sum);
  }
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    FERRY_UNROLL
    for (int c = 1; c < kChains<kRows>; ++c) AddSums(&sum[r][0], sum[r][c]);
    dots[r] = Widen<kBits>(sum[r][0]);
  }
}

template <int kBits, bool kUnpacked, int kRows>
FERRY_INTO void SumGroup(const PackedStrip& s, const uint8_t* x, int64_t group,
                         const uint8_t* codes, Ints (&dots)[kRows]) {
  const int64_t first = group * s.group_chunks;
  if constexpr (kRunChunks<kBits> == 0) {
    SumRun<kBits, kUnpacked, kRows>(s, x, first, s.group_chunks, codes, group, dots);
  } else {
    constexpr int64_t kRun = kRunChunks<kBits>;
    // NOLINTNEXTLINE(bugprone-branch-clone)
    constexpr int64_t kBytes = kUnpacked ? 8 * kVectorBytes : kBits * kVectorBytes;
    const int64_t begin = s.group_chunks < kRun ? s.group_chunks : kRun;
    SumRun<kBits, kUnpacked, kRows>(s, x, first, begin, codes, group, dots);
    for (int64_t i = begin; i < s.group_chunks; i += kRun) {
      const int64_t left = s.group_chunks - i;
      Ints more[kRows];
      SumRun<kBits, kUnpacked, kRows>(s, x, first + i, left < kRun ? left : kRun,
                                      codes + i * kBytes, group, more);
      FERRY_UNROLL
      for (int r = 0; r < kRows; ++r) dots[r] = AddInts(dots[r], more[r]);
    }
  }
}

struct GroupNumbers {
  Floats scale;
  Floats shift;
};
template <typename Strip>
FERRY_INTO GroupNumbers NumbersOf(const Strip& s, int64_t group) {
  const int64_t at = group * kPackedTileRows;
  const int64_t bytes = s.scale == PackedScale::kF32 ? 4 : 2;
  GroupNumbers n;
  n.scale = LoadNumbers(s.scale, s.scales + at * bytes);
  if (s.shift == PackedShift::kZero) {
    const float unit = s.bits == 8   ? -1.0f
                       : s.bits == 4 ? -0x1p-4f
                       : s.bits == 3 ? -0x1p-5f
                                     : -0x1p-6f;
    n.shift = MulFloats(n.scale, MulFloats(LoadBytes(s.shifts + at), SetFloats(unit)));
  } else if (s.shift == PackedShift::kNumber) {
    n.shift = LoadNumbers(s.scale, s.shifts + at * bytes);
  } else {
    n.shift = SetFloats(0);
  }
  return n;
}

// A group's part of each row of x, onto what those before made.
template <int kRows>
FERRY_INTO void AddGroup(const PackedStrip& s, const uint8_t* x, int64_t group,
                         const GroupNumbers& n, const Ints (&dots)[kRows], float* total) {
  Floats part[kRows];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) part[r] = ToFloats(dots[r]);
  if (s.group_scales) {
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) {
      part[r] = MulFloats(part[r], Everywhere(x + r * s.x_stride + s.scales_at + group * 4));
    }
  }
  if (s.shift == PackedShift::kNone) {
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) {
      float* to = total + r * kPackedTileRows;
      StoreFloats(to, FmaFloats(part[r], n.scale, LoadFloats(to)));
    }
  } else {
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) {
      float* to = total + r * kPackedTileRows;
      const Floats sum = Everywhere(x + r * s.x_stride + s.sums_at + group * 4);
      const Floats scaled = FmaFloats(part[r], n.scale, LoadFloats(to));
      StoreFloats(to, FmaFloats(sum, n.shift, scaled));
    }
  }
}

// Rows of totals to where they belong.
template <typename Strip>
inline void WriteRow(const Strip& s, int64_t m, Floats value) {
  const int64_t at = m * s.out_stride;
  if (s.rows == kPackedTileRows) {
    if (s.add != nullptr) value = AddFloats(value, LoadFloats(s.add + at));
    StoreFloats(s.out + at, value);
    return;
  }
  alignas(64) float lanes[kPackedTileRows];
  StoreFloats(lanes, value);
  for (int64_t i = 0; i < s.rows; ++i) {
    s.out[at + i] = s.add != nullptr ? lanes[i] + s.add[at + i] : lanes[i];
  }
}
inline void WriteTotals(const PackedStrip& s, const float* total) {
  for (int64_t m = 0; m < s.m; ++m) {
    Floats value = LoadFloats(total + m * kPackedTileRows);
    if (!s.group_scales) {
      value = MulFloats(value, Everywhere(s.x + m * s.x_stride + s.scales_at));
    }
    WriteRow(s, m, value);
  }
}

template <int kBits, int kRows>
void Few(const PackedStrip& s) {
  alignas(64) float total[kRows * kPackedTileRows];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) StoreFloats(total + r * kPackedTileRows, SetFloats(0));
  const uint8_t* codes = s.codes;
  if (s.cold) Prefetch(codes + kPrefetchBytes - (s.codes - s.scales), s.codes - s.scales);
  for (int64_t g = 0; g < s.groups; ++g, codes += s.group_chunks * kBits * kVectorBytes) {
    Ints dots[kRows];
    SumGroup<kBits, false, kRows>(s, s.x, g, codes, dots);
    AddGroup<kRows>(s, s.x, g, NumbersOf(s, g), dots, total);
  }
  WriteTotals(s, total);
}

template <int kBits>
FERRY_INTO void UnpackChunk(const uint8_t* chunk, uint8_t* to) {
  StoreCodes(to, StepOf<kBits, 0>(chunk));
  StoreCodes(to + 1 * kVectorBytes, StepOf<kBits, 1>(chunk));
  StoreCodes(to + 2 * kVectorBytes, StepOf<kBits, 2>(chunk));
  StoreCodes(to + 3 * kVectorBytes, StepOf<kBits, 3>(chunk));
  StoreCodes(to + 4 * kVectorBytes, StepOf<kBits, 4>(chunk));
  StoreCodes(to + 5 * kVectorBytes, StepOf<kBits, 5>(chunk));
  StoreCodes(to + 6 * kVectorBytes, StepOf<kBits, 6>(chunk));
  StoreCodes(to + 7 * kVectorBytes, StepOf<kBits, 7>(chunk));
}

template <int kBits, int kRows>
__attribute__((noinline)) void AddGroupToRest(const PackedStrip& s, int64_t group,
                                              const uint8_t* codes, const GroupNumbers& n,
                                              int64_t m, float* total);

// Rows from `m` on of a group whose codes are unpacked: kRows at a time, then fewer.
template <int kBits, int kRows>
FERRY_INTO void AddGroupToAll(const PackedStrip& s, int64_t group, const uint8_t* codes,
                              const GroupNumbers& n, int64_t m, float* total) {
  for (; m + kRows <= s.m; m += kRows) {
    const uint8_t* x = s.x + m * s.x_stride;
    Ints dots[kRows];
    SumGroup<kBits, true, kRows>(s, x, group, codes, dots);
    AddGroup<kRows>(s, x, group, n, dots, total + m * kPackedTileRows);
  }
  if constexpr (kRows > 1) {
    if (m < s.m) AddGroupToRest<kBits, kRows / 2>(s, group, codes, n, m, total);
  }
}

// The same, once for all that have rows left over.
template <int kBits, int kRows>
void AddGroupToRest(const PackedStrip& s, int64_t group, const uint8_t* codes,
                    const GroupNumbers& n, int64_t m, float* total) {
  AddGroupToAll<kBits, kRows>(s, group, codes, n, m, total);
}

template <int kBits, int kRows>
void Many(const PackedStrip& s) {
  constexpr int64_t kMostChunks = 4;  // of a group
  alignas(64) float total[kMaxPackedMany * kPackedTileRows];
  alignas(64) uint8_t unpacked[kMostChunks * 8 * kVectorBytes];
  for (int64_t m = 0; m < s.m; ++m) StoreFloats(total + m * kPackedTileRows, SetFloats(0));
  const uint8_t* codes = s.codes;
  for (int64_t g = 0; g < s.groups; ++g) {
    for (int64_t c = 0; c < s.group_chunks; ++c, codes += kBits * kVectorBytes) {
      UnpackChunk<kBits>(codes, unpacked + c * 8 * kVectorBytes);
    }
    AddGroupToAll<kBits, kRows>(s, g, unpacked, NumbersOf(s, g), 0, total);
  }
  WriteTotals(s, total);
}

template <int kBits, int kRows, int kStep>
FERRY_INTO void AddStepOfPair(const uint8_t* first, const uint8_t* second, const uint8_t* x,
                              int64_t x_stride, Sums (&a)[kRows], Sums (&b)[kRows]) {
  const auto w = Prepare<kBits>(StepOf<8, kStep>(first));
  const auto v = Prepare<kBits>(StepOf<8, kStep>(second));
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    const uint8_t* four = x + r * x_stride + kStep * kPackedStep;
    Dot(a[r], w, four);
    Dot(b[r], v, four);
  }
}

// As SumGroup, of two tiles' unpacked codes; only where sums hold any number of chunks.
template <int kBits, int kRows>
FERRY_INTO void SumGroupOfPair(const PackedStrip& s, const uint8_t* x, int64_t group,
                               const uint8_t* first, const uint8_t* second, Ints (&a_dots)[kRows],
                               Ints (&b_dots)[kRows]) {
  static_assert(kRunChunks<kBits> == 0);
  Sums a[kRows];
  Sums b[kRows];
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    a[r] = StartGroup<kBits>(x + r * s.x_stride + s.negative_at + group * 4);
    b[r] = a[r];
  }
  const uint8_t* codes = x + group * s.group_chunks * kPackedChunk;
  for (int64_t i = 0; i < s.group_chunks; ++i, codes += kPackedChunk) {
    AddStepOfPair<kBits, kRows, 0>(first, second, codes, s.x_stride, a, b);
    AddStepOfPair<kBits, kRows, 1>(first, second, codes, s.x_stride, a, b);
    AddStepOfPair<kBits, kRows, 2>(first, second, codes, s.x_stride, a, b);
    AddStepOfPair<kBits, kRows, 3>(first, second, codes, s.x_stride, a, b);
    AddStepOfPair<kBits, kRows, 4>(first, second, codes, s.x_stride, a, b);
    AddStepOfPair<kBits, kRows, 5>(first, second, codes, s.x_stride, a, b);
    AddStepOfPair<kBits, kRows, 6>(first, second, codes, s.x_stride, a, b);
    AddStepOfPair<kBits, kRows, 7>(first, second, codes, s.x_stride, a, b);
    first += 8 * kVectorBytes;
    second += 8 * kVectorBytes;
  }
  FERRY_UNROLL
  for (int r = 0; r < kRows; ++r) {
    a_dots[r] = Widen<kBits>(a[r]);
    b_dots[r] = Widen<kBits>(b[r]);
  }
}

// Where one load of x serves two tiles: a processor that multiplies twice a cycle loads no more
// than twice. Rows that are left over go tile by tile.
template <int kBits, int kRows>
void ManyOfPair(const PackedStrip& s) {
  constexpr int64_t kMostChunks = 4;
  constexpr int64_t kTotals = kMaxPackedMany * kPackedTileRows;
  constexpr int64_t kUnpackedBytes = kMostChunks * 8 * kVectorBytes;
  alignas(64) float total[2 * kTotals];
  alignas(64) uint8_t unpacked[2 * kUnpackedBytes];
  for (int64_t i = 0; i < 2 * kTotals; i += kPackedTileRows) StoreFloats(total + i, SetFloats(0));
  PackedStrip next = s;
  next.scales += s.tile_bytes;
  if (s.shifts != nullptr) next.shifts += s.tile_bytes;
  next.out += kPackedTileRows;
  if (s.add != nullptr) next.add += kPackedTileRows;
  const uint8_t* codes = s.codes;
  for (int64_t g = 0; g < s.groups; ++g) {
    for (int64_t c = 0; c < s.group_chunks; ++c, codes += kBits * kVectorBytes) {
      UnpackChunk<kBits>(codes, unpacked + c * 8 * kVectorBytes);
      UnpackChunk<kBits>(codes + s.tile_bytes, unpacked + kUnpackedBytes + c * 8 * kVectorBytes);
    }
    const GroupNumbers n = NumbersOf(s, g);
    const GroupNumbers next_n = NumbersOf(next, g);
    int64_t m = 0;
    for (; m + kRows <= s.m; m += kRows) {
      const uint8_t* x = s.x + m * s.x_stride;
      Ints a[kRows];
      Ints b[kRows];
      SumGroupOfPair<kBits, kRows>(s, x, g, unpacked, unpacked + kUnpackedBytes, a, b);
      AddGroup<kRows>(s, x, g, n, a, total + m * kPackedTileRows);
      AddGroup<kRows>(s, x, g, next_n, b, total + kTotals + m * kPackedTileRows);
    }
    if (m == s.m) continue;
    AddGroupToRest<kBits, kRows / 2>(s, g, unpacked, n, m, total);
    AddGroupToRest<kBits, kRows / 2>(next, g, unpacked + kUnpackedBytes, next_n, m,
                                     total + kTotals);
  }
  WriteTotals(s, total);
  WriteTotals(next, total + kTotals);
}

// The values of a chunk, [column][row].
template <int kStep>
inline void ValuesOfStep(Codes codes, int bits, const GroupNumbers& n, float* to) {
  const Ints zero = SetInts(-(1 << (bits - 1)));
  float* column = to + kStep * kPackedStep * kPackedTileRows;
  StoreFloats(column, FmaFloats(ToFloats(AddInts(ByteOf<0>(codes), zero)), n.scale, n.shift));
  StoreFloats(column + kPackedTileRows,
              FmaFloats(ToFloats(AddInts(ByteOf<1>(codes), zero)), n.scale, n.shift));
  StoreFloats(column + 2 * kPackedTileRows,
              FmaFloats(ToFloats(AddInts(ByteOf<2>(codes), zero)), n.scale, n.shift));
  StoreFloats(column + 3 * kPackedTileRows,
              FmaFloats(ToFloats(AddInts(ByteOf<3>(codes), zero)), n.scale, n.shift));
}
template <int kBits>
void ValuesOfChunk(const uint8_t* chunk, const GroupNumbers& n, float* to) {
  ValuesOfStep<0>(StepOf<kBits, 0>(chunk), kBits, n, to);
  ValuesOfStep<1>(StepOf<kBits, 1>(chunk), kBits, n, to);
  ValuesOfStep<2>(StepOf<kBits, 2>(chunk), kBits, n, to);
  ValuesOfStep<3>(StepOf<kBits, 3>(chunk), kBits, n, to);
  ValuesOfStep<4>(StepOf<kBits, 4>(chunk), kBits, n, to);
  ValuesOfStep<5>(StepOf<kBits, 5>(chunk), kBits, n, to);
  ValuesOfStep<6>(StepOf<kBits, 6>(chunk), kBits, n, to);
  ValuesOfStep<7>(StepOf<kBits, 7>(chunk), kBits, n, to);
}

// The columns of one chunk onto one row's four sums.
inline void AddValues(const float* x, int64_t columns, const float* values, float* total) {
  Floats sum[4];
  FERRY_UNROLL
  for (int c = 0; c < 4; ++c) sum[c] = LoadFloats(total + c * kPackedTileRows);
  int64_t k = 0;
  for (; k + 4 <= columns; k += 4) {
    FERRY_UNROLL
    for (int c = 0; c < 4; ++c) {
      const Floats weights = LoadFloats(values + (k + c) * kPackedTileRows);
      sum[c] = FmaFloats(SetFloats(x[k + c]), weights, sum[c]);
    }
  }
  FERRY_UNROLL
  for (int c = 0; c < 3; ++c) {
    if (k + c >= columns) continue;
    const Floats weights = LoadFloats(values + (k + c) * kPackedTileRows);
    sum[c] = FmaFloats(SetFloats(x[k + c]), weights, sum[c]);
  }
  FERRY_UNROLL
  for (int c = 0; c < 4; ++c) StoreFloats(total + c * kPackedTileRows, sum[c]);
}

[[maybe_unused]] void Exact(const PackedExactStrip& s) {
  constexpr int64_t kRowFloats = 4 * kPackedTileRows;
  alignas(64) float total[kMaxPackedMany * kRowFloats];
  alignas(64) float values[kPackedChunk * kPackedTileRows];
  for (int64_t i = 0; i < s.m * kRowFloats; i += kPackedTileRows) {
    StoreFloats(total + i, SetFloats(0));
  }
  const uint8_t* codes = s.codes;
  int64_t k = 0;
  for (int64_t g = 0; g < s.groups; ++g) {
    const GroupNumbers n = NumbersOf(s, g);
    for (int64_t c = 0; c < s.group_chunks && k < s.columns; ++c, codes += s.chunk_bytes) {
      if (s.bits == 8) ValuesOfChunk<8>(codes, n, values);
      if (s.bits == 4) ValuesOfChunk<4>(codes, n, values);
      if (s.bits == 3) ValuesOfChunk<3>(codes, n, values);
      if (s.bits == 2) ValuesOfChunk<2>(codes, n, values);
      const int64_t left = s.columns - k;
      const int64_t columns = left < kPackedChunk ? left : kPackedChunk;
      for (int64_t m = 0; m < s.m; ++m) {
        AddValues(s.x + m * s.x_stride + k, columns, values, total + m * kRowFloats);
      }
      k += columns;
    }
  }
  for (int64_t m = 0; m < s.m; ++m) {
    const float* sums = total + m * kRowFloats;
    WriteRow(s, m,
             AddFloats(AddFloats(LoadFloats(sums), LoadFloats(sums + kPackedTileRows)),
                       AddFloats(LoadFloats(sums + 2 * kPackedTileRows),
                                 LoadFloats(sums + 3 * kPackedTileRows))));
  }
}

}  // namespace
}  // namespace ferry::kernels

#undef FERRY_INTO
