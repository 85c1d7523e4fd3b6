#include "device-runtime/backends/cpu/device.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "common/base/memory.h"

namespace ferry::backends {
namespace {

std::unique_ptr<CpuDevice> FastestDevice() {
  return CpuDevice::WithIsa(kernels::RunningIsas().back());
}

TEST(CpuDeviceTest, MemoryIsAlignedAndReturned) {
  const auto device = FastestDevice();
  const int64_t before = CurrentMemoryUse().blocks;
  {
    Result<CpuMemory> memory = device->Allocate(100);
    ASSERT_TRUE(memory.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % 64, 0u);
    EXPECT_EQ(memory->size(), 100u);
    CpuMemory moved = std::move(memory).value();
    moved = CpuMemory();
    EXPECT_EQ(device->Allocate(0).value().data(), nullptr);
  }
  EXPECT_EQ(CurrentMemoryUse().blocks, before);
}

TEST(CpuDeviceTest, NoMemoryIsAnError) {
  const auto device = FastestDevice();
  const FailAllocations fail(1);
  EXPECT_EQ(device->Allocate(64).code(), Code::kOutOfMemory);
}

TEST(CpuDeviceTest, SupportsThePrimitivesOfTheList) {
  EXPECT_TRUE(CpuDevice::Supports("conv"));
  EXPECT_TRUE(CpuDevice::Supports("raster"));
  EXPECT_TRUE(CpuDevice::Supports("host"));
  EXPECT_FALSE(CpuDevice::Supports("call"));
  EXPECT_FALSE(CpuDevice::Supports(""));
}

TEST(CpuDeviceTest, CostsGrowWithTheWork) {
  for (kernels::Isa isa : kernels::RunningIsas()) {
    const auto device = CpuDevice::WithIsa(isa);
    EXPECT_LT(device->MoveCost(1000, 1000), device->MoveCost(5000, 1000));
    EXPECT_LT(device->PlainCost("map", 1e6, 1e6), device->PlainCost("map", 4e6, 1e6));
    EXPECT_LT(device->PlainCost("map", 1e6, 1e6), device->PlainCost("host", 1e6, 1e6));
  }
}

TEST(CpuDeviceTest, AWrongFerryIsaIsReported) {
  const char* value = std::getenv("FERRY_ISA");
  const std::string saved = value == nullptr ? "" : value;
  setenv("FERRY_ISA", "sse9", 1);
  EXPECT_EQ(CpuDevice::Create().code(), Code::kInvalidArgument);
  setenv("FERRY_ISA", saved.c_str(), 1);
  EXPECT_TRUE(CpuDevice::Create().ok());
}

}  // namespace
}  // namespace ferry::backends
