#include "device-runtime/kernels/packed/pack.h"

#include <cmath>
#include <cstring>

#include "device-runtime/tensor/dtype.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kVectorBytes = 64;

const uint8_t* TileOf(const PackedMatrix& w, const PackedTileLayout& layout, int64_t row) {
  return static_cast<const uint8_t*>(w.data) + row / kPackedTileRows * layout.bytes;
}

float LoadScale(PackedScale type, const uint8_t* from) {
  if (type == PackedScale::kF32) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return type == PackedScale::kF16 ? tensor::HalfToFloat(bits) : tensor::BFloat16ToFloat(bits);
}

void StoreScale(PackedScale type, float value, uint8_t* to) {
  if (type == PackedScale::kF32) {
    std::memcpy(to, &value, sizeof value);
    return;
  }
  const uint16_t bits =
      type == PackedScale::kF16 ? tensor::FloatToHalf(value) : tensor::FloatToBFloat16(value);
  std::memcpy(to, &bits, sizeof bits);
}

// Where the stored code of (row of the tile, column of the chunk) lies: the byte and its lowest
// bit; of 3 bits the lower two.
struct Place {
  int64_t byte;
  int bit;
};
Place PlaceOf(int bits, int64_t row, int64_t column) {
  const int64_t step = column / kPackedStep;
  const int64_t in_vector = row * kPackedStep + column % kPackedStep;
  if (bits == 8) return {step * kVectorBytes + in_vector, 0};
  if (bits == 4) return {step / 2 * kVectorBytes + in_vector, static_cast<int>(step % 2) * 4};
  return {step / 4 * kVectorBytes + in_vector, static_cast<int>(step % 4) * 2};
}
// Of 3 bits the upper one.
Place UpperPlaceOf(int64_t row, int64_t column) {
  return {2 * kVectorBytes + row * kPackedStep + column % kPackedStep,
          static_cast<int>(column / kPackedStep)};
}

void StoreCode(int bits, int64_t row, int64_t column, int code, uint8_t* chunk) {
  const auto stored = static_cast<unsigned>(code + (1 << (bits - 1)));
  const unsigned lower = bits == 3 ? stored & 3 : stored;
  const Place place = PlaceOf(bits, row, column);
  chunk[place.byte] = static_cast<uint8_t>(chunk[place.byte] | lower << place.bit);
  if (bits != 3) return;
  const Place upper = UpperPlaceOf(row, column);
  chunk[upper.byte] = static_cast<uint8_t>(chunk[upper.byte] | (stored >> 2) << upper.bit);
}

int LoadCode(int bits, int64_t row, int64_t column, const uint8_t* chunk) {
  const Place place = PlaceOf(bits, row, column);
  const int mask = bits == 8 ? 0xff : bits == 4 ? 0xf : 3;
  int stored = chunk[place.byte] >> place.bit & mask;
  if (bits == 3) {
    const Place upper = UpperPlaceOf(row, column);
    stored |= (chunk[upper.byte] >> upper.bit & 1) << 2;
  }
  return stored - (1 << (bits - 1));
}

}  // namespace

float RoundPackedScale(PackedScale scale, float value) {
  uint8_t bytes[sizeof(float)];
  StoreScale(scale, value, bytes);
  return LoadScale(scale, bytes);
}

void PackTile(const PackedForm& form, int64_t columns, const PackedSource& source, void* tile) {
  const PackedTileLayout layout = LayoutOfTile(form, columns);
  auto* to = static_cast<uint8_t*>(tile);
  std::memset(to, 0, static_cast<size_t>(layout.bytes));
  const int64_t scale_bytes = PackedScaleBytes(form.scale);
  const int64_t padded = layout.groups * layout.group_chunks * kPackedChunk;
  for (int64_t row = 0; row < kPackedTileRows; ++row) {
    const bool present = row < source.rows;
    for (int64_t g = 0; present && g < layout.groups; ++g) {
      const int64_t at = g * kPackedTileRows + row;
      const int64_t from = row * layout.groups + g;
      StoreScale(form.scale, source.scales[from], to + at * scale_bytes);
      if (form.shift == PackedShift::kZero) {
        to[layout.shifts_at + at] = static_cast<uint8_t>(source.zeros[from]);
      } else if (form.shift == PackedShift::kNumber) {
        StoreScale(form.scale, source.shifts[from], to + layout.shifts_at + at * scale_bytes);
      }
    }
    for (int64_t k = 0; k < padded; ++k) {
      const int code = present && k < columns ? source.codes[row * columns + k] : 0;
      StoreCode(form.bits, row, k % kPackedChunk, code,
                to + layout.codes_at + k / kPackedChunk * layout.chunk_bytes);
    }
  }
}

int PackedCode(const PackedMatrix& w, int64_t row, int64_t column) {
  const PackedTileLayout layout = LayoutOfTile(w.form, w.columns);
  const uint8_t* chunk =
      TileOf(w, layout, row) + layout.codes_at + column / kPackedChunk * layout.chunk_bytes;
  return LoadCode(w.form.bits, row % kPackedTileRows, column % kPackedChunk, chunk);
}

float PackedScaleOf(const PackedMatrix& w, int64_t row, int64_t group) {
  const PackedTileLayout layout = LayoutOfTile(w.form, w.columns);
  const int64_t at = group * kPackedTileRows + row % kPackedTileRows;
  return LoadScale(w.form.scale, TileOf(w, layout, row) + at * PackedScaleBytes(w.form.scale));
}

float PackedShiftOf(const PackedMatrix& w, int64_t row, int64_t group) {
  if (w.form.shift == PackedShift::kNone) return 0;
  const PackedTileLayout layout = LayoutOfTile(w.form, w.columns);
  const int64_t at = group * kPackedTileRows + row % kPackedTileRows;
  const uint8_t* shifts = TileOf(w, layout, row) + layout.shifts_at;
  if (w.form.shift == PackedShift::kNumber) {
    return LoadScale(w.form.scale, shifts + at * PackedScaleBytes(w.form.scale));
  }
  const auto zero = static_cast<float>(static_cast<int8_t>(shifts[at]));
  return PackedScaleOf(w, row, group) * (zero * -std::ldexp(1.0f, w.form.bits - 8));
}

void WidenRow(const PackedMatrix& w, int64_t row, float* out) {
  const PackedTileLayout layout = LayoutOfTile(w.form, w.columns);
  const uint8_t* codes = TileOf(w, layout, row) + layout.codes_at;
  const int64_t group_columns = layout.group_chunks * kPackedChunk;
  for (int64_t g = 0; g < layout.groups; ++g) {
    const float scale = PackedScaleOf(w, row, g);
    const float shift = PackedShiftOf(w, row, g);
    const int64_t last = (g + 1) * group_columns < w.columns ? (g + 1) * group_columns : w.columns;
    for (int64_t k = g * group_columns; k < last; ++k) {
      const auto code =
          static_cast<float>(LoadCode(w.form.bits, row % kPackedTileRows, k % kPackedChunk,
                                      codes + k / kPackedChunk * layout.chunk_bytes));
      out[k] = std::fma(code, scale, shift);
    }
  }
}

}  // namespace ferry::kernels
