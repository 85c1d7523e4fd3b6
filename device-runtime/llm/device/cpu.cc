#include <vector>

#include "common/base/check.h"
#include "device-runtime/llm/arch/blocks/block.h"
#include "device-runtime/llm/device/device.h"
#include "device-runtime/llm/kv/kv_cache.h"
#include "device-runtime/llm/workspace.h"

namespace ferry::llm {
namespace {

class Cpu final : public Device {
 public:
  explicit Cpu(kernels::Isa isa) : isa_(isa) {}

  const char* name() const override { return "cpu"; }
  const kernels::KernelTable& table() const override { return kernels::TableOf(isa_); }

  std::unique_ptr<Block> MakeMixer(const BlockParts& parts) const override {
    switch (parts.layer.mixer) {
      case MixerKind::kAttention:
        return MakeAttentionBlock(parts);
      case MixerKind::kLatent:
        return MakeLatentBlock(parts);
      case MixerKind::kDelta:
        return MakeDeltaBlock(parts);
      case MixerKind::kConvolution:
        break;
    }
    return MakeConvolutionBlock(parts);
  }
  std::unique_ptr<Block> MakeFeed(const BlockParts& parts) const override {
    return parts.layer.feed == FeedKind::kDense ? MakeDenseBlock(parts) : MakeExpertsBlock(parts);
  }

  Result<tensor::Buffer> NewWeights(int64_t bytes) const override {
    return tensor::Buffer::Allocate(bytes);
  }
  Result<std::shared_ptr<KvPool>> NewKvPool(const ModelConfig& config,
                                            const KvOptions& options) const override {
    return KvPool::Create(config, options);
  }
  Result<Workspace> NewWorkspace(const ModelConfig& config, int64_t tokens) const override {
    return Workspace::Create(config, tokens);
  }

 private:
  const kernels::Isa isa_;
};

std::vector<Cpu> OneOfEachSet() {
  std::vector<Cpu> all;
  all.reserve(kernels::kIsaCount);
  for (int i = 0; i < kernels::kIsaCount; ++i) all.emplace_back(static_cast<kernels::Isa>(i));
  return all;
}

}  // namespace

const Device& CpuDevice(kernels::Isa isa) {
  CHECK(kernels::IsaRuns(isa)) << kernels::IsaName(isa);
  static const auto& all = *new std::vector<Cpu>(OneOfEachSet());
  return all[static_cast<size_t>(isa)];
}

}  // namespace ferry::llm
