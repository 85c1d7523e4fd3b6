// What a quant file of one instruction set provides.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/quant/types.h"

namespace ferry::kernels {

inline constexpr int kMaxQuantRows = 16;
inline constexpr int kMaxQuantVectors = 2;
inline constexpr int kMaxQuantWidth = 32;  // columns of a panel
// Products that lie side by side in a packed panel, at most (QuantKernels::group).
inline constexpr int64_t kMaxQuantGroup = 8;
// Sums and the arrays that start them are padded to a multiple of this many columns.
inline constexpr int64_t kQuantPad = 32;

constexpr int64_t QuantPadded(int64_t columns) {
  return (columns + kQuantPad - 1) / kQuantPad * kQuantPad;
}

// What the bounded tiles of a set need beside a panel. They add products of bytes in pairs of 16
// bits, which hold 255 times kMaxPairSum: where the weights of a pair (bytes 0 and 1, or 2 and 3 of
// a column's group) have a larger sum of one sign, the panel has the part up to it, and what is
// left of the second weight stands in a further group, whose elements of A come from four places.
// A further group costs about as much as two of the panel; where more than a fourth of them would
// be needed the panel has its weights as they came.
inline constexpr int32_t kMaxPairSum = 128;
inline constexpr int64_t kMaxBoundedTaps = 64;  // whose pointers a tile has at once
struct QuantFurtherGroup {
  int32_t tap;
  int32_t k[4];
};
struct QuantFurther {
  const QuantFurtherGroup* groups;
  const int8_t* b;  // of each, as a group of a panel
  int32_t count;    // -1: the panel is not bounded
};

// The sums of one tile: `rows` (of the function) x a panel, over `taps` runs of `depth` products.
// A's element (row, tap, k) is a[tap * rows + row][k] + QuantKernels::shift. The panel b holds for
// each tap and `group` of k as many bytes a column, zero behind the last k.
struct QuantTile {
  const uint8_t* const* a;
  int64_t taps;
  int64_t depth;
  const int8_t* b;
  const int32_t* start;  // of each column; null: go on from sums
  int32_t* sums;         // rows kMaxQuantWidth apart
  QuantFurther further;  // read by bounded tiles alone
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

// Pixels of one output line of a depthwise convolution, to bytes without addend. For `kOutputs`
// outputs beside each other, from `kGroups` times four columns: weights are
// [block of 64 channels][line][group][output][quarter q][64 bytes], the bytes of a quarter those of
// channels 16 l + 4 q + i (l, i < 4), four columns each; arrays of channels lie in the same order.
struct QuantDepthwiseLine {
  const uint8_t* const* in;  // [lines][columns], addresses of pixels
  int64_t lines;             // of the kernel
  int64_t columns;
  int64_t pixels;
  int64_t stride;  // columns from output to output
  int64_t channels;
  const int8_t* weights;
  const int32_t* start;  // of x - 0, or of x + 128 if signed
  const float* factor;
  const float* offset;
  uint8_t* y;
  uint8_t* end;  // of what may be written: later pixels come later
  const QuantEpilogue* epilogue;
};
using QuantDepthwiseLineFunction = void (*)(const QuantDepthwiseLine&);
inline constexpr int kQuantLineForms = 5;
struct QuantLineForm {
  int outputs, groups;
};
inline constexpr QuantLineForm kQuantLines[kQuantLineForms] = {
    {2, 1}, {1, 1}, {4, 2}, {2, 2}, {1, 2}};
struct QuantDepthwiseLines {
  QuantDepthwiseLineFunction of[2][kQuantLineForms];  // of unsigned and signed elements
};

// Winograd's F(4x4, 3x3) in whole numbers (winograd.cc).
inline constexpr uint32_t kNinth = 0x38e38e39u;  // times 9 it is 1 modulo 2^32
// out[p * point_stride + c] = B^T (d - zero) B, of 36 pixels of bytes; whole vectors are written,
// zeros behind the last channel.
struct QuantPoints {
  const uint8_t* const* pixels;
  int64_t channels;
  int32_t zero;
  int64_t point_stride;
  int16_t* out;
};
// c = a b, modulo 2^32, over pairs of 16-bit numbers: rows (of the function) of a, a panel of b
// [pair][column][2].
struct QuantPairTile {
  const int16_t* a;
  int64_t a_stride;
  int64_t pairs;
  const int16_t* b;
  int32_t* c;
  int64_t c_stride;
};
// sums of 16 pixels = A^T m A + start, of points' products m that are too large by the divisors of
// G; exact for |A^T m A| < 2^25. Whole vectors of channels.
struct QuantPixels {
  const int32_t* in;
  int64_t point_stride;
  int64_t channels;
  const int32_t* start;
  int32_t* sums;
  int64_t sums_stride;
};
struct QuantWinograd {
  int max_rows;
  int panel;   // columns of a panel of b
  int shorts;  // channels of a vector of points
  int bytes;   // products of bytes in the time of one of 16 bits
  void (*points[2])(const QuantPoints&);
  void (*tile[kMaxQuantRows + 1])(const QuantPairTile&);
  void (*pixels)(const QuantPixels&);
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

// out[i * columns + j] = (q - zero[j]) * scale[j] for rows i; whole vectors of columns. Bytes are
// signed, [rows][columns]; halves unsigned, [rows / 2][columns], the even row in the lower bits.
struct QuantWiden {
  int64_t rows;
  int64_t columns;
  const uint8_t* q;
  const float* scale;
  const float* zero;
  float* out;
};

using QuantTileFunction = void (*)(const QuantTile&);
using QuantTapsFunction = void (*)(int64_t count, const uint8_t* const* taps, int64_t channels,
                                   uint8_t* out);
using QuantSumFunction = void (*)(int64_t count, const uint8_t* const* taps, int64_t channels,
                                  int32_t* sums);

// For panels with QuantFurther; rows and vectors as those of the other tiles.
struct QuantBounded {
  QuantTileFunction tile[2][kMaxQuantVectors + 1][kMaxQuantRows + 1];
};

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
  // y[i] = table[x[i]] of 256 entries
  void (*lookup)(int64_t count, const uint8_t* table, const uint8_t* x, uint8_t* y);
  void (*widen[2])(const QuantWiden&);  // of bytes, of halves
  // Products that lie side by side in a packed panel: 4 (a 32-bit lane of bytes) or 8.
  int group = 4;
  // What tiles add to each element of A, as their products are of unsigned or of signed bytes.
  int shift[2] = {0, 128};
  // Or none:
  const QuantDepthwiseLines* lines = nullptr;
  const QuantWinograd* winograd = nullptr;
  const QuantBounded* bounded = nullptr;  // group is 4 then

  int64_t PanelWidth() const { return int64_t{vector} * vectors; }
};

#define FERRY_QUANT(isa) extern const QuantKernels kQuant##isa;
#include "device-runtime/kernels/quant/list.inc"
#undef FERRY_QUANT

}  // namespace ferry::kernels
