// The CPU as a device of the engine: its instruction set, its memory and what its kernels cost.
// The cost model is a roofline (Williams, Waterman, Patterson, 2009), see search/.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "common/base/status.h"
#include "device-runtime/backends/cpu/search/description.h"
#include "device-runtime/kernels/table.h"

namespace ferry::backends {

// A block of device memory, 64-byte aligned; empty blocks hold null. Freed with the object.
class CpuMemory {
 public:
  CpuMemory() = default;
  ~CpuMemory();
  CpuMemory(CpuMemory&& other) noexcept;
  CpuMemory& operator=(CpuMemory&& other) noexcept;

  void* data() const { return data_; }
  float* floats() const { return static_cast<float*>(data_); }
  size_t size() const { return size_; }

 private:
  friend class CpuDevice;
  void* data_ = nullptr;
  size_t size_ = 0;
};

// Immutable after Create; any thread.
class CpuDevice {
 public:
  // Uses FERRY_ISA or the fastest instruction set (kernels::ChooseIsa; its errors).
  static Result<std::unique_ptr<CpuDevice>> Create();
  static std::unique_ptr<CpuDevice> WithIsa(kernels::Isa isa);  // isa must run here

  const kernels::KernelTable& table() const { return *table_; }
  const char* name() const { return "cpu"; }

  // Uninitialised memory; kOutOfMemory when there is none.
  Result<CpuMemory> Allocate(size_t bytes) const;

  // Whether a primitive of this name (list.inc: "conv", "matmul", "raster", ...) runs here.
  static bool Supports(std::string_view primitive);

  const CpuDescription& description() const { return description_; }

  // Estimated microseconds, one thread. What can run in several ways: search/search.h.
  double MoveCost(size_t bytes_read, size_t bytes_written) const;
  // Of a primitive (list.inc) that runs in one way: its arithmetic beside its traffic.
  double PlainCost(std::string_view primitive, double flops, double bytes) const;

 private:
  explicit CpuDevice(const kernels::KernelTable& table)
      : table_(&table), description_(DescribeCpu(table)) {}
  const kernels::KernelTable* table_;
  CpuDescription description_;
};

}  // namespace ferry::backends
