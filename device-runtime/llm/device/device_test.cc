// All that a model has of a device comes from the one that it was loaded for.
#include "device-runtime/llm/device/device.h"

#include <gtest/gtest.h>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/llm/arch/blocks/block.h"
#include "device-runtime/llm/session.h"
#include "device-runtime/llm/testing/forward.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm {
namespace {

// The processor, counted; it may be told to fail.
class Counted final : public Device {
 public:
  const char* name() const override { return "counted"; }
  const kernels::KernelTable& table() const override { return cpu_.table(); }
  std::unique_ptr<Block> MakeMixer(const BlockParts& parts) const override {
    ++mixers;
    return cpu_.MakeMixer(parts);
  }
  std::unique_ptr<Block> MakeFeed(const BlockParts& parts) const override {
    ++feeds;
    return cpu_.MakeFeed(parts);
  }
  Result<tensor::Buffer> NewWeights(int64_t bytes) const override {
    ++weights;
    if (fails) return Status(Code::kOutOfMemory, "no room for weights");
    return cpu_.NewWeights(bytes);
  }
  Result<std::shared_ptr<KvPool>> NewKvPool(const ModelConfig& config,
                                            const KvOptions& options) const override {
    ++pools;
    if (fails) return Status(Code::kUnavailable, "the device is gone");
    return cpu_.NewKvPool(config, options);
  }
  Result<Workspace> NewWorkspace(const ModelConfig& config, int64_t tokens) const override {
    ++workspaces;
    return cpu_.NewWorkspace(config, tokens);
  }

  bool fails = false;
  mutable int mixers = 0, feeds = 0, weights = 0, pools = 0, workspaces = 0;

 private:
  const Device& cpu_ = CpuDevice(kernels::RunningIsas().back());
};

class OnADevice : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(testing::WriteTinyModel(fs_, "m", {.tokenizer = false}).ok());
  }
  sys::SimFileSystem fs_;
  Counted device_;
};

TEST_F(OnADevice, BlocksCachesAndMemoryAreTheDevices) {
  const std::vector<TokenId> ids = {1, 5, 9, 200, 3, 17};
  const auto model = Model::Load(fs_, "m", {.device = &device_});
  ASSERT_TRUE(model.ok()) << model.status().ToString();
  EXPECT_EQ(&(*model)->device(), &device_);
  EXPECT_EQ(device_.mixers, (*model)->config().layers);
  EXPECT_EQ(device_.feeds, (*model)->config().layers);
  auto session = Session::Create(*model, {});
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(device_.pools, 1);
  EXPECT_EQ(device_.workspaces, 1);
  std::vector<float> logits(ids.size() * static_cast<size_t>((*model)->config().outputs));
  ASSERT_TRUE((*session)->AppendWithLogits(ids, logits).ok());
  EXPECT_EQ(logits, testing::AllLogits(*Model::Load(fs_, "m").value(), ids));
}

TEST_F(OnADevice, ItsErrorsAreTheCallers) {
  const auto model = Model::Load(fs_, "m", {.device = &device_});
  ASSERT_TRUE(model.ok());
  device_.fails = true;
  const auto session = Session::Create(*model, {});
  EXPECT_EQ(session.code(), Code::kUnavailable);
  EXPECT_EQ(session.status().message(), "the device is gone");
  // Vectors of bfloat16 are widened, which takes memory of the device.
  ASSERT_TRUE(testing::WriteTinyModel(fs_, "b", {.bf16 = true, .tokenizer = false}).ok());
  EXPECT_EQ(Model::Load(fs_, "b", {.device = &device_}).code(), Code::kOutOfMemory);
  EXPECT_GT(device_.weights, 0);
}

}  // namespace
}  // namespace ferry::llm
