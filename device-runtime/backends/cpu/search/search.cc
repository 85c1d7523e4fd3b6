#include "device-runtime/backends/cpu/search/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/backends/cpu/search/conv_cost.h"
#include "device-runtime/backends/cpu/search/product_cost.h"
#include "device-runtime/backends/cpu/search/rank_tiles.h"

namespace ferry::backends {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvShape;
using kernels::KernelTable;
using kernels::Tiles;

using CostFunction = double (*)(const ConvWork&);
constexpr CostFunction kConvCosts[] = {
#define FERRY_CONV(name) Cost##name,
#include "device-runtime/kernels/conv/algorithms.inc"
#undef FERRY_CONV
};

}  // namespace

std::string TilesName(const Tiles& t) {
  if (t == Tiles{}) return "";
  return fmt::format("{}x{} {} {}K", t.rows, t.vectors, t.depth_block, t.block_bytes / 1024);
}

std::string ConvCandidate::Name() const {
  const std::string suffix = TilesName(tiles);
  const std::string name = kernels::ConvAlgorithmName(algorithm);
  return suffix.empty() ? name : name + " " + suffix;
}

std::vector<ConvCandidate> SearchConv(const KernelTable& table, const CpuDescription& cpu,
                                      const ConvShape& shape, const SearchLimits& limits,
                                      bool all_tiles) {
  std::vector<ConvCandidate> found;
  const auto tiles = TileCandidates(table, cpu, shape.out_c / shape.groups);
  for (int i = 0; i < kernels::kConvAlgorithmCount; ++i) {
    const auto algorithm = static_cast<ConvAlgorithm>(i);
    if (!kernels::ConvSupports(algorithm, shape)) continue;
    ConvCandidate c;
    c.algorithm = algorithm;
    c.algorithm_us = kConvCosts[i]({table, cpu, shape, {}, 1});
    if (c.algorithm_us == kNotHere) continue;
    if (algorithm == ConvAlgorithm::kSplit) c.algorithm_us /= kSplitShare;
    c.cost_us = kConvCosts[i]({table, cpu, shape, {}, limits.threads});
    c.error = kernels::ConvError(algorithm);
    c.is_admissible = c.error == 0 || c.error <= limits.error_bound;
    if (!kernels::ConvHasTiles(algorithm)) {
      found.push_back(c);
      continue;
    }
    const auto ranked = RankTiles(tiles, [&](const Tiles& t) {
      return kConvCosts[i]({table, cpu, shape, t, limits.threads});
    });
    for (const auto& [cost, t] : ranked) {
      c.tiles = t;
      c.cost_us = cost;
      found.push_back(c);
      if (!all_tiles) break;
    }
  }
  std::ranges::stable_sort(found, [](const ConvCandidate& a, const ConvCandidate& b) {
    if (a.is_admissible != b.is_admissible) return a.is_admissible;
    return a.algorithm_us < b.algorithm_us;
  });
  return found;
}

}  // namespace ferry::backends
