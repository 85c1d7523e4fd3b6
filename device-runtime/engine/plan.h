// A plan for one set of input shapes: program, prepared steps and arena.
#pragma once

#include <memory>

#include "device-runtime/engine/explain/step_times.h"
#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {

struct Plan {
  ir::Program program;
  std::vector<PreparedStep> steps;
  tensor::Buffer arena;
  std::vector<PackedCache::Block> aligned;  // copies of constants that are read in each run
  std::vector<uint8_t*> addresses;          // of buffers, then workspaces
  // Buffers that are (other names of) graph inputs: their address changes with each run.
  std::vector<std::pair<int, int>> input_slots;  // buffer, input
  // How outputs come to lie in the caller's memory: the slots that move there, each with its place
  // in the output; no slots where the output is another name of something else.
  struct OutputSlots {
    std::vector<std::pair<int, int64_t>> slots;  // slot, bytes from the start of the output
    uint8_t* own = nullptr;                      // where it lies unless told
  };
  std::vector<OutputSlots> output_slots;  // one an output
  Session::PlanInfo info;
  std::unique_ptr<StepTimes> times;           // null: steps are not timed
  const std::atomic<bool>* cancel = nullptr;  // as SessionOptions
};

// Lowers, prepares and places a graph of fixed types (passes::Specialize or SpecializePart). Errors
// as Session::Resize.
Result<std::unique_ptr<Plan>> MakePlan(const ir::Graph& graph, const Model::State& model,
                                       const backends::CpuDevice& device,
                                       std::shared_ptr<tensor::MemoryBudget> budget,
                                       const PlanSettings& settings);

// The same from a program.
Result<std::unique_ptr<Plan>> MakePlan(ir::Program program, const Model::State& model,
                                       const backends::CpuDevice& device,
                                       std::shared_ptr<tensor::MemoryBudget> budget,
                                       const PlanSettings& settings);

// Makes the coming runs write output `i` to `data`, which holds all of it; null: to the plan's own
// memory. False where only a copy can bring it there.
bool BindOutput(Plan& plan, size_t i, void* data);
// Runs a plan on its inputs' addresses, in the order of the graph's inputs (a null one is not
// read).
Status RunPlan(Plan& plan, std::span<const Tensor* const> inputs, sys::Parallel& parallel,
               tensor::StringPool& strings);
// One report a step, appended.
void ExplainPlan(const Plan& plan, const backends::CpuDevice& device,
                 std::vector<StepReport>& reports);
// Output `i` where the run left it; valid until the plan runs again.
Tensor PlanOutput(const Plan& plan, size_t i);

}  // namespace ferry::engine
