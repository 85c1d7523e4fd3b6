#include "device-runtime/backends/cpu/device.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "common/base/memory.h"

namespace ferry::backends {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvShape;

std::unique_ptr<CpuDevice> Fastest() {
  return CpuDevice::WithIsa(kernels::RunningIsas().back());
}

ConvShape Square(int64_t size, int64_t channels, int64_t kernel) {
  ConvShape s;
  s.in_h = s.in_w = s.out_h = s.out_w = size;
  s.in_c = s.out_c = channels;
  s.kernel_h = s.kernel_w = kernel;
  s.pad_top = s.pad_left = kernel / 2;
  return s;
}

TEST(CpuDeviceTest, MemoryIsAlignedAndReturned) {
  const auto device = Fastest();
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
  const auto device = Fastest();
  const FailAllocations fail(1);
  EXPECT_EQ(device->Allocate(64).code(), Code::kOutOfMemory);
}

TEST(CpuDeviceTest, SupportsThePrimitivesOfTheList) {
  EXPECT_TRUE(CpuDevice::Supports("conv"));
  EXPECT_TRUE(CpuDevice::Supports("raster"));
  EXPECT_FALSE(CpuDevice::Supports("call"));
  EXPECT_FALSE(CpuDevice::Supports(""));
}

TEST(CpuDeviceTest, ChoosesByShape) {
  const auto device = Fastest();
  EXPECT_EQ(device->ChooseConv(Square(14, 64, 1)).algorithm, ConvAlgorithm::kPointwise);
  EXPECT_EQ(device->ChooseConv(Square(14, 64, 5)).algorithm, ConvAlgorithm::kIndirect);
  EXPECT_EQ(device->ChooseConv(Square(56, 64, 3)).algorithm, ConvAlgorithm::kWinograd);
  // Transformed weights of 7x7x512 would cross memory for four tiles only.
  EXPECT_EQ(device->ChooseConv(Square(7, 512, 3)).algorithm, ConvAlgorithm::kIndirect);
  ConvShape depthwise = Square(28, 96, 3);
  depthwise.groups = 96;
  EXPECT_EQ(device->ChooseConv(depthwise).algorithm, ConvAlgorithm::kDepthwise);
}

TEST(CpuDeviceTest, CostsGrowWithTheWork) {
  for (kernels::Isa isa : kernels::RunningIsas()) {
    const auto device = CpuDevice::WithIsa(isa);
    EXPECT_LT(device->GemmCost(64, 64, 64), device->GemmCost(128, 64, 64));
    EXPECT_LT(device->MoveCost(1000, 1000), device->MoveCost(5000, 1000));
    for (int i = 0; i < kernels::kConvAlgorithmCount; ++i) {
      const auto algorithm = static_cast<ConvAlgorithm>(i);
      EXPECT_LT(device->ConvCost(algorithm, Square(14, 32, 3)),
                device->ConvCost(algorithm, Square(28, 32, 3)))
          << ConvAlgorithmName(algorithm);
    }
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
