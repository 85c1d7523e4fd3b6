// Tiles of one algorithm by what they cost.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "device-runtime/kernels/gemm/tiles.h"

namespace ferry::backends {

// Tiles by cost; of equal ones the first of the list, the defaults before all.
template <typename CostOf>
std::vector<std::pair<double, kernels::Tiles>> RankTiles(const std::vector<kernels::Tiles>& all,
                                                         const CostOf& cost_of) {
  std::vector<std::pair<double, kernels::Tiles>> ranked;
  for (const kernels::Tiles& tiles : all) ranked.emplace_back(cost_of(tiles), tiles);
  std::ranges::stable_sort(ranked, {}, [](const auto& item) { return item.first; });
  return ranked;
}

}  // namespace ferry::backends
