#include "device-runtime/backends/cpu/search/product_cost.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/gemm/kernels.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::backends {
namespace {

using kernels::Tiles;

// Nanoseconds around one tile: the call, row pointers and the first sums; what each row pointer of
// a window costs; what storing one vector of sums costs.
constexpr double kTileNs = 12;
constexpr double kPointerNs = 0.25;
constexpr double kWindowNs = 1.2;
constexpr double kStoreNs = 0.7;
// A run of a row that ends costs a turn of the loop around it.
constexpr double kRunNs = 1.5;
// The part of the traffic with memory that arithmetic does not hide.
constexpr double kUnhidden = 0.4;

// Products of parts over tile registers: their rate beside that of multiply-adds, what splitting a
// number and storing a sum cost, what a row does however short it is, and how fast B comes from
// beyond the second-level cache. Fitted to the 33 split convolutions of MobileNetV2 on a core of
// Sapphire Rapids, in the units of RatesOf (that core takes 0.73 of what ProductCost says): none is
// more than 14 % off. Rows deeper than a segment are split anew for each block of columns, and B is
// read again for each block of rows.
constexpr double kSplitGain = 3.4;
constexpr double kSplitNs = 0.31;
constexpr double kSplitStoreNs = 0.17;
constexpr double kSplitRowNs = 15;
constexpr double kSplitReadGbps = 22;
constexpr int64_t kSplitSegment = 512, kSplitColumns = 512, kSplitRows = 128;

double Up(int64_t value, int64_t step) {
  return static_cast<double>((value + step - 1) / step);
}

// Nanoseconds of one product step of a tile of rows x vectors: arithmetic and a share of its loads
// (a row of B, a broadcast for each row of A), or the wait for the sums.
double StepNs(const CpuDescription& cpu, double rows, int vectors) {
  const double fma_ns = 2.0 * cpu.vector / cpu.rates.multiply_gflops;
  const double sums = rows * vectors + (rows + vectors) * cpu.rates.load_share;
  return fma_ns * std::max(sums, cpu.rates.latency_fmas);
}

struct Cut {
  double tiles;      // of rows
  double tile_rows;  // of each
  double segments;   // of depth
  double blocks;     // of columns
};

Cut CutOf(const CpuDescription& cpu, const ProductSize& s, const Tiles& t) {
  Cut cut;
  cut.tiles = Up(s.rows, t.rows);
  cut.tile_rows = static_cast<double>(s.rows) / cut.tiles;
  cut.segments = cut.tiles == 1 ? 1 : std::max(1.0, Up(s.depth, t.depth_block));
  const double panel_bytes = 4.0 * static_cast<double>(std::max<int64_t>(1, s.depth)) /
                             cut.segments * t.vectors * cpu.vector;
  const double panels = Up(s.columns, int64_t{t.vectors} * cpu.vector);
  const double fit = std::max(1.0, std::floor(static_cast<double>(t.block_bytes) / panel_bytes));
  cut.blocks = std::ceil(panels / std::min(fit, panels));
  return cut;
}

// All tiles over all panels, in nanoseconds of one thread.
double TilesNs(const CpuDescription& cpu, const ProductSize& s, const Tiles& t, const Cut& cut) {
  const int64_t width = int64_t{t.vectors} * cpu.vector;
  const double full = static_cast<double>(s.columns / width);
  const int rest = static_cast<int>(Up(s.columns % width, cpu.vector));
  const double depth = static_cast<double>(s.depth);
  const double pointers = static_cast<double>(s.taps) * cut.tile_rows;
  double ns = cut.tiles * cut.blocks * pointers * (s.has_window ? kWindowNs : kPointerNs);
  const auto panel = [&](int vectors) {
    return depth * StepNs(cpu, cut.tile_rows, vectors) + static_cast<double>(s.taps) * kRunNs +
           cut.segments * (kTileNs + cut.tile_rows * vectors * kStoreNs);
  };
  ns += cut.tiles * full * panel(t.vectors);
  if (rest > 0) ns += cut.tiles * panel(rest);
  return ns;
}

}  // namespace

