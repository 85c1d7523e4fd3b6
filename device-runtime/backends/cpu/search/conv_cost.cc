// The cost of convolutions that are products, and of depthwise ones.
#include "device-runtime/backends/cpu/search/conv_cost.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/tiled/product.h"

namespace ferry::backends {

using kernels::ConvShape;

double InputBytes(const ConvShape& s) {
  return 4.0 * static_cast<double>(s.batch * s.in_h * s.in_w) * static_cast<double>(s.in_c);
}

double OutputBytes(const ConvShape& s) {
  return 4.0 * static_cast<double>(OutputPixels(s)) * static_cast<double>(s.out_c);
}

int64_t OutputPixels(const ConvShape& s) {
  return s.batch * s.out_h * s.out_w;
}

double MoveUs(const CpuDescription& cpu, double bytes, int threads) {
  const double l2 = static_cast<double>(cpu.l2_bytes);
  if (bytes <= l2 / 2) return bytes / (cpu.rates.cache_gbps * threads) * 1e-3;
  // Up to a few times as much lies in the third level, or in the second of the other threads.
  return bytes / (bytes <= 4 * l2 ? cpu.rates.cache_gbps / 2 : cpu.rates.memory_gbps) * 1e-3;
}

namespace {

constexpr double kSetUpUs = 0.1;
constexpr double kRunCopyUs = 3e-3;  // one run of channels, however short

ProductSize SizeOf(const ConvShape& s, int64_t taps) {
  ProductSize size;
  size.rows = OutputPixels(s);
  size.columns = s.out_c / s.groups;
  size.depth = s.in_c / s.groups * s.kernel_h * s.kernel_w;
  size.taps = taps;
  size.a_bytes = InputBytes(s) / static_cast<double>(s.groups);
  return size;
}

double DepthwiseUs(const CpuDescription& cpu, const ConvShape& s, int threads) {
  const auto vector = static_cast<int64_t>(cpu.vector);
  const double channels = static_cast<double>((s.out_c + vector - 1) / vector * vector);
  const double pixels = static_cast<double>(OutputPixels(s));
  const double taps = static_cast<double>(s.kernel_h * s.kernel_w);
  const double work_us = 2e-3 * pixels * channels * taps / cpu.rates.depthwise_gflops / threads;
  // A pixel is a call of its own where the window reaches over an edge.
  const double edges = static_cast<double>(s.batch * s.out_h) * (s.kernel_w > 1 ? 3.0 : 1.0);
  const double move_us = MoveUs(cpu, InputBytes(s) + OutputBytes(s), threads);
  return std::max(work_us, move_us) + 0.3 * std::min(work_us, move_us) + edges * 0.03 / threads;
}

}  // namespace

double CostPointwise(const ConvWork& w) {
  return ProductCost(w.table, w.cpu, SizeOf(w.shape, 1), w.tiles, w.threads);
}

double CostIndirect(const ConvWork& w) {
  ProductSize size = SizeOf(w.shape, w.shape.kernel_h * w.shape.kernel_w);
  size.has_window = true;
  // A tie goes to what does the same with less around it.
  return kSetUpUs + static_cast<double>(w.shape.groups) *
                        ProductCost(w.table, w.cpu, size, w.tiles, w.threads);
}

double CostStem(const ConvWork& w) {
  return ProductCost(w.table, w.cpu, SizeOf(w.shape, w.shape.kernel_h), w.tiles, w.threads);
}

double CostSplit(const ConvWork& w) {
  if (!kernels::HasTiles(w.table)) return kNotHere;
  const double taps = static_cast<double>(w.shape.kernel_h * w.shape.kernel_w);
  const double pixels = static_cast<double>(OutputPixels(w.shape));
  const double groups = static_cast<double>(w.shape.groups);
  return kSetUpUs + groups * (SplitCost(w.cpu, SizeOf(w.shape, 1), w.threads) +
                              pixels * taps * kRunCopyUs / w.threads);
}

double CostIm2col(const ConvWork& w) {
  const ConvShape& s = w.shape;
  ProductSize size = SizeOf(s, 1);
  const int64_t block = std::max<int64_t>(1, kernels::Im2colBlockRows(s));
  const double blocks = std::ceil(static_cast<double>(size.rows) / static_cast<double>(block));
  size.rows = block;
  size.a_bytes = 0;  // each block is copied to the cache first
  const double groups = static_cast<double>(s.groups);
  const double copies = static_cast<double>(OutputPixels(s) * s.kernel_h * s.kernel_w) * groups;
  const double channels = static_cast<double>(s.in_c / s.groups);
  const double copy_us = copies * (kRunCopyUs + channels * 4e-3 / w.cpu.rates.cache_gbps);
  return kSetUpUs + copy_us / w.threads + MoveUs(w.cpu, InputBytes(s), w.threads) +
         blocks * groups * ProductCost(w.table, w.cpu, size, w.tiles, w.threads);
}

double CostDepthwise(const ConvWork& w) {
  return DepthwiseUs(w.cpu, w.shape, w.threads);
}

double CostMultiplied(const ConvWork& w) {
  ConvShape repeated = w.shape;
  repeated.in_c = repeated.groups = w.shape.out_c;
  const double floats = InputBytes(repeated) / 4;
  return DepthwiseUs(w.cpu, repeated, w.threads) + floats * 0.4e-3 / w.threads;
}

}  // namespace ferry::backends
