#include "device-runtime/kernels/bf16/bf16.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/bf16/kernels.h"
#include "device-runtime/kernels/bf16/tiled.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Rows of A as pairs; an odd last number has a zero beside it.
void RoundRows(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
               const float* rows, int64_t stride, float* pairs) {
  const int64_t width = Bf16Pairs(shape.k);
  ForPieces(parallel, shape.m, shape.k / 16 + 4, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto* to = reinterpret_cast<uint16_t*>(pairs + i * width);
      table.bf16->round(rows + i * stride, shape.k, to);
      if (shape.k % 2 != 0) to[shape.k] = 0;
    }
  });
}

// Pairs of a column in a panel.
int64_t PanelPairs(const KernelTable& table, int64_t k) {
  const int64_t pairs = Bf16Pairs(k);
  return HasTiles(table) ? TiledColumnBytes(table.tiled->halves, pairs * 4) / 4 : pairs;
}

}  // namespace

bool HasBf16(const KernelTable& table) {
  return table.bf16->is_native;
}

KernelTable Bf16Table(const KernelTable& table) {
  KernelTable pairs = table;
  pairs.gemm = &table.bf16->gemm;
  return pairs;
}

bool IsBf16(const float* numbers, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits;
    std::memcpy(&bits, numbers + i, sizeof bits);
    if ((bits & 0xffff) != 0) return false;
  }
  return true;
}

size_t Bf16PackedSize(const KernelTable& table, int64_t k, int64_t n) {
  return PackedBSize(Bf16Table(table), PanelPairs(table, k), n);
}

void Bf16Pack(const KernelTable& table, int64_t k, int64_t n, const MatrixView& b, float* packed,
              const Tiles& tiles) {
  const KernelTable pairs = Bf16Table(table);
  const int64_t vector = pairs.gemm->vector;
  const int64_t width = vector * FilledTiles(pairs, HasTiles(table) ? Tiles{} : tiles).vectors;
  // A row of B, rounded a block at a time.
  constexpr int64_t kBlock = kMaxPanelVectors * 16;
  float row[kBlock];
  uint16_t rounded[kBlock];
  for (int64_t column = 0; column < n; column += width) {
    const int64_t count = std::min(width, n - column);
    const int64_t padded = (count + vector - 1) / vector * vector;
    for (int64_t i = 0; i < k; ++i) {
      const float* from = b.data + i * b.row_stride + column * b.column_stride;
      auto* to = reinterpret_cast<uint16_t*>(packed + i / 2 * padded) + i % 2;
      if (i % 2 == 0) std::memset(packed + i / 2 * padded, 0, static_cast<size_t>(padded) * 4);
      for (int64_t j = 0; j < count; ++j) row[j] = from[j * b.column_stride];
      table.bf16->round(row, count, rounded);
      for (int64_t j = 0; j < count; ++j) to[2 * j] = rounded[j];
    }
    const int64_t pairs = PanelPairs(table, k);
    std::fill(packed + Bf16Pairs(k) * padded, packed + pairs * padded, 0.0f);
    packed += pairs * padded;
  }
}

size_t Bf16WorkspaceSize(const GemmShape& shape, int64_t a_column_stride) {
  return static_cast<size_t>(shape.m * Bf16Pairs(shape.k)) +
         GemmWorkspaceSize(shape, a_column_stride);
}

void Bf16Gemm(const KernelTable& table, sys::Parallel& parallel, const GemmShape& shape,
              const MatrixView& a, const float* packed_b, const Epilogue& epilogue, float* c,
              int64_t c_stride, float* workspace, const Tiles& tiles) {
  const int64_t width = Bf16Pairs(shape.k);
  const MatrixView dense = DenseA(parallel, shape, a, workspace + shape.m * width);
  RoundRows(table, parallel, shape, dense.data, dense.row_stride, workspace);
  if (HasTiles(table)) {
    RunBf16Tiled(table, parallel, shape, workspace, packed_b, epilogue, c, c_stride);
    return;
  }
  Gemm(Bf16Table(table), parallel, {shape.m, shape.n, width}, {workspace, width, 1}, packed_b,
       epilogue, c, c_stride, nullptr, tiles);
}

}  // namespace ferry::kernels
