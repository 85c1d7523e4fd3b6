#include "device-runtime/backends/cpu/search/description.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/gemm/kernels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ferry::backends {
namespace {

// What small cores have, where the system does not tell.
constexpr int64_t kCommonL1 = 32 * 1024;
constexpr int64_t kCommonL2 = 256 * 1024;
// Figures outside are a virtual machine's mistake.
constexpr int64_t kLeastCache = 8 * 1024;
constexpr int64_t kMostCache = int64_t{64} << 20;

int64_t CacheBytes(int name, int64_t common) {
  const int64_t told = ::sysconf(name);
  return told < kLeastCache || told > kMostCache ? common : told;
}

// Measured with ferry-bench (groups plan, conv, gemm) on cores of Zen 4 at 3.7 GHz; only ratios
// decide. By the width of vectors; NEON's row is what two pipes at 2.6 GHz give, not measured.
Rates RatesOf(const kernels::KernelTable& table) {
  if (table.isa == kernels::Isa::kReference) return {11, 0, 1, 2, 2, 20, 10, 1.0};
  switch (table.gemm->vector) {
    case 4:
      return {40, 0, 8, 14, 10, 30, 15, 1.0};
    case 8:
      return {112, 0, 8, 36, 30, 55, 16, 1.0};
    default:
      return {130, 0.3, 4, 42, 40, 60, 16, 1.0};
  }
}

}  // namespace

CpuDescription DescribeCpu(const kernels::KernelTable& table) {
  CpuDescription d = {table.isa, table.gemm->vector, kCommonL1, kCommonL2, RatesOf(table)};
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
  d.l1_bytes = CacheBytes(_SC_LEVEL1_DCACHE_SIZE, kCommonL1);
  d.l2_bytes = CacheBytes(_SC_LEVEL2_CACHE_SIZE, kCommonL2);
#endif
  return d;
}

std::string CpuModel() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  char vendor[13] = {};
  if (__get_cpuid(0, &eax, &ebx, &ecx, &edx) == 0) return "x86-64";
  std::memcpy(vendor, &ebx, 4);
  std::memcpy(vendor + 4, &edx, 4);
  std::memcpy(vendor + 8, &ecx, 4);
  std::replace_if(
      std::begin(vendor), std::end(vendor) - 1, [](char c) { return c <= ' ' || c > '~'; }, '?');
  __get_cpuid(1, &eax, &ebx, &ecx, &edx);
  const unsigned family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
  const unsigned model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);
  return fmt::format("x86-64 {} {}-{}-{}", vendor, family, model, eax & 0xf);
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

}  // namespace ferry::backends
