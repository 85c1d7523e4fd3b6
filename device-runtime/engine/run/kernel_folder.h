// Constants are folded by kernels: the naive reference of a product takes hundreds of times longer.
#pragma once

#include "device-runtime/backends/cpu/device.h"
#include "device-runtime/passes/fold.h"

namespace ferry::engine {

// Nodes that read and write fewer bytes run on the naive references: a plan would cost more.
inline constexpr int64_t kFoldedByReference = 16 << 10;

class KernelFolder : public passes::Folder {
 public:
  // `device` must outlive it.
  explicit KernelFolder(const backends::CpuDevice& device) : device_(device) {}
  Result<std::vector<tensor::Tensor>> Run(
      const ops::Op& op, const ir::Node& node,
      std::span<const tensor::Tensor* const> inputs) const override;

 private:
  const backends::CpuDevice& device_;
};

}  // namespace ferry::engine
