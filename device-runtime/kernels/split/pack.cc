#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/split/split.h"

namespace ferry::kernels {
namespace {

constexpr int64_t kNumbers = kTiledChunk / 2;  // of a column in a chunk

// A chunk of up to 32 columns, gathered, split as rows of A are, and put group by group.
struct ChunkPacker {
  explicit ChunkPacker(const TiledForm& form) : form(form) {
    for (int64_t j = 0; j < kTiledColumns; ++j)
      rows[j] = reinterpret_cast<const uint8_t*>(numbers[j]);
  }

  // Rows [first, k) of B, at most kNumbers, of columns [column, column + count); zeros elsewhere.
  void Gather(const MatrixView& b, int64_t first, int64_t k, int64_t column, int64_t count) {
    std::memset(numbers, 0, sizeof numbers);
    const int64_t some = std::min(kNumbers, k - first);
    const float* from = b.data + first * b.row_stride + column * b.column_stride;
    if (b.row_stride == 1) {
      for (int64_t j = 0; j < count; ++j, from += b.column_stride)
        std::memcpy(numbers[j], from, static_cast<size_t>(some) * sizeof(float));
      return;
    }
    for (int64_t i = 0; i < some; ++i, from += b.row_stride) {
      for (int64_t j = 0; j < count; ++j) numbers[j][i] = from[j * b.column_stride];
    }
  }

  void Put(int64_t columns, uint8_t* to) {
    form.copy({rows, kTiledColumns, kNumbers * 4, 0, 0, parts[0], &infinite});
    for (int part = 0; part < kMaxTiledParts; ++part) {
      for (int64_t g = 0; g < kTiledGroups; ++g) {
        for (int64_t j = 0; j < columns; ++j, to += 4)
          std::memcpy(to, parts[part] + j * kTiledChunk + g * 4, 4);
      }
    }
  }

  const TiledForm& form;
  float numbers[kTiledColumns][kNumbers];
  alignas(64) uint8_t parts[kMaxTiledParts][kTiledStep];
  const uint8_t* rows[kTiledColumns];
  uint32_t infinite = 0;  // columns that have such numbers, of any chunk and panel
};

constexpr size_t kFlagFloats =
    16;  // behind the panels, so that those of the next matrix are aligned

// Floats of the panels.
size_t PanelsSize(const KernelTable& table, int64_t k, int64_t n) {
  return static_cast<size_t>(TiledPadded(n) * TiledColumnBytes(table.tiled->floats, k * 4) / 4);
}

}  // namespace

size_t SplitPackedSize(const KernelTable& table, int64_t k, int64_t n) {
  return PanelsSize(table, k, n) + kFlagFloats;
}

bool SplitIsInfinite(const KernelTable& table, int64_t k, int64_t n, const float* packed) {
  return packed[PanelsSize(table, k, n)] != 0;
}

void SplitPack(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed,
               const Tiles&) {
  ChunkPacker packer(table.tiled->floats);
  auto* to = reinterpret_cast<uint8_t*>(packed);
  for (int64_t column = 0; column < n; column += kTiledColumns) {
    const int64_t count = std::min<int64_t>(kTiledColumns, n - column), padded = TiledPadded(count);
    for (int64_t first = 0; first < k; first += kNumbers) {
      packer.Gather(b, first, k, column, count);
      packer.Put(padded, to);
      to += kMaxTiledParts * kTiledChunk * padded;
    }
  }
  std::fill_n(packed + PanelsSize(table, k, n), kFlagFloats, packer.infinite == 0 ? 0.0f : 1.0f);
}

}  // namespace ferry::kernels
