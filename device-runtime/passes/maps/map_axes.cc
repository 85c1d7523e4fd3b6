#include "device-runtime/passes/maps/map_axes.h"

#include <algorithm>
#include <optional>

namespace ferry::passes {
namespace {

using ir::MapPrim;

// Extents of more than 1, the innermost first.
std::vector<int64_t> ExtentsOf(const MapPrim& map) {
  std::vector<int64_t> extents;
  for (int axis = map.rank - 1; axis >= 0; --axis) {
    const int64_t size = map.size[static_cast<size_t>(axis)];
    if (size != 1) extents.push_back(size);
  }
  return extents;
}

// The coarsest cut that both refine to, the innermost first.
std::optional<std::vector<int64_t>> CommonCut(std::vector<int64_t> a, std::vector<int64_t> b) {
  std::vector<int64_t> cut;
  size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    const int64_t step = std::min(a[i], b[k]);
    if (step == 0 || a[i] % step != 0 || b[k] % step != 0) return std::nullopt;
    cut.push_back(step);
    if ((a[i] /= step) == 1) ++i;
    if ((b[k] /= step) == 1) ++k;
  }
  if (i != a.size() || k != b.size() || cut.size() > tensor::kMaxRank) return std::nullopt;
  return cut;
}

// The map over the axes of `cut` (the innermost first), which its own are products of.
void Refine(MapPrim& map, const std::vector<int64_t>& cut) {
  const MapPrim from = map;
  map.rank = static_cast<int>(cut.size());
  map.size = {};
  for (tensor::Strides& strides : map.strides) strides = {};
  int axis = from.rank;
  int64_t left = 1, times = 1;  // of the axis: extent still to be cut, and what was cut of it
  for (size_t i = 0; i < cut.size(); ++i) {
    while (left == 1) {
      left = from.size[static_cast<size_t>(--axis)];
      times = 1;
    }
    const size_t at = cut.size() - 1 - i;
    map.size[at] = cut[i];
    for (size_t k = 0; k < map.strides.size(); ++k) {
      map.strides[k][at] = from.strides[k][static_cast<size_t>(axis)] * times;
    }
    left /= cut[i];
    times *= cut[i];
  }
}

}  // namespace

bool AlignAxes(MapPrim& a, MapPrim& b) {
  const auto cut = CommonCut(ExtentsOf(a), ExtentsOf(b));
  if (!cut) return false;
  Refine(a, *cut);
  Refine(b, *cut);
  return true;
}

}  // namespace ferry::passes
