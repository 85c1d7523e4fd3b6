// From a program to runnable steps: kernels chosen, weights packed, workspaces asked for.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "common/sys/executor.h"
#include "device-runtime/backends/cpu/device.h"
#include "device-runtime/engine/explain/report.h"
#include "device-runtime/engine/model/state.h"
#include "device-runtime/ir/program.h"
#include "device-runtime/kernels/conv/conv.h"
#include "device-runtime/kernels/pool/pool.h"
#include "device-runtime/passes/memory/slices.h"

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
  std::string how;                // the choice, for people: "winograd", ...
  const char* backend = nullptr;  // that runs it; null: the CPU
  std::string fallback;           // why a backend that was to run it does not
  // Of the choice; 0 and negative: nothing was chosen, nothing was measured.
  double predicted_us = 0;
  double tuned_us = -1;
  int rank = 0;
  std::vector<CandidateReport> rejected;

  // Takes over one of `candidates` as the choice and the others as rejected.
  void Report(std::vector<CandidateReport> candidates, size_t chosen);
};

class Tuner;          // engine/tune/tuner.h
struct ForeignParts;  // engine/split/parts.h

// What a session wishes of its plans.
struct PlanSettings {
  double error_bound = kDefaultErrorBound;
  sys::Parallel* parallel = &sys::SerialParallel();  // what plans will run on
  Tuner* tuner = nullptr;                            // null: only predictions decide
  std::span<const Backend* const> backends;          // beside the CPU
  BackendSettings backend;                           // for them
  PlacementOptions placement;
  bool time_steps = false;
  const std::atomic<bool>* cancel = nullptr;  // as SessionOptions

  // Whether anybody looks at what is not taken.
  bool WantsAll() const { return time_steps || tuner != nullptr; }
};

// Workspace of one step: slot = number of buffers + index.
struct Workspace {
  int64_t bytes;
  int step;
};

kernels::PoolShape PoolShapeOf(const ir::PoolPrim& prim);

// Weights that are packed for other panels are packed again only where that is predicted to make a
// step so much faster: shapes that change must not pack weights time and again.
inline constexpr double kRepackGain = 1.1;

// What the functions that prepare one primitive share.
class Preparer {
 public:
  Preparer(const passes::PlacedProgram& placed, const backends::CpuDevice& device,
           const Model::State& model, const PlanSettings& settings)
      : placed_(placed),
        program_(placed.program),
        device_(device),
        model_(model),
        settings_(settings) {}

  // Prepares all steps, those of other backends too. kOutOfMemory; kInternal for a primitive
  // without kernel.
  Status Run(ForeignParts foreign);

  std::vector<PreparedStep> steps;
  std::vector<Workspace> workspaces;

  // For the primitives' files:
  const backends::CpuDevice& device() const { return device_; }
  const kernels::KernelTable& table() const { return device_.table(); }
  const ir::Program& program() const { return program_; }
  const PlanSettings& settings() const { return settings_; }
  // A slot with this many floats (aligned to 64 bytes) while the current step runs; -1 for none.
  int AddWorkspace(size_t floats);
  DType TypeOf(ir::BufferId id) const { return program_.buffers[id].dtype; }
  passes::Slice SliceOf(ir::BufferId id) const { return placed_.SliceOf(id); }
  const passes::PlacedProgram& placed() const { return placed_; }
  // Elements from one row of a buffer to the next where it is a slice of another, else 0.
  int64_t StrideOf(ir::BufferId id) const {
    const passes::Slice slice = placed_.SliceOf(id);
    return slice && !slice.is_dense() ? slice.stride : 0;
  }
  // The elements of a buffer that is a constant, else null.
  const tensor::Tensor* ConstantOf(ir::BufferId id) const;
  // Packed weights: shared by the model when the constant is its own. `pack` reads them at its
  // first argument, which is `weights` or, where those cannot be read as floats, a copy.
  Result<PackedCache::Block> Packed(const float* weights, const std::string& how, size_t floats,
                                    const std::function<void(const float*, float*)>& pack);
  // Packed for this plan alone.
  int64_t own_bytes() const { return own_.bytes(); }
  // Whether some session of the model packed these weights so.
  bool IsPacked(const float* weights, const std::string& how) const;
  // The constants that the steps read in each run although they do not lie where their type may be
  // read (tensor/alignment.h): their buffers, and copies that the model's sessions share.
  Result<std::vector<std::pair<ir::BufferId, PackedCache::Block>>> AlignedConstants();

 private:
  const passes::PlacedProgram& placed_;
  const ir::Program& program_;
  const backends::CpuDevice& device_;
  const Model::State& model_;
  const PlanSettings& settings_;
  PackedCache own_;                       // of constants that this plan's shapes made
  std::map<int, const uint8_t*> packed_;  // step, the model's constant that it packed
};

Result<PreparedStep> PrepareConv(Preparer& p, const ir::ConvPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareConvAny(Preparer& p, const kernels::ConvShape& shape,
                                    const ir::ConvPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareMatMul(Preparer& p, const ir::MatMulPrim& prim, const ir::Step& step);
Result<PreparedStep> PreparePool(Preparer& p, const ir::PoolPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareWindow(Preparer& p, const ir::WindowPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareMap(Preparer& p, const ir::MapPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareReduce(Preparer& p, const ir::ReducePrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareSoftmax(Preparer& p, const ir::SoftmaxPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareRaster(Preparer& p, const ir::RasterPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareGather(Preparer& p, const ir::GatherPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareNorm(Preparer& p, const ir::NormPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareAttention(Preparer& p, const ir::AttentionPrim& prim,
                                      const ir::Step& step);
Result<PreparedStep> PrepareQuantConv(Preparer& p, const ir::QuantConvPrim& prim,
                                      const ir::Step& step);
Result<PreparedStep> PrepareQuantPool(Preparer& p, const ir::QuantPoolPrim& prim,
                                      const ir::Step& step);
Result<PreparedStep> PrepareBytes(Preparer& p, const ir::BytesPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareScan(Preparer& p, const ir::ScanPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareSort(Preparer& p, const ir::SortPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareScatter(Preparer& p, const ir::ScatterPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareRandom(Preparer& p, const ir::RandomPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareSample(Preparer& p, const ir::SamplePrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareRegion(Preparer& p, const ir::RegionPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareRecurrent(Preparer& p, const ir::RecurrentPrim& prim,
                                      const ir::Step& step);
Result<PreparedStep> PrepareLinearAttention(Preparer& p, const ir::LinearAttentionPrim& prim,
                                            const ir::Step& step);
Result<PreparedStep> PrepareFourier(Preparer& p, const ir::FourierPrim& prim, const ir::Step& step);
Result<PreparedStep> PrepareDeterminant(Preparer& p, const ir::DeterminantPrim& prim,
                                        const ir::Step& step);
Result<PreparedStep> PrepareHost(Preparer& p, const ir::HostPrim& prim, const ir::Step& step);

}  // namespace ferry::engine
