#include "device-runtime/kernels/gemm/tiles.h"

#include <algorithm>

#include "device-runtime/kernels/gemm/kernels.h"

namespace ferry::kernels {
namespace {

// A tile's rows of A stay in the first-level cache (12 rows x 512 floats = 24 KiB).
constexpr int64_t kDepthBlock = 512;
// Stays in the second-level cache (1 MiB here, 256 KiB on small cores).
constexpr int64_t kBlockBytes = 192 * 1024;

}  // namespace

int MaxTileRows(const KernelTable& table, int vectors) {
  if (vectors < 1 || vectors > kMaxPanelVectors) return 0;
  int rows = 0;
  for (int r = 1; r <= kMaxTileRows; ++r) {
    if (table.gemm->tile[vectors][r] != nullptr) rows = r;
  }
  return rows;
}

bool TilesRun(const KernelTable& table, const Tiles& tiles) {
  const int vectors = tiles.vectors == 0 ? table.gemm->vectors : tiles.vectors;
  return tiles.rows >= 0 && tiles.depth_block >= 0 && tiles.block_bytes >= 0 &&
         tiles.rows <= MaxTileRows(table, vectors) && MaxTileRows(table, vectors) > 0;
}

Tiles FilledTiles(const KernelTable& table, Tiles t) {
  if (t.vectors == 0) t.vectors = table.gemm->vectors;
  if (t.rows == 0) t.rows = table.gemm->max_rows;
  t.rows = std::min(t.rows, MaxTileRows(table, t.vectors));
  if (t.depth_block == 0) t.depth_block = kDepthBlock;
  if (t.block_bytes == 0) t.block_bytes = kBlockBytes;
  return t;
}

}  // namespace ferry::kernels
