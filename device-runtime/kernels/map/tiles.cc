#include "device-runtime/kernels/map/tiles.h"

#include <algorithm>
#include <numeric>

namespace ferry::kernels {
namespace {

// Rows of fewer elements are collected: a tile of its own costs more than a copy.
constexpr int64_t kLeastRow = 32;
constexpr int64_t kLine = 16;  // elements of f32 in a cache line

// After how many elements an input repeats itself: 1 for a single element, the number of a row's
// elements for one that is added to each row; 0 when it does not repeat.
int64_t PeriodOf(const MapProgram& p, const MapInput& in) {
  int64_t period = 1;
  int axis = p.rank - 1;
  for (; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (in.strides[a] != period) break;
    period *= p.size[a];
  }
  const bool is_dense = axis < 0 && p.rank > 0;
  for (; axis >= 0; --axis) {
    if (in.strides[static_cast<size_t>(axis)] != 0) return 0;
  }
  return is_dense ? 0 : period;
}

bool IsDense(const MapProgram& p, const MapInput& in) {
  int64_t expected = 1;
  for (int axis = p.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (in.strides[a] != expected) return false;
    expected *= p.size[a];
  }
  return true;
}

}  // namespace

MapView ViewOf(const MapProgram& p, const MapInput& in, const MapTiles& tiles) {
  if (!in.rows.empty()) return MapView::kCollected;
  if (IsDense(p, in)) return MapView::kDense;
  const int64_t period = PeriodOf(p, in);
  return period > 0 && tiles.size % period == 0 ? MapView::kSame : MapView::kCollected;
}

MapTiles TilesOf(const MapProgram& p) {
  MapTiles tiles;
  tiles.elements = p.elements();
  // A multiple of the periods, where they are short, so that every tile sees the same part of the
  // inputs that repeat.
  int64_t common = 1;
  for (const MapInput& in : p.inputs) {
    const int64_t period = in.rows.empty() ? PeriodOf(p, in) : 0;
    if (period > 1 && std::lcm(common, period) <= kMapTile) common = std::lcm(common, period);
  }
  tiles.size = kMapTile / common * common;
  const bool collects = std::ranges::any_of(
      p.inputs, [&](const MapInput& in) { return ViewOf(p, in, tiles) == MapView::kCollected; });
  const bool has_table =
      std::ranges::any_of(p.inputs, [](const MapInput& in) { return !in.rows.empty(); });
  if (!has_table && (!collects || p.rank < 2)) return tiles;
  const int64_t row = p.size[static_cast<size_t>(p.rank - 1)];
  if (!has_table && row < kLeastRow) return tiles;
  tiles.row = row;
  tiles.pieces = (row + kMapTile - 1) / kMapTile;
  tiles.size = std::min<int64_t>(
      kMapTile, ((row + tiles.pieces - 1) / tiles.pieces + kLine - 1) / kLine * kLine);
  return tiles;
}

}  // namespace ferry::kernels
