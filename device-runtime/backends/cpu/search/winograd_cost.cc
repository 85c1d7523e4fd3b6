// The cost of F(m x m, 3x3): (m + 2)^2 products over tiles, and the transforms around them.
#include <algorithm>

#include "device-runtime/backends/cpu/search/conv_cost.h"

namespace ferry::backends {
namespace {

// Additions and multiplications of one line of the input's and the output's transform.
struct Lines {
  double input, output;
};

double Cost(const ConvWork& w, int64_t out, const Lines& lines) {
  const kernels::ConvShape& s = w.shape;
  const int64_t in = out + 2;
  const double points = static_cast<double>(in * in);
  const int64_t tiles = s.batch * ((s.out_h + out - 1) / out) * ((s.out_w + out - 1) / out);
  ProductSize size;
  size.rows = tiles;
  size.columns = s.out_c;
  size.depth = s.in_c;
  size.a_bytes = 0;  // blocks of tiles stay in cache on both sides
  // Points go to threads whole, so that each product has one.
  const double products = points * ProductCost(w.table, w.cpu, size, w.tiles) / w.threads;
  const auto vector = static_cast<int64_t>(w.cpu.vector);
  const auto up = [&](int64_t n) {
    return static_cast<double>((n + vector - 1) / vector * vector);
  };
  const double count = static_cast<double>(tiles);
  const double steps = up(s.in_c) * lines.input * static_cast<double>(2 * in) +
                       up(s.out_c) * lines.output * static_cast<double>(in + out);
  // Points are stored and loaded once on each side, and a scratch between lines and columns.
  const double bytes = 4 * points * 3 * (up(s.in_c) + up(s.out_c));
  const double transform_us =
      count * (steps / w.cpu.rates.vector_gflops + bytes / w.cpu.rates.cache_gbps) * 1e-3;
  return products + transform_us / w.threads +
         MoveUs(w.cpu, InputBytes(s) + OutputBytes(s), w.threads) * 0.5;
}

}  // namespace

double CostWinograd2(const ConvWork& w) {
  return Cost(w, 2, {4, 4});
}

double CostWinograd4(const ConvWork& w) {
  return Cost(w, 4, {13, 12});
}

double CostWinograd6(const ConvWork& w) {
  return Cost(w, 6, {26, 26});
}

}  // namespace ferry::backends
