// What the cost model knows of a processor.
#pragma once

#include <cstdint>
#include <string>

#include "device-runtime/kernels/table.h"

namespace ferry::backends {

// What one core reaches: billions of operations and of bytes a second.
struct Rates {
  double multiply_gflops;   // fused multiply-adds in registers
  double load_share;        // of a multiply-add's time that each load beside it costs
  double latency_fmas;      // multiply-adds that must be under way at once
  double depthwise_gflops;  // of the depthwise kernel
  double vector_gflops;     // additions of transforms and reductions, from the first-level cache
  double cache_gbps;        // from the second-level cache
  double memory_gbps;       // from memory, in order
  double call_us;           // around one split over threads
};

struct CpuDescription {
  kernels::Isa isa;
  int vector;        // floats
  int64_t l1_bytes;  // data, of one core
  int64_t l2_bytes;  // of one core
  Rates rates;
};

// The description of this machine for the kernels of `table`: sizes of caches as the system tells
// them (common ones where it does not), rates as measured for the instruction set. It never
// measures, so that one machine plans alike at all times.
CpuDescription DescribeCpu(const kernels::KernelTable& table);

// The processor's model: "x86-64 AuthenticAMD 25-17-1", "aarch64". Never empty, no tabs.
std::string CpuModel();

}  // namespace ferry::backends
