// What a tiled file of one instruction set provides: blocks of a product over tile registers, which
// hold 16 rows of 64 bytes (Intel's AMX; "Intel Architecture Instruction Set Extensions Programming
// Reference", chapter on AMX).
#pragma once

#include <cstdint>

namespace ferry::kernels {

struct PackedStrip;

inline constexpr int kTiledRows = 32;     // of A and the sums in a block: two registers
inline constexpr int kTiledColumns = 32;  // of B and the sums: two registers
// Bytes of a row in a register: 64 numbers of 8 bits, 32 of bfloat16.
inline constexpr int64_t kTiledChunk = 64;
inline constexpr int64_t kTiledGroups = kTiledChunk / 4;  // rows of B in a register
// Bytes of one part of a chunk of A, and of B for 32 columns.
inline constexpr int64_t kTiledStep = kTiledRows * kTiledChunk;
inline constexpr int kMaxTiledParts = 2;

// Sums of `rows` x `columns` over `chunks`. Sums and A have the places of all rows; what stands in
// those behind the last one is read, and has no meaning.
struct TiledBlock {
  const uint8_t* a;  // [chunks][parts][kTiledRows][kTiledChunk]
  int64_t rows;      // 1 to kTiledRows
  int64_t chunks;
  const void* b;      // [chunks][parts][kTiledGroups][columns][4 bytes of depth]
  int64_t columns;    // 16 or 32
  const void* start;  // of each column, four bytes; null: go on from sums
  void* sums;         // [kTiledRows][kTiledColumns], four bytes each
};

// `bytes` of `count` rows into A of a block: the first of them goes to where byte `at` of the
// block's rows stands. The bits of `flip` are turned (bytes alone).
struct TiledCopy {
  const uint8_t* const* rows;
  int64_t count;
  int64_t bytes;
  int64_t at;
  uint8_t flip;
  uint8_t* a;  // aligned to kTiledChunk
  // Of float32: bit i is set where row i has a number that rounds to no finite one. Or null.
  uint32_t* infinite = nullptr;
};

// The end of float32 sums of a block: c = min(high, max(low, sum + bias + add)), NaN stays.
struct TiledFinish {
  const float* sums;  // [rows][kTiledColumns]
  int64_t rows;
  int64_t columns;    // up to kTiledColumns
  const float* bias;  // of each column, or null
  const float* add;   // like c, or null
  float low;
  float high;
  float* c;
  int64_t c_stride;  // of add too
};

// A kind of numbers.
struct TiledForm {
  int64_t chunk_bytes;  // of a row of A, where it lies, in one chunk
  int parts;            // registers of a row and chunk
  void (*copy)(const TiledCopy&);
  void (*block)(const TiledBlock&);
};

struct TiledKernels {
  bool is_native;  // the processor has such registers: worth choosing
  // Around the blocks that a thread computes one after another.
  void (*begin)();
  void (*end)();
  // a: unsigned bytes, b: signed ones; sums of 32 bits, exact modulo 2^32.
  TiledForm bytes;
  // Pairs of bfloat16, float32 sums: of each chunk the products of the first numbers of the pairs
  // and those of the second are added up by themselves, each by 16 fused multiply-adds from 0 on,
  // then sum = sum + (first + second). Denormal operands and results count as 0.
  TiledForm halves;
  // float32, each as the sum of two bfloat16: the nearest one, and the one nearest to what is left.
  // A product of two is that of their parts, as halves are, in the order of kTiledProducts; that of
  // the second parts, 2^-18 of it at most, is left out. What rounds to an infinite number, and NaN,
  // has the second part 0; it times such a part is NaN: rows and matrices that have it want
  // AddPlainRows.
  TiledForm floats;
  void (*finish)(const TiledFinish&);
  // Of packed/kernels.h, by its widths: as PackedKernels::many, for groups of 64 columns and more
  // of any length (of 32, half a register would be empty, and what a group costs beside its
  // products is most of it); null where that serves.
  void (*packed[4])(const PackedStrip&);
};

// The products of the rows of `rows` (a bit each) of a block of `floats`, whose parts are put
// together again, one after another onto sums. Portable.
void AddPlainRows(const TiledBlock& block, uint32_t rows);

// Parts of A and B that `floats` multiplies, chunk by chunk.
inline constexpr int kTiledProducts[3][2] = {{0, 0}, {1, 0}, {0, 1}};

#define FERRY_TILED(isa) extern const TiledKernels kTiled##isa;
#include "device-runtime/kernels/tiled/list.inc"
#undef FERRY_TILED

}  // namespace ferry::kernels
