// How a map is cut into tiles, and what each tile sees of an input. Private to map.
#pragma once

#include "device-runtime/kernels/map/map.h"

namespace ferry::kernels {

// Tiles of `size` elements (the last ones may be shorter) that follow each other; or, where row >
// 0, pieces of rows of `row` elements along the last axis, each row beginning with a tile of its
// own.
struct MapTiles {
  int64_t elements = 0;
  int64_t size = kMapTile;
  int64_t row = 0, pieces = 1;

  int64_t count() const { return row > 0 ? elements / row * pieces : (elements + size - 1) / size; }
};
MapTiles TilesOf(const MapProgram& program);

// What tiles see of an input.
enum class MapView : uint8_t {
  kSame,       // every tile the same elements
  kDense,      // the elements of its place
  kCollected,  // elements from here and there
};
MapView ViewOf(const MapProgram& program, const MapInput& input, const MapTiles& tiles);

}  // namespace ferry::kernels
