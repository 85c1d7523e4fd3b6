// What a quant file of one instruction set provides.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/quant/types.h"

namespace ferry::kernels {

inline constexpr int kMaxQuantRows = 16;
inline constexpr int kMaxQuantVectors = 2;
inline constexpr int kMaxQuantWidth = 32;  // columns of a panel
// Products that lie side by side in a packed panel: a 32-bit lane of bytes.
inline constexpr int64_t kQuantGroup = 4;
// Sums and the arrays that start them are padded to a multiple of this many columns.
inline constexpr int64_t kQuantPad = 32;

constexpr int64_t QuantPadded(int64_t columns) {
  return (columns + kQuantPad - 1) / kQuantPad * kQuantPad;
}

// The sums of one tile: `rows` (of the function) x a panel, over `taps` runs of `depth` products.
// A's element (row, tap, k) is a[tap * rows + row][k]; signed ones count as 128 more. The panel b
// holds for each tap and group of k one lane of 4 bytes a column, zero behind the last k.
struct QuantTile {
  const uint8_t* const* a;
  int64_t taps;
  int64_t depth;
  const int8_t* b;
  const int32_t* start;  // of each column; null: go on from sums
  int32_t* sums;         // rows kMaxQuantWidth apart
};

// The epilogue over rows x columns of sums.
struct QuantFinish {
  const int32_t* sums;
  int64_t sums_stride;
  int64_t rows;
  int64_t columns;
  const float* factor;  // of these columns
  const float* offset;  // or null
  const uint8_t* add;   // or null
  void* y;
  int64_t y_stride;  // of add too, in elements
  const QuantEpilogue* epilogue;
};

// Sums of pixels side by side: start + in[t][pixel, c] * weight of tap t, over pairs of taps.
struct QuantDepthwise {
  const uint8_t* const* in;  // 2 * pairs, of the first pixel
  int64_t pairs;
  int64_t pixels;
  int64_t pixel_stride;  // bytes between the same tap of neighbours
  int64_t channels;
  const int16_t* weight;  // [pairs][pair_stride]: two a channel, side by side
  int64_t pair_stride;
  const int32_t* start;
  int32_t* sums;  // [pixels][sums_stride], padded as start
  int64_t sums_stride;
};

// y = nearest(clip(x / scale, low, high)) + zero
struct QuantizeRun {
  const float* x;
  int64_t count;
  float scale, low, high;
  int32_t zero;
  uint8_t* y;
};

// One run of QuantBinary (quant.h).
struct QuantPairRun {
  const QuantBinaryShape* shape;
  const uint8_t* a;
  const uint8_t* b;
  int64_t count;
  uint8_t* y;
};

using QuantTileFunction = void (*)(const QuantTile&);
using QuantTapsFunction = void (*)(int64_t count, const uint8_t* const* taps, int64_t channels,
                                   uint8_t* out);
using QuantSumFunction = void (*)(int64_t count, const uint8_t* const* taps, int64_t channels,
                                  int32_t* sums);

// [2]: of unsigned and signed elements.
struct QuantKernels {
  int max_rows;
  int vector;   // columns of one vector; every panel is a multiple of it wide
  int vectors;  // of a full panel
  QuantTileFunction tile[2][kMaxQuantVectors + 1][kMaxQuantRows + 1];
  void (*finish[kQuantTypeCount])(const QuantFinish&);
  void (*depthwise[2])(const QuantDepthwise&);
  QuantTapsFunction max_of[2];
  QuantSumFunction sum_of[2];  // added to sums, which are padded
  void (*quantize)(const QuantizeRun&);
  void (*binary[2])(const QuantPairRun&);  // additions, products

  int64_t PanelWidth() const { return int64_t{vector} * vectors; }
};

#define FERRY_QUANT(isa) extern const QuantKernels kQuant##isa;
#include "device-runtime/kernels/quant/list.inc"
#undef FERRY_QUANT

}  // namespace ferry::kernels
