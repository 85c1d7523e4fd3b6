// From a program to runnable steps: kernels chosen, weights packed, workspaces asked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/sys/executor.h"
#include "device-runtime/backends/cpu/device.h"
#include "device-runtime/engine/model/state.h"
#include "device-runtime/ir/program.h"

namespace ferry::engine {

// What a step sees when it runs: the address of each buffer, workspaces behind them.
struct RunContext {
  uint8_t* const* at;
  sys::Parallel& parallel;
  tensor::StringPool& strings;  // of texts that the run makes

  float* floats(int slot) const { return slot < 0 ? nullptr : reinterpret_cast<float*>(at[slot]); }
};
using Runner = std::function<Status(const RunContext&)>;

struct PreparedStep {
  Runner run;
  std::string how;  // the choice, for people: "winograd", ...
};

// Workspace of one step: slot = number of buffers + index.
struct Workspace {
  int64_t bytes;
  int step;
};

// What the functions that prepare one primitive share.
class Preparer {
 public:
  Preparer(const ir::Program& program, const backends::CpuDevice& device, const Model::State& model)
      : program_(program), device_(device), model_(model) {}

  // Prepares all steps. kOutOfMemory; kInternal for a primitive without kernel.
  Status Run();

  std::vector<PreparedStep> steps;
  std::vector<Workspace> workspaces;

  // For the primitives' files:
  const backends::CpuDevice& device() const { return device_; }
  const kernels::KernelTable& table() const { return device_.table(); }
  const ir::Program& program() const { return program_; }
  // A slot with this many floats while the current step runs; -1 for none.
  int AddWorkspace(size_t floats);
  // The elements of a buffer that is a constant, else null.
  const tensor::Tensor* ConstantOf(ir::BufferId id) const;
  // Packed weights: shared by the model when the constant is its own.
  Result<PackedCache::Block> Packed(const float* weights, const std::string& how, size_t floats,
                                    const std::function<void(float*)>& pack);

 private:
  const ir::Program& program_;
  const backends::CpuDevice& device_;
  const Model::State& model_;
  PackedCache own_;  // of constants that this plan's shapes made
};

Result<PreparedStep> PrepareConv(Preparer& p, const ir::ConvPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareMatMul(Preparer& p, const ir::MatMulPrim& prim, const ir::Step& step);
Result<PreparedStep> PreparePool(Preparer& p, const ir::PoolPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareUnary(Preparer& p, const ir::UnaryPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareBinary(Preparer& p, const ir::BinaryPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareMap(Preparer& p, const ir::MapPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareReduce(Preparer& p, const ir::ReducePrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareSoftmax(Preparer& p, const ir::SoftmaxPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareRaster(Preparer& p, const ir::RasterPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareGather(Preparer& p, const ir::GatherPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareCall(Preparer& p, const ir::CallPrim& prim, const ir::Step& step);

}  // namespace ferry::engine
