#include "device-runtime/backends/cpu/device.h"

namespace ferry::backends {

Result<std::unique_ptr<CpuDevice>> CpuDevice::Create() {
  FERRY_ASSIGN_OR_RETURN(const kernels::Isa isa, kernels::ChooseIsa());
  return WithIsa(isa);
}

std::unique_ptr<CpuDevice> CpuDevice::WithIsa(kernels::Isa isa) {
  return std::unique_ptr<CpuDevice>(new CpuDevice(kernels::TableOf(isa)));
}

}  // namespace ferry::backends
