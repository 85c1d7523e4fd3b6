// What a blocked product costs (kernels/gemm/product.h). Source: a roofline (Williams, Waterman,
// Patterson, 2009) over the blocks of Goto and van de Geijn.
#pragma once

#include <cstdint>
#include <vector>

#include "device-runtime/backends/cpu/search/description.h"
#include "device-runtime/kernels/gemm/tiles.h"

namespace ferry::backends {

struct ProductSize {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;        // of all taps
  int64_t taps = 1;         // runs that a row is read in
  double a_bytes = -1;      // of A where it lies; negative: rows * depth floats
  bool has_window = false;  // row pointers are computed tap by tap
};

// Microseconds on `threads` threads. Few tiles leave threads idle.
double ProductCost(const kernels::KernelTable& table, const CpuDescription& cpu,
                   const ProductSize& size, const kernels::Tiles& tiles, int threads = 1);

// The same as a product of parts over tile registers (kernels/split).
double SplitCost(const CpuDescription& cpu, const ProductSize& size, int threads = 1);

// Split products are chosen where one thread takes at most this share of the time of other ways.
// Four threads have to choose the same and gain less, for lines that lie with other threads cost
// both ways alike: 28x28x40 to 120 channels takes 0.93 of a packed product's time with one thread
// of Sapphire Rapids and 1.34 with four.
inline constexpr double kSplitShare = 0.85;

// Tiles worth trying: each panel width that the registers allow (rows * vectors + vectors + 1
// registers), with blocks that keep a tile's rows in the first-level cache and a block of B in the
// second. The first are the defaults.
std::vector<kernels::Tiles> TileCandidates(const kernels::KernelTable& table,
                                           const CpuDescription& cpu, int64_t columns);

}  // namespace ferry::backends
