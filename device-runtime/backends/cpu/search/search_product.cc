#include <algorithm>

#include "device-runtime/backends/cpu/search/product_cost.h"
#include "device-runtime/backends/cpu/search/rank_tiles.h"
#include "device-runtime/backends/cpu/search/search.h"
#include "device-runtime/kernels/split/ways.h"

namespace ferry::backends {
namespace {

using kernels::GemmShape;
using kernels::KernelTable;
using kernels::Tiles;

// Products of pairs over tile registers in the time of one multiply-add over pairs in vectors.
constexpr double kBf16TilesGain = 4;

// Fewer rows do not fill a register: what counts then is how fast weights come from memory, and
// packed products read them at 27 GB/s where split ones do at 20 (1x1280x1000 on Sapphire Rapids).
constexpr int64_t kLeastSplitRows = 16;

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
              const Tiles& tiles, int threads, ProductKind kind) {
  ProductSize size;
  size.rows = shape.m;
  size.columns = shape.n;
  size.depth = kind == ProductKind::kBf16 ? kernels::Bf16Pairs(shape.k) : shape.k;
  const double us = ProductCost(table, cpu, size, tiles, threads);
  return kind == ProductKind::kBf16 ? us + RoundUs(cpu, shape, threads) : us;
}

using Candidates = std::vector<ProductCandidate>;

Candidates OfKind(ProductKind kind, const KernelTable& table, const CpuDescription& cpu,
                  const GemmShape& shape, int threads) {
  Candidates found;
  const double algorithm_us = CostUs(table, cpu, shape, {}, 1, kind);
  for (const auto& [cost, tiles] :
       RankTiles(TileCandidates(table, cpu, shape.n),
                 [&](const Tiles& t) { return CostUs(table, cpu, shape, t, threads, kind); })) {
    found.push_back({tiles, cost, kind, algorithm_us});
  }
  return found;
}

// Tile registers are cut in one way.
Candidates Bf16Tiled(const KernelTable& table, CpuDescription cpu, const GemmShape& shape,
                     int threads) {
  cpu.rates.multiply_gflops *= kBf16TilesGain;
  constexpr ProductKind kKind = ProductKind::kBf16;
  return {{{},
           CostUs(table, cpu, shape, {}, threads, kKind),
           kKind,
           CostUs(table, cpu, shape, {}, 1, kKind)}};
}

Candidates Split(const CpuDescription& cpu, const GemmShape& shape, int threads) {
  ProductSize size;
  size.rows = shape.m;
  size.columns = shape.n;
  size.depth = shape.k;
  const double algorithm_us = SplitCost(cpu, size, 1) / kSplitShare;
  return {{{}, SplitCost(cpu, size, threads), ProductKind::kSplit, algorithm_us}};
}

Candidates OfBf16(const KernelTable& table, const CpuDescription& cpu, const GemmShape& shape,
                  int threads) {
  const KernelTable pairs = kernels::Bf16Table(table);
  return kernels::HasTiles(table) ? Bf16Tiled(pairs, cpu, shape, threads)
                                  : OfKind(ProductKind::kBf16, pairs, cpu, shape, threads);
}

}  // namespace

std::string ProductCandidate::Name() const {
  constexpr const char* kNames[] = {"packed", "bf16", "split"};  // ORDER: ProductKind
  const std::string suffix = TilesName(tiles), name = kNames[static_cast<int>(kind)];
  return suffix.empty() ? name : name + " " + suffix;
}

const kernels::ProductFunctions& ProductCandidate::functions() const {
  return kind == ProductKind::kBf16    ? kernels::kBf16Product
         : kind == ProductKind::kSplit ? kernels::kSplitProduct
                                       : kernels::kFloatProduct;
}

std::vector<ProductCandidate> SearchProduct(const KernelTable& table, const CpuDescription& cpu,
                                            const GemmShape& shape, int threads,
                                            const ProductLimits& limits) {
  Candidates found = OfKind(ProductKind::kPacked, table, cpu, shape, threads);
  const auto beside = [&](Candidates others, double error) {
    const bool is_admissible = error == 0 || error <= limits.error_bound;
    for (ProductCandidate& c : others) {
      c.error = error;
      c.is_admissible = is_admissible;
    }
    if (is_admissible && others.front().algorithm_us < found.front().algorithm_us)
      std::swap(found, others);
    found.insert(found.end(), others.begin(), others.end());
  };
  if (limits.packs_once && kernels::HasTiles(table) && shape.m >= kLeastSplitRows)
    beside(Split(cpu, shape, threads), kernels::kSplitError);
  if (limits.bf16_error >= 0 && kernels::HasBf16(table))
    beside(OfBf16(table, cpu, shape, threads), limits.bf16_error);
  return found;
}

}  // namespace ferry::backends