double ProductCost(const kernels::KernelTable& table, const CpuDescription& cpu,
                   const ProductSize& s, const Tiles& tiles, int threads) {
  if (s.rows <= 0 || s.columns <= 0) return 0;
  const Tiles t = kernels::FilledTiles(table, tiles);
  const Cut cut = CutOf(cpu, s, t);
  const double columns = Up(s.columns, cpu.vector) * cpu.vector;
  const double b_bytes = 4.0 * static_cast<double>(s.depth) * columns;
  const double a_bytes =
      s.a_bytes >= 0 ? s.a_bytes : 4.0 * static_cast<double>(s.rows) * static_cast<double>(s.depth);
  const double c_bytes = 4.0 * static_cast<double>(s.rows) * columns;
  const double block_bytes = b_bytes / cut.blocks / cut.segments;
  // Each tile reads B again: from the first-level cache, when a block fits there, it is free.
  const bool is_near = block_bytes * 2 <= static_cast<double>(cpu.l1_bytes);
  const double read_ns = is_near ? 0 : cut.tiles * b_bytes / cpu.rates.cache_gbps;
  const bool by_rows = kernels::SplitsRows(s.rows, threads);
  const double units = by_rows ? cut.tiles : Up(s.columns, int64_t{t.vectors} * cpu.vector);
  const double busy = units / (threads * std::ceil(units / threads));
  const double work_ns = std::max(TilesNs(cpu, s, t, cut), read_ns) / (threads * busy);
  // Weights come from memory: those of a network do not stay in cache from run to run. A result
  // or an input of up to half the second-level cache was or is used right beside.
  const double kept = static_cast<double>(cpu.l2_bytes) / 2;
  const double moved = b_bytes + (a_bytes > kept ? a_bytes * cut.blocks : 0) +
                       (c_bytes > kept ? c_bytes * (2 * cut.segments - 1) : 0);
  const double memory_ns = moved / cpu.rates.memory_gbps;
  const double ns = std::max(work_ns, memory_ns) + kUnhidden * std::min(work_ns, memory_ns);
  return ns * 1e-3 + (threads > 1 ? cpu.rates.call_us : 0);
}

double SplitCost(const CpuDescription& cpu, const ProductSize& s, int threads) {
  if (s.rows <= 0 || s.columns <= 0) return 0;
  // Registers are filled up: rows to 16, columns to 16, depth to 32.
  const double rows = Up(s.rows, 16) * 16, columns = Up(s.columns, 16) * 16;
  const double depth = Up(std::max<int64_t>(1, s.depth), 32) * 32;
  const double times = s.depth <= kSplitSegment ? 1 : Up(s.columns, kSplitColumns);
  const double work_ns = 2 * rows * columns * depth / (cpu.rates.multiply_gflops * kSplitGain) +
                         rows * (kSplitRowNs + depth * kSplitNs * times + columns * kSplitStoreNs);
  // Threads that take rows each read all of B.
  const bool by_rows = kernels::SplitsRows(s.rows, threads);
  const double again = Up(by_rows ? s.rows / threads : s.rows, kSplitRows) - 1;
  const double read_ns = 4.0 * depth * columns / (by_rows ? 1 : threads) *
                         (1 / kSplitReadGbps + std::max(0.0, again) / (2 * cpu.rates.cache_gbps));
  const double units = Up(s.rows, 32) * Up(s.columns, 32);
  const double busy = by_rows ? 1 : units / (threads * std::ceil(units / threads));
  const double ns = work_ns / (threads * busy) + read_ns;
  return ns * 1e-3 + (threads > 1 ? cpu.rates.call_us : 0);
}

std::vector<Tiles> TileCandidates(const kernels::KernelTable& table, const CpuDescription& cpu,
                                  int64_t columns) {
  std::vector<Tiles> all = {{}};
  const Tiles base = kernels::FilledTiles(table, {});
  for (int vectors = 1; vectors <= kernels::kMaxPanelVectors; ++vectors) {
    const int rows = kernels::MaxTileRows(table, vectors);
    // A panel wider than the matrix is a narrower one.
    if (rows == 0 || (vectors > 1 && (vectors - 1) * int64_t{cpu.vector} >= columns)) continue;
    for (int64_t depth : {512, 256, 1024}) {
      if (rows * depth * 4 > cpu.l1_bytes * 3 / 4) continue;
      for (int64_t block : {cpu.l2_bytes / 4, cpu.l2_bytes / 8, cpu.l2_bytes / 2}) {
        const Tiles tiles = {rows, vectors, depth, block};
        if (tiles != base) all.push_back(tiles);
      }
    }
  }
  return all;
}

}  // namespace ferry::backends
