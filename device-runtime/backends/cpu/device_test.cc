#include "device-runtime/backends/cpu/device.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ferry::backends {
namespace {

TEST(CpuDeviceTest, CostsGrowWithTheWork) {
  for (kernels::Isa isa : kernels::RunningIsas()) {
    const auto device = CpuDevice::WithIsa(isa);
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
