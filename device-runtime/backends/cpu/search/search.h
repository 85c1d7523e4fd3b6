// The search: for one primitive at its sizes, every way to run it with what it is expected to cost.
// After the semi-auto search of Walle (OSDI 2022): algorithms and tile parameters under limits of
// registers, caches and error, the cheapest admissible first.
#pragma once

#include <string>
#include <vector>

#include "device-runtime/backends/cpu/search/description.h"
#include "device-runtime/kernels/conv/conv.h"
#include "device-runtime/kernels/gemm/gemm.h"
#include "device-runtime/kernels/split/ways.h"

namespace ferry::backends {

struct ConvCandidate {
  kernels::ConvAlgorithm algorithm = kernels::ConvAlgorithm::kIndirect;
  kernels::Tiles tiles;  // never change bits
  double cost_us = 0;    // on limits.threads with these tiles
  // On one thread with default tiles: what decides between algorithms (of split ones with a margin,
  // kSplitShare).
  double algorithm_us = 0;
  double error = 0;  // kernels::ConvError
  bool is_admissible = true;

  std::string Name() const;  // "winograd4 12x2 512 192K"; no tiles for defaults
};

struct SearchLimits {
  double error_bound = 0;
  int threads = 1;  // tiles are cut for these; algorithms are not chosen by it
};

// All algorithms that support the shape, each with its best tiles, or (`all_tiles`) with all.
// Admissible ones first, the cheapest algorithm first; never empty, the first is admissible. The
// order depends on description and shape alone, that of tiles also on the number of threads.
std::vector<ConvCandidate> SearchConv(const kernels::KernelTable& table, const CpuDescription& cpu,
                                      const kernels::ConvShape& shape, const SearchLimits& limits,
                                      bool all_tiles = false);

// kernels/gemm, kernels/bf16 and kernels/split.
enum class ProductKind { kPacked, kBf16, kSplit };

struct ProductCandidate {
  kernels::Tiles tiles;  // never change bits
  double cost_us = 0;    // on all threads with these tiles
  ProductKind kind = ProductKind::kPacked;
  double algorithm_us = 0;  // as a convolution's
  double error = 0;         // bound of what the kind adds to a plain sum's rounding
  bool is_admissible = true;

  std::string Name() const;  // "packed", "bf16 12x2 512 192K"
  const kernels::ProductFunctions& functions() const;
};

// What products of other kinds than kPacked may add.
struct ProductLimits {
  // That rounding operands to bfloat16 adds: 0 where they hold such numbers; negative: not asked
  // for.
  double bf16_error = -1;
  double error_bound = 0;
  bool packs_once = false;  // B is constant: a form that is slow to make is worth it
};

// The tiles of a product of float32, then other kinds, where the processor has them: the admissible
// kind first that is cheapest on one thread, of each kind the cheapest tiles.
std::vector<ProductCandidate> SearchProduct(const kernels::KernelTable& table,
                                            const CpuDescription& cpu,
                                            const kernels::GemmShape& shape, int threads,
                                            const ProductLimits& limits = {});

// "12x2 512 192K", "" for defaults.
std::string TilesName(const kernels::Tiles& tiles);

}  // namespace ferry::backends
