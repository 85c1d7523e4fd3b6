// What primitives cost that run in one way: the longer of arithmetic and memory traffic, each at a
// measured rate (search/description.cc).
#include <algorithm>

#include "device-runtime/backends/cpu/device.h"

namespace ferry::backends {
namespace {

// Texts and tables, element by element.
constexpr double kHostGflops = 0.2;
constexpr double kStepUs = 0.2;  // around any step

}  // namespace

double CpuDevice::PlainCost(std::string_view primitive, double flops, double bytes) const {
  const Rates& r = description_.rates;
  const double gflops = primitive == "host" ? kHostGflops : r.vector_gflops / 4;
  const bool is_near = bytes <= static_cast<double>(description_.l2_bytes) / 2;
  const double gbps = is_near ? r.cache_gbps / 2 : r.memory_gbps;
  return kStepUs + std::max(flops / gflops, bytes / gbps) * 1e-3;
}

}  // namespace ferry::backends
