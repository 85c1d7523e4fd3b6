#include <cstring>

#include "device-runtime/kernels/tiled/kernels.h"

namespace ferry::kernels {
namespace {

// The number whose parts lie `step` bytes apart.
float Whole(const uint8_t* at, int64_t step) {
  float sum = 0;
  for (int part = kMaxTiledParts - 1; part >= 0; --part) {
    uint16_t half;
    std::memcpy(&half, at + part * step, sizeof half);
    const uint32_t bits = uint32_t{half} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    sum += value;
  }
  return sum;
}

}  // namespace

void AddPlainRows(const TiledBlock& t, uint32_t rows) {
  constexpr int64_t kNumbers = kTiledChunk / 2;
  const int64_t right_part = kTiledChunk * t.columns;
  for (int64_t k = 0; k < t.chunks * kNumbers; ++k) {
    const int64_t chunk = k / kNumbers * kMaxTiledParts, at = k % kNumbers;
    const uint8_t* b =
        static_cast<const uint8_t*>(t.b) + chunk * right_part + at / 2 * t.columns * 4 + at % 2 * 2;
    float right[kTiledColumns];
    for (int64_t j = 0; j < t.columns; ++j) right[j] = Whole(b + j * 4, right_part);
    const uint8_t* a = t.a + chunk * kTiledStep + at * 2;
    for (int64_t i = 0; i < t.rows; ++i) {
      if ((rows >> i & 1) == 0) continue;
      const float left = Whole(a + i * kTiledChunk, kTiledStep);
      float* const sums = static_cast<float*>(t.sums) + i * kTiledColumns;
      for (int64_t j = 0; j < t.columns; ++j) sums[j] += left * right[j];
    }
  }
}

}  // namespace ferry::kernels
