// 16 rows at a time meet the codes of 64 columns in one product of tile registers, two chunks
// unpacked. All else is VNNI's.
#include "device-runtime/kernels/packed/vnni.h"
#include "device-runtime/kernels/packed/wide.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kTile = 16;                      // rows of a register
constexpr int64_t kTileChunks = 2;                 // that one holds
constexpr int64_t kChunkBytes = 8 * kVectorBytes;  // unpacked
constexpr int kRegisters = 7;                      // 0 to 3 are sums, 4 and 5 x, 6 the codes

// What LDTILECFG reads.
struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// GCC 12's functions for tiles do not say that they read and write memory.
inline void Touch(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

// Sums of s.m rows, 16 a register; the last has those that are left, as has x's register 5.
void Shape(const PackedStrip& s) {
  const auto last = static_cast<uint8_t>((s.m - 1) % kTile + 1);
  TileShapes shapes;
  for (int i = 0; i < kRegisters; ++i) {
    shapes.row_bytes[i] = kVectorBytes;
    shapes.rows[i] = kTile;
  }
  shapes.rows[(s.m - 1) / kTile] = shapes.rows[5] = last;
  Touch(&shapes);
  _tile_loadconfig(&shapes);
  Touch(&shapes);
}

// Codes of two chunks as a register wants them: of 8 bits where they lie. The last chunk of a row
// may be alone, beside codes that count for nothing.
template <int kBits>
inline const uint8_t* TileOf(const uint8_t* codes, bool both, uint8_t* space) {
  if constexpr (kBits == 8) {
    if (both) return codes;
  }
  UnpackChunk<kBits>(codes, space);
  if (both) {
    UnpackChunk<kBits>(codes + kBits * kVectorBytes, space + kChunkBytes);
  } else {
    for (int64_t i = 0; i < 8; ++i)
      StoreCodes(space + kChunkBytes + i * kVectorBytes, {_mm512_setzero_si512()});
  }
  return space;
}

// One more register of codes onto all sums; `x` of the first row, at these columns.
inline void AddTile(const uint8_t* codes, const uint8_t* x, int64_t x_stride, int64_t tiles) {
  const int64_t step = kTile * x_stride;
  Touch(codes);
  _tile_loadd(6, codes, kVectorBytes);
  // The last of the sums has x's rows of its own.
  if (tiles > 1) {
    _tile_loadd(4, x, x_stride);
    _tile_dpbsud(0, 4, 6);
  } else {
    _tile_loadd(5, x, x_stride);
    _tile_dpbsud(0, 5, 6);
    return;
  }
  if (tiles > 2) {
    _tile_loadd(4, x + step, x_stride);
    _tile_dpbsud(1, 4, 6);
  } else {
    _tile_loadd(5, x + step, x_stride);
    _tile_dpbsud(1, 5, 6);
    return;
  }
  if (tiles > 3) {
    _tile_loadd(4, x + 2 * step, x_stride);
    _tile_dpbsud(2, 4, 6);
    _tile_loadd(5, x + 3 * step, x_stride);
    _tile_dpbsud(3, 5, 6);
  } else {
    _tile_loadd(5, x + 2 * step, x_stride);
    _tile_dpbsud(2, 5, 6);
  }
}

inline void ClearSums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}
inline void StoreSums(int32_t* sums, int64_t tiles) {
  Touch(sums);
  constexpr int64_t kNext = kTile * kPackedTileRows;
  _tile_stored(0, sums, kVectorBytes);
  if (tiles > 1) _tile_stored(1, sums + kNext, kVectorBytes);
  if (tiles > 2) _tile_stored(2, sums + 2 * kNext, kVectorBytes);
  if (tiles > 3) _tile_stored(3, sums + 3 * kNext, kVectorBytes);
  Touch(sums);
}

// The sums of a group onto the totals of kRows rows from `m` on, then of what is left.
template <int kBits, int kRows>
inline void AddSumsOfGroup(const PackedStrip& s, int64_t group, const int32_t* sums,
                           const GroupNumbers& n, int64_t m, float* total) {
  for (; m + kRows <= s.m; m += kRows) {
    const uint8_t* x = s.x + m * s.x_stride;
    Ints dots[kRows];
    FERRY_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const Ints start = StartGroup<kBits>(x + r * s.x_stride + s.negative_at + group * 4);
      dots[r] = AddInts(start, {_mm512_load_si512(sums + (m + r) * kPackedTileRows)});
    }
    AddGroup<kRows>(s, x, group, n, dots, total + m * kPackedTileRows);
  }
  if constexpr (kRows > 1) {
    if (m < s.m) AddSumsOfGroup<kBits, 1>(s, group, sums, n, m, total);
  }
}

template <int kBits>
void ManyTiled(const PackedStrip& s) {
  constexpr int64_t kSpaces = 4;  // a register is loaded from one while the next is filled
  alignas(64) float total[kMaxPackedMany * kPackedTileRows];
  alignas(64) int32_t sums[kMaxPackedMany * kPackedTileRows];
  alignas(64) uint8_t unpacked[kSpaces][kTileChunks * kChunkBytes] = {};
  for (int64_t m = 0; m < s.m; ++m) StoreFloats(total + m * kPackedTileRows, SetFloats(0));
  const int64_t tiles = (s.m + kTile - 1) / kTile;
  Shape(s);
  const uint8_t* codes = s.codes;
  int64_t column = 0, space = 0;
  for (int64_t g = 0; g < s.groups; ++g) {
    ClearSums();
    for (int64_t c = 0; c < s.group_chunks; c += kTileChunks) {
      const bool both = s.group_chunks - c >= kTileChunks;
      const int64_t chunks = both ? kTileChunks : 1, bytes = chunks * kBits * kVectorBytes;
      if (s.cold) Prefetch(codes + kPrefetchBytes, bytes);
      const uint8_t* tile = TileOf<kBits>(codes, both, unpacked[space++ % kSpaces]);
      AddTile(tile, s.x + column, s.x_stride, tiles);
      codes += bytes;
      column += chunks * kPackedChunk;
    }
    StoreSums(sums, tiles);
    AddSumsOfGroup<kBits, 4>(s, g, sums, NumbersOf(s, g), 0, total);
  }
  _tile_release();
  WriteTotals(s, total);
}

}  // namespace

void PackedWideAmx2(const PackedStrip& s) {
  ManyTiled<2>(s);
}
void PackedWideAmx3(const PackedStrip& s) {
  ManyTiled<3>(s);
}
void PackedWideAmx4(const PackedStrip& s) {
  ManyTiled<4>(s);
}
void PackedWideAmx8(const PackedStrip& s) {
  ManyTiled<8>(s);
}

}  // namespace ferry::kernels
