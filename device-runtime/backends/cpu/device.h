// The CPU as a device of the engine: its instruction set and what its kernels cost.
// The cost model is a roofline (Williams, Waterman, Patterson, 2009), see search/.
#pragma once

#include <memory>
#include <string_view>

#include "common/base/status.h"
#include "device-runtime/backends/cpu/search/description.h"
#include "device-runtime/kernels/table.h"

namespace ferry::backends {

// Immutable after Create; any thread.
class CpuDevice {
 public:
  // Uses FERRY_ISA or the fastest instruction set (kernels::ChooseIsa; its errors).
  static Result<std::unique_ptr<CpuDevice>> Create();
  static std::unique_ptr<CpuDevice> WithIsa(kernels::Isa isa);  // isa must run here

  const kernels::KernelTable& table() const { return *table_; }
  const char* name() const { return "cpu"; }

  const CpuDescription& description() const { return description_; }

  // Estimated microseconds, one thread, of a primitive (ir::PrimitiveName) that runs in one way:
  // its arithmetic beside its traffic. What can run in several ways: search/search.h.
  double PlainCost(std::string_view primitive, double flops, double bytes) const;

 private:
  explicit CpuDevice(const kernels::KernelTable& table)
      : table_(&table), description_(DescribeCpu(table)) {}
  const kernels::KernelTable* table_;
  CpuDescription description_;
};

}  // namespace ferry::backends
