// What a packed file of one instruction set provides. Pointers and offsets are those of layout.h,
// worked out by packed.cc: code of an instruction set calls no inline function of others.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/packed/layout.h"

namespace ferry::kernels {

inline constexpr int kMaxPackedFew = 8;
// Rows of x that meet a tile whose codes were unpacked once.
inline constexpr int kMaxPackedMany = 64;

// One tile times rows of x. Offsets of x and strides of x in bytes, of out in floats.
struct PackedStrip {
  const uint8_t* scales;
  const uint8_t* shifts;
  const uint8_t* codes;
  int64_t groups;
  int64_t group_chunks;
  int64_t chunk_bytes;
  int64_t tile_bytes;
  int bits;
  PackedScale scale;
  PackedShift shift;
  bool cold;          // the tile comes from memory, not from a core's own cache
  bool group_scales;  // x has a scale a group, else one a row
  const uint8_t* x;
  int64_t x_stride;
  int64_t pairs_at;
  int64_t scales_at;
  int64_t sums_at;
  int64_t negative_at;
  int64_t m;         // rows of x
  int64_t rows;      // of the tile that are written, at most 16
  const float* add;  // like out, or null
  float* out;
  int64_t out_stride;
};

// One tile times rows of float32.
struct PackedExactStrip {
  const uint8_t* scales;
  const uint8_t* shifts;
  const uint8_t* codes;
  int64_t columns;
  int64_t groups;
  int64_t group_chunks;
  int64_t chunk_bytes;
  int64_t tile_bytes;
  int bits;
  PackedScale scale;
  PackedShift shift;
  const float* x;
  int64_t x_stride;  // in floats
  int64_t m;         // at most kMaxPackedMany
  int64_t rows;
  const float* add;
  float* out;
  int64_t out_stride;
};

// One row of activations to 8 bits; pointers into its memory (layout.h).
struct QuantizeRowTask {
  const float* x;
  int64_t columns;
  int64_t groups;
  int64_t group_chunks;
  bool group_scales;
  int8_t* codes;
  int32_t* pairs;
  float* scales;
  float* sums;
  int32_t* negative;
};

using PackedFunction = void (*)(const PackedStrip&);

inline constexpr int kPackedWidths = 4;  // 2, 3, 4 and 8 bits, in this order

struct PackedKernels {
  int max_few;  // rows of x that `few` takes, up to kMaxPackedFew
  // Unpacks in registers; [width][rows of x], index 0 unused.
  PackedFunction few[kPackedWidths][kMaxPackedFew + 1];
  // Up to kMaxPackedMany rows of x, for groups of at most 128 columns; null where `few` serves.
  PackedFunction many[kPackedWidths];
  // The same for this tile and the next one, both whole; null where it gains nothing.
  PackedFunction many_pair[kPackedWidths];
  void (*exact)(const PackedExactStrip&);
  void (*quantize)(const QuantizeRowTask&);
  // Whose functions serve where this set has none: for bits whose `few` are null, `exact`,
  // `quantize`. Null: it has all.
  const PackedKernels* others;
};

#define FERRY_PACKED(isa) extern const PackedKernels kPacked##isa;
#include "device-runtime/kernels/packed/list.inc"
#undef FERRY_PACKED

}  // namespace ferry::kernels
