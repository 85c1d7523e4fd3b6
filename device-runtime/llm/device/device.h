// Where a language model's numbers live and are computed: it keeps copies of weights, makes the
// blocks of networks, the caches and the memory of passes. Families name blocks, never kernels: an
// accelerator is a second device with blocks of its own. Source: own.
#pragma once

#include <cstdint>
#include <memory>

#include "common/base/status.h"
#include "device-runtime/kernels/table.h"
#include "device-runtime/tensor/buffer.h"

namespace ferry::llm {

class Block;
struct BlockParts;
class KvPool;
struct KvOptions;
struct ModelConfig;
class Workspace;

// Any number of models on any threads; outlives them and what they made.
class Device {
 public:
  virtual ~Device() = default;
  virtual const char* name() const = 0;  // "cpu"
  // What the host does between blocks: embeddings, norms, the head.
  virtual const kernels::KernelTable& table() const = 0;

  // The blocks of a layer; `parts` as in BlockParts.
  virtual std::unique_ptr<Block> MakeMixer(const BlockParts& parts) const = 0;
  virtual std::unique_ptr<Block> MakeFeed(const BlockParts& parts) const = 0;
  // Memory for weights that blocks cannot read where they lie; kOutOfMemory.
  virtual Result<tensor::Buffer> NewWeights(int64_t bytes) const = 0;
  // Errors: those of KvPool::Create and Workspace::Create, and the device's own.
  virtual Result<std::shared_ptr<KvPool>> NewKvPool(const ModelConfig& config,
                                                    const KvOptions& options) const = 0;
  virtual Result<Workspace> NewWorkspace(const ModelConfig& config, int64_t tokens) const = 0;
};

// The processor with this instruction set, which must run here. Static.
const Device& CpuDevice(kernels::Isa isa);

}  // namespace ferry::llm
