#include <algorithm>

#include "device-runtime/backends/cpu/search/product_cost.h"
#include "device-runtime/backends/cpu/search/rank_tiles.h"
#include "device-runtime/backends/cpu/search/search.h"

namespace ferry::backends {
namespace {

using kernels::GemmShape;
using kernels::KernelTable;
using kernels::Tiles;

// Rounding reads a float32 and writes half of one.
double RoundUs(const CpuDescription& cpu, const GemmShape& shape, int threads) {
  const double bytes = 6.0 * static_cast<double>(shape.m) * static_cast<double>(shape.k);
  const bool is_near = bytes <= static_cast<double>(cpu.l2_bytes) / 2;
  const double gbps = is_near ? cpu.rates.cache_gbps * threads : cpu.rates.memory_gbps;
  return bytes / gbps * 1e-3 + (threads > 1 ? cpu.rates.call_us : 0);
}

// A step over pairs of bfloat16 costs what one over floats does: a product of bfloat16 is one of
// floats half as deep.
double CostUs(const KernelTable& table, const CpuDescription& cpu, const GemmShape& shape,
              const Tiles& tiles, int threads, bool is_bf16) {
  ProductSize size;
  size.rows = shape.m;
  size.columns = shape.n;
  size.depth = is_bf16 ? kernels::Bf16Pairs(shape.k) : shape.k;
  const double us = ProductCost(table, cpu, size, tiles, threads);
  return is_bf16 ? us + RoundUs(cpu, shape, threads) : us;
}

std::vector<ProductCandidate> Candidates(const KernelTable& table, const CpuDescription& cpu,
                                         const GemmShape& shape, int threads, bool is_bf16) {
  std::vector<ProductCandidate> found;
  const double algorithm_us = CostUs(table, cpu, shape, {}, 1, is_bf16);
  for (const auto& [cost, tiles] :
       RankTiles(TileCandidates(table, cpu, shape.n),
                 [&](const Tiles& t) { return CostUs(table, cpu, shape, t, threads, is_bf16); })) {
    found.push_back({tiles, cost, is_bf16, algorithm_us});
  }
  return found;
}

}  // namespace

std::string ProductCandidate::Name() const {
  const std::string suffix = TilesName(tiles), name = is_bf16 ? "bf16" : "packed";
  return suffix.empty() ? name : name + " " + suffix;
}

const kernels::ProductFunctions& ProductCandidate::functions() const {
  return is_bf16 ? kernels::kBf16Product : kernels::kFloatProduct;
}

std::vector<ProductCandidate> SearchProduct(const KernelTable& table, const CpuDescription& cpu,
                                            const GemmShape& shape, int threads,
                                            const Bf16Limits& bf16) {
  std::vector<ProductCandidate> found = Candidates(table, cpu, shape, threads, false);
  if (bf16.error < 0 || !kernels::HasBf16(table)) return found;
  std::vector<ProductCandidate> halves =
      Candidates(kernels::Bf16Table(table), cpu, shape, threads, true);
  const bool is_admissible = bf16.error == 0 || bf16.error <= bf16.error_bound;
  for (ProductCandidate& c : halves) {
    c.error = bf16.error;
    c.is_admissible = is_admissible;
  }
  if (is_admissible && halves.front().algorithm_us < found.front().algorithm_us) {
    std::swap(found, halves);
  }
  found.insert(found.end(), halves.begin(), halves.end());
  return found;
}

}  // namespace ferry::backends
