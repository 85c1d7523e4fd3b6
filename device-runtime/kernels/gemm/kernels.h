// What a gemm file of one instruction set provides: micro-kernels that compute one tile of C.
#pragma once

#include <cstdint>

namespace ferry::kernels {

inline constexpr int kMaxTileRows = 16;
inline constexpr int kMaxPanelVectors = 4;

// One tile: `rows` (of the function) x `columns` of C over `taps` runs of `depth` products each.
// A's element (row, tap, k) is a[tap * rows + row][k]. The panel b holds, for each tap and k, one
// group of floats as wide as the function's vectors, zero behind the last column.
struct TileArgs {
  const float* const* a;
  int64_t taps;
  int64_t depth;
  const float* b;
  float* c;
  int64_t c_stride;
  int64_t columns;
  bool accumulate;    // start from C instead of 0
  bool finish;        // apply the rest: c = min(high, max(low, c + bias + add))
  const float* bias;  // columns floats, or null
  const float* add;   // like c, or null
  int64_t add_stride;
  float low;
  float high;
};

using TileFunction = void (*)(const TileArgs&);

struct GemmKernels {
  int max_rows;  // up to kMaxTileRows
  int vector;    // floats of one vector; every panel is a multiple of it wide
  int vectors;   // of a full panel
  // [vectors of the panel][rows]; index 0 unused.
  TileFunction tile[kMaxPanelVectors + 1][kMaxTileRows + 1];

  int64_t PanelWidth() const { return int64_t{vector} * vectors; }
};

#define FERRY_GEMM(isa) extern const GemmKernels kGemm##isa;
#include "device-runtime/kernels/gemm/list.inc"
#undef FERRY_GEMM

}  // namespace ferry::kernels
