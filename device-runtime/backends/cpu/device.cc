#include "device-runtime/backends/cpu/device.h"

#include <utility>

#include "common/base/memory.h"

namespace ferry::backends {

CpuMemory::~CpuMemory() {
  Deallocate(data_);
}

CpuMemory::CpuMemory(CpuMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

CpuMemory& CpuMemory::operator=(CpuMemory&& other) noexcept {
  if (this != &other) {
    Deallocate(data_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

Result<std::unique_ptr<CpuDevice>> CpuDevice::Create() {
  FERRY_ASSIGN_OR_RETURN(const kernels::Isa isa, kernels::ChooseIsa());
  return WithIsa(isa);
}

std::unique_ptr<CpuDevice> CpuDevice::WithIsa(kernels::Isa isa) {
  return std::unique_ptr<CpuDevice>(new CpuDevice(kernels::TableOf(isa)));
}

Result<CpuMemory> CpuDevice::Allocate(size_t bytes) const {
  CpuMemory memory;
  if (bytes == 0) return memory;
  memory.data_ = TryAllocate(bytes);
  if (memory.data_ == nullptr) {
    return Status::Of(Code::kOutOfMemory, "{} bytes of device memory", bytes);
  }
  memory.size_ = bytes;
  return memory;
}

bool CpuDevice::Supports(std::string_view primitive) {
  static constexpr std::string_view kPrimitives[] = {
#define FERRY_PRIMITIVE(name) #name,
#include "device-runtime/backends/cpu/list.inc"
#undef FERRY_PRIMITIVE
  };
  for (const std::string_view name : kPrimitives) {
    if (name == primitive) return true;
  }
  return false;
}

}  // namespace ferry::backends
