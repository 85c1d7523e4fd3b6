// How low-bit weights and quantised rows lie in memory. The weights' form is a file format: every
// instruction set reads it in place, mapped, and numbers here never change their meaning.
#pragma once

#include <cstdint>

namespace ferry::kernels {

// Numbers are stable: model files store them.
enum class PackedScale : uint8_t { kF16 = 1, kBF16 = 2, kF32 = 3 };
// What is added to scale * code. kZero: -scale * zero, with the zero point as a signed byte in
// units of 2^(bits - 8) codes, so that it covers the codes' range. kNumber: a number of the scale's
// type.
enum class PackedShift : uint8_t { kNone = 0, kZero = 1, kNumber = 2 };

// value(r, k) = scale(r, group of k) * code(r, k) + shift(r, group of k), codes signed in
// [-2^(bits - 1), 2^(bits - 1) - 1].
struct PackedForm {
  int bits = 4;    // 2, 3, 4 or 8
  int group = 32;  // columns that share a scale: 32, 64, 128, or 0 for the whole row
  PackedScale scale = PackedScale::kF16;
  PackedShift shift = PackedShift::kNone;

  bool operator==(const PackedForm&) const = default;
};

inline constexpr int64_t kPackedTileRows = 16;
// Columns that are read together; groups hold whole chunks.
inline constexpr int64_t kPackedChunk = 32;
// A chunk is eight steps of four columns.
inline constexpr int64_t kPackedStep = 4;
inline constexpr int64_t kPackedAlignment = 64;  // of a matrix, a tile and its codes
// Sums of whole rows stay exact in 32 bits.
inline constexpr int64_t kMaxPackedColumns = 65536;

constexpr int64_t PackedRoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}
// Whether `form` is one of those above and matrices of so many columns can have it.
constexpr bool IsPackedForm(const PackedForm& form, int64_t columns) {
  const bool bits = form.bits == 2 || form.bits == 3 || form.bits == 4 || form.bits == 8;
  const bool group = form.group == 0 || form.group == 32 || form.group == 64 || form.group == 128;
  const bool scale = form.scale >= PackedScale::kF16 && form.scale <= PackedScale::kF32;
  return bits && group && scale && form.shift <= PackedShift::kNumber && columns > 0 &&
         columns <= kMaxPackedColumns;
}
constexpr int64_t PackedGroupColumns(int group, int64_t columns) {
  return group == 0 ? PackedRoundUp(columns, kPackedChunk) : group;
}
constexpr int64_t PackedGroups(int group, int64_t columns) {
  const int64_t each = PackedGroupColumns(group, columns);
  return (columns + each - 1) / each;
}
constexpr int64_t PackedScaleBytes(PackedScale scale) {
  return scale == PackedScale::kF32 ? 4 : 2;
}
constexpr int64_t PackedShiftBytes(const PackedForm& form) {
  return form.shift == PackedShift::kNone   ? 0
         : form.shift == PackedShift::kZero ? 1
                                            : PackedScaleBytes(form.scale);
}

// A tile holds 16 rows: its scales, [group][row]; its shifts, [group][row]; zeros up to a multiple
// of 64 bytes; its codes. Codes are stored as code + 2^(bits - 1), chunk by chunk. A vector of 64
// bytes has a field of four bytes a row, one a column of a step:
//   8 bits: vector i is step i of the chunk;
//   4 bits: vector i has step 2i in the low halves of its bytes, step 2i + 1 in the high ones;
//   2 bits: vector i has steps 4i to 4i + 3, from the lowest bits up;
//   3 bits: two vectors as of 2 bits (the codes' lower two bits), then one with the upper bit of
//           step i in bit i.
// Rows behind the last and columns behind the last have code 0; such rows have scale and shift 0.
struct PackedTileLayout {
  int64_t groups = 0;
  int64_t group_chunks = 0;
  int64_t shifts_at = 0;
  int64_t codes_at = 0;
  int64_t chunk_bytes = 0;
  int64_t bytes = 0;  // of the tile
};

constexpr PackedTileLayout LayoutOfTile(const PackedForm& form, int64_t columns) {
  PackedTileLayout t;
  t.groups = PackedGroups(form.group, columns);
  t.group_chunks = PackedGroupColumns(form.group, columns) / kPackedChunk;
  t.shifts_at = t.groups * kPackedTileRows * PackedScaleBytes(form.scale);
  t.codes_at = PackedRoundUp(t.shifts_at + t.groups * kPackedTileRows * PackedShiftBytes(form),
                             kPackedAlignment);
  t.chunk_bytes = kPackedTileRows * kPackedChunk * form.bits / 8;
  t.bytes = t.codes_at + t.groups * t.group_chunks * t.chunk_bytes;
  return t;
}
constexpr int64_t PackedTiles(int64_t rows) {
  return (rows + kPackedTileRows - 1) / kPackedTileRows;
}
// Of a whole matrix: its tiles, one after another.
constexpr int64_t PackedBytes(const PackedForm& form, int64_t rows, int64_t columns) {
  return PackedTiles(rows) * LayoutOfTile(form, columns).bytes;
}

// A row of activations in 8 bits: codes in [-127, 127] (zeros behind the last column); for each
// chunk two 16-bit numbers, the negative sums of the codes of columns 0 and 1 and of columns 2 and
// 3 of its steps; for each group the scale, the sum that meets a shift (float32), and the negative
// sum of its codes (int32). Only memory: no file holds it.
struct QuantizedRowLayout {
  int64_t groups = 0;
  int64_t group_chunks = 0;
  int64_t pairs_at = 0;
  int64_t scales_at = 0;
  int64_t sums_at = 0;
  int64_t negative_at = 0;
  int64_t bytes = 0;
};

constexpr QuantizedRowLayout LayoutOfQuantizedRow(int group, int64_t columns) {
  QuantizedRowLayout q;
  q.groups = PackedGroups(group, columns);
  q.group_chunks = PackedGroupColumns(group, columns) / kPackedChunk;
  q.pairs_at = q.groups * q.group_chunks * kPackedChunk;
  q.scales_at = q.pairs_at + q.groups * q.group_chunks * 4;
  q.sums_at = q.scales_at + q.groups * 4;
  q.negative_at = q.sums_at + q.groups * 4;
  q.bytes = PackedRoundUp(q.negative_at + q.groups * 4, kPackedAlignment);
  return q;
}
constexpr int64_t QuantizedRowBytes(int group, int64_t columns) {
  return LayoutOfQuantizedRow(group, columns).bytes;
}

}  // namespace ferry::kernels
