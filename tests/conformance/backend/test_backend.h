// A device for tests: the CPU's kernels on memory of its own. It runs the primitives that it is
// told to, counts what crosses to it, and fails or lies on demand.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "device-runtime/backend/backend.h"
#include "device-runtime/backends/cpu/device.h"

namespace ferry::test {

enum class Fault {
  kNone,
  kPrepareFails,
  kPrepareGivesNothing,
  kUploadFails,
  kUploadGivesNothing,
  kAllocateFails,
  kAllocateGivesNothing,
  kAllocateGivesLess,
  kCopyInFails,
  kRunFails,
  kRunWritesNothing,
  kCopyOutFails,
};

// Members are set before sessions use it; counts may be read any time.
class TestBackend final : public backends::Backend {
 public:
  explicit TestBackend(std::string called = "test") : called_(std::move(called)) {}

  std::set<std::string> primitives;  // none: all
  double step_us = 0.001, copy_us = 0.001, part_us = 0;
  Status available;
  Fault fault = Fault::kNone;
  int good_calls = 0;  // of what is to fail, before it does

  struct Counts {
    std::atomic<int> prepared, runs, uploads, copies_in, copies_out;
    std::atomic<int64_t> live_bytes;  // on the device, constants included
  };
  Counts& counts() const { return counts_; }
  backends::BackendSettings last_settings() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }

  const char* name() const override { return called_.c_str(); }
  Status Available() const override { return available; }
  std::vector<std::string> Primitives() const override;
  bool Runs(const ir::Program& program, const ir::Step& step) const override;
  double StepCost(const ir::Program&, const ir::Step&) const override { return step_us; }
  double CopyCost(int64_t) const override { return copy_us; }
  double PartCost() const override { return part_us; }
  Result<std::unique_ptr<backends::DeviceMemory>> Allocate(
      int64_t bytes, const backends::BackendSettings& settings) const override;
  Status CopyIn(const uint8_t* host, int64_t bytes, backends::DeviceMemory& to) const override;
  Status CopyOut(const backends::DeviceMemory& from, int64_t bytes, uint8_t* host) const override;
  Result<std::unique_ptr<backends::BackendPart>> Prepare(
      ir::Program part, backends::Uploads& uploads,
      const backends::BackendSettings& settings) const override;

  // Whether this call is to have the fault.
  bool Fails(Fault what) const;

 private:
  Result<std::unique_ptr<backends::DeviceMemory>> New(
      int64_t bytes, const backends::BackendSettings& settings) const;

  const std::string called_;
  const std::unique_ptr<backends::CpuDevice> cpu_ = backends::CpuDevice::Create().value();
  mutable Counts counts_{};
  mutable std::atomic<int> calls_ = 0;
  mutable std::mutex mutex_;
  mutable backends::BackendSettings settings_;  // of the latest Prepare
};

}  // namespace ferry::test
