// How a product is cut into tiles and blocks. Every element of C is summed in the same order
// whatever the cut, so that no choice changes a bit of a result. The blocks are Goto and van de
// Geijn's (see gemm.h).
#pragma once

#include <cstdint>

#include "device-runtime/kernels/table.h"

namespace ferry::kernels {

// 0 = what the table's instruction set takes when nobody chooses.
struct Tiles {
  int rows = 0;             // of A in one tile, at most
  int vectors = 0;          // of a panel of B: the packed form depends on it
  int64_t depth_block = 0;  // products of one row before the next block
  int64_t block_bytes = 0;  // of the panels of B that stay in cache together

  bool operator==(const Tiles&) const = default;
};

// Whether the table has tile kernels of this height and width.
bool TilesRun(const KernelTable& table, const Tiles& tiles);
// With all defaults filled in; rows at most what a panel of this width allows.
Tiles FilledTiles(const KernelTable& table, Tiles tiles);
// Rows of the highest tile over panels of `vectors`; 0: there is none.
int MaxTileRows(const KernelTable& table, int vectors);

}  // namespace ferry::kernels
