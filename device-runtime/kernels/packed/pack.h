// Writing and reading the stored form of low-bit weights (layout.h): for those who make it, and for
// looking rows up. Portable, on the calling thread.
#pragma once

#include <cstdint>

#include "device-runtime/kernels/packed/packed.h"

namespace ferry::kernels {

// Up to 16 rows. Each array is row-major; scales, zeros and shifts have PackedGroups columns.
struct PackedSource {
  int64_t rows = 0;
  const int8_t* codes = nullptr;  // columns of them a row
  const float* scales = nullptr;  // numbers that the form's type holds (RoundPackedScale)
  const int8_t* zeros = nullptr;  // for kZero, in units of 2^(bits - 8) codes
  const float* shifts = nullptr;  // for kNumber, of the scale's type
};

// The nearest number of the type, halves to even; what is too large becomes infinite.
float RoundPackedScale(PackedScale scale, float value);

// Writes one tile, LayoutOfTile(form, columns).bytes; codes in the form's range.
void PackTile(const PackedForm& form, int64_t columns, const PackedSource& source, void* tile);

// One stored code, and the scale and shift of its group as float32.
int PackedCode(const PackedMatrix& w, int64_t row, int64_t column);
float PackedScaleOf(const PackedMatrix& w, int64_t row, int64_t group);
float PackedShiftOf(const PackedMatrix& w, int64_t row, int64_t group);

// The `columns` values of row `row` in float32 (embedding look-up), each rounded once.
void WidenRow(const PackedMatrix& w, int64_t row, float* out);

}  // namespace ferry::kernels
