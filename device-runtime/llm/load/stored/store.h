// Foreign stored forms to those that products read in place (kernels/linear, kernels/packed), value
// by value: nothing is rounded again where a form of ours holds the values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/base/status.h"
#include "common/sys/executor.h"
#include "device-runtime/kernels/packed/layout.h"
#include "device-runtime/llm/load/parts.h"

namespace ferry::llm {

// Of a matrix that is made: its extents, the file and the tensor for messages.
struct MadeMatrix {
  std::string name, where;
  int64_t rows = 0, columns = 0;
};

// Room for up to 16 rows from `first`: as kernels::PackedSource has them, all zero at first.
struct TileRoom {
  int64_t first = 0, rows = 0;
  int8_t* codes = nullptr;
  float* scales = nullptr;
  int8_t* zeros = nullptr;
  float* shifts = nullptr;
};
// Called from several threads at once.
using FillTile = std::function<Status(const TileRoom&)>;
// A packed matrix; kBadModel where the form cannot be of so many columns, kOutOfMemory.
Result<StoredTensor> StorePacked(const MadeMatrix& made, const kernels::PackedForm& form,
                                 sys::Parallel& parallel, const FillTile& fill);

// Writes one row of float32; called from several threads at once.
using FillRow = std::function<Status(int64_t row, float* out)>;
// Rows of bfloat16 where all values have that form, else of float32. kOutOfMemory.
Result<StoredTensor> StoreRows(const MadeMatrix& made, sys::Parallel& parallel,
                               const FillRow& fill);
// What `stored` holds as rows.
Result<StoredTensor> StoreAsRows(const std::string& name, const StoredTensor& stored,
                                 sys::Parallel& parallel);

// value(r, c) = scale(r, g) * (code(r, c) - zero(r, g)), codes unsigned. Kept packed where groups
// are runs of 32 columns or a multiple; else as rows.
struct CodedMatrix {
  MadeMatrix made;
  int bits = 4;
  int64_t group = 0;              // columns; 0: the row
  std::vector<int32_t> group_of;  // of each column; empty: column / group
  kernels::PackedScale scale = kernels::PackedScale::kF16;
  std::function<void(int64_t row, uint8_t* codes)> read_codes;
  std::function<float(int64_t row, int64_t group)> read_scale;
  std::function<int(int64_t row, int64_t group)> read_zero;  // null: the middle of the codes

  int64_t groups() const { return group == 0 ? 1 : (made.columns + group - 1) / group; }
};
// kBadModel names a zero point outside of the codes' range and a group that is none.
Result<StoredTensor> StoreCoded(const CodedMatrix& coded, sys::Parallel& parallel);

// The code of `bits` bits at `index` of a little-endian stream whose 32-bit words are `stride`
// bytes apart, the first at `words`.
int CodeInWords(const uint8_t* words, int64_t stride, int64_t index, int bits);

// Numbers of 4 bits (e2m1: a sign, two bits of exponent, one of fraction), doubled. Source: OCP
// Microscaling Formats.
inline constexpr int8_t kTwiceFloat4[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                            0, -1, -2, -3, -4, -6, -8, -12};

// One number of a tensor of dtype F32, F16, BF16 or F8_E4M3.
float FloatAt(std::string_view dtype, const uint8_t* values, int64_t index);

}  // namespace ferry::llm
