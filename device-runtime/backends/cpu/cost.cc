// The cost model: a kernel takes the longer of its arithmetic and its memory traffic, each at a
// rate measured by ferry-bench; rates only decide between algorithms, so their ratios matter.
#include <algorithm>
#include <initializer_list>

#include "device-runtime/backends/cpu/device.h"

namespace ferry::backends {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvShape;

// Measured on one core of a Zen 5 server at 3.6 GHz: GFLOP/s that the products reach on large sizes
// and that the depthwise kernel reaches, GB/s of streaming through memory and through the
// second-level cache.
struct Rates {
  double product_gflops;
  double depthwise_gflops;
  double memory_gbps;
  double cache_gbps;
  // Useful part of a vector when n columns are computed.
  int vector;
};

// ORDER: isa
constexpr Rates kRates[kernels::kIsaCount] = {
    {11, 2, 10, 20, 8}, {100, 40, 30, 60, 8}, {190, 60, 30, 80, 16}};

const Rates& RatesOf(const kernels::KernelTable& table) {
  return kRates[static_cast<int>(table.isa)];
}

constexpr int64_t kMinWinogradChannels = 8;

double RoundUp(int64_t value, int64_t step) {
  return static_cast<double>((value + step - 1) / step * step);
}

// Microseconds of `flops` at gflops beside `bytes` at gbps.
double Roofline(double flops, double gflops, double bytes, double gbps) {
  return std::max(flops / gflops, bytes / gbps) * 1e-3;
}

// rows x columns x depth with B of `weights` bytes: B crosses memory once.
double ProductCost(const Rates& r, double rows, int64_t columns, double depth) {
  const double padded = RoundUp(columns, r.vector);
  const double bytes = 4.0 * (rows * depth + padded * depth + rows * padded);
  // Few rows use the wide tiles badly: a row costs at least what loading B from cache does.
  const double flops = 2.0 * rows * padded * depth;
  const double b_bytes = 4.0 * padded * depth;
  return std::max(Roofline(flops, r.product_gflops, bytes, r.memory_gbps),
                  b_bytes / r.cache_gbps * 1e-3);
}

double WinogradCost(const Rates& r, const ConvShape& s) {
  const double tiles = static_cast<double>(s.batch * ((s.out_h + 3) / 4) * ((s.out_w + 3) / 4));
  double cost = 36.0 * ProductCost(r, tiles, s.out_c, static_cast<double>(s.in_c));
  // 36 floats in and out of cache per tile and channel on both sides, and the transforms' additions
  // (about 150 for the input, 100 for the output) at a fraction of the rate of products.
  const double channels = static_cast<double>(s.in_c + s.out_c);
  cost += Roofline(tiles * channels * 125.0, r.product_gflops / 8, tiles * channels * 36 * 8,
                   r.cache_gbps);
  return cost;
}

}  // namespace

double CpuDevice::GemmCost(int64_t m, int64_t n, int64_t k) const {
  return ProductCost(RatesOf(*table_), static_cast<double>(m), n, static_cast<double>(k));
}

double CpuDevice::MoveCost(size_t bytes_read, size_t bytes_written) const {
  return static_cast<double>(bytes_read + bytes_written) / RatesOf(*table_).memory_gbps * 1e-3;
}

double CpuDevice::ConvCost(ConvAlgorithm algorithm, const ConvShape& s) const {
  const Rates& r = RatesOf(*table_);
  const double pixels = static_cast<double>(s.batch * s.out_h * s.out_w);
  const double taps = static_cast<double>(s.kernel_h * s.kernel_w);
  switch (algorithm) {
    case ConvAlgorithm::kPointwise:
      return ProductCost(r, pixels, s.out_c, static_cast<double>(s.in_c));
    case ConvAlgorithm::kIndirect: {
      const double depth = static_cast<double>(s.in_c / s.groups);
      // Pointers: about a nanosecond per pixel and tap.
      return static_cast<double>(s.groups) *
             (ProductCost(r, pixels, s.out_c / s.groups, depth * taps) + pixels * taps * 1e-3);
    }
    case ConvAlgorithm::kDepthwise: {
      const double channels = RoundUp(s.in_c, r.vector);
      const double in = static_cast<double>(s.batch * s.in_h * s.in_w) * channels;
      return Roofline(2.0 * pixels * channels * taps, r.depthwise_gflops,
                      4.0 * (in + pixels * channels), r.memory_gbps);
    }
    case ConvAlgorithm::kWinograd:
      return WinogradCost(r, s);
  }
  return 0;
}

ConvChoice CpuDevice::ChooseConv(const ConvShape& shape) const {
  ConvChoice best = {ConvAlgorithm::kIndirect, ConvCost(ConvAlgorithm::kIndirect, shape)};
  for (ConvAlgorithm algorithm :
       {ConvAlgorithm::kPointwise, ConvAlgorithm::kDepthwise, ConvAlgorithm::kWinograd}) {
    if (!kernels::ConvSupports(algorithm, shape)) continue;
    // With few channels tiles are all transforms, and their rounding buys nothing.
    if (algorithm == ConvAlgorithm::kWinograd && shape.in_c < kMinWinogradChannels) continue;
    const double cost = ConvCost(algorithm, shape);
    // A tie goes to the special one: it does the same with less around it.
    if (cost <= best.cost_us) best = {algorithm, cost};
  }
  return best;
}

}  // namespace ferry::backends
