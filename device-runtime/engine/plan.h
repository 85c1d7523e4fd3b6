// A plan for one set of input shapes: program, prepared steps and arena.
#pragma once

#include <memory>

#include "device-runtime/engine/explain/step_times.h"
#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/run/arena.h"
#include "device-runtime/engine/run/thread_trial.h"

namespace ferry::engine {

struct Plan {
  ir::Program program;
  std::vector<PreparedStep> steps;
  std::shared_ptr<Arena> arena;  // its own, or one with others of which one runs at a time
  uint8_t* base = nullptr;       // of the arena when the addresses were made
  std::vector<std::pair<int, int64_t>> arena_slots;  // what lies there: slot, bytes from its start
  std::vector<PackedCache::Block> aligned;  // copies of constants that are read in each run
  std::vector<uint8_t*> addresses;          // of buffers, then workspaces
  // Buffers that are (other names of) graph inputs: their address changes with each run.
  std::vector<std::pair<int, int>> input_slots;  // buffer, input
  // How outputs come to lie in the caller's memory: the slots that move there, each with its place
  // in the output; no slots where the output is another name of something else.
  struct OutputSlots {
    std::vector<std::pair<int, int64_t>> slots;  // slot, bytes from the start of the output
    int64_t own = 0;                             // where in the arena it lies unless told
  };
  std::vector<OutputSlots> output_slots;  // one an output
  bool is_bound = false;                  // some output lies elsewhere
  bool is_alone = false;                  // runs on the calling thread, whatever pool there is
  ThreadTrial trial;                      // for others: whether threads pay
  Session::PlanInfo info;                 // without its text
  int64_t kept_bytes = 0;  // about what it takes beside the arena and the model's packed weights
  std::unique_ptr<StepTimes> times;           // null: steps are not timed
  const std::atomic<bool>* cancel = nullptr;  // as SessionOptions
};

// What is kept of a session's plans for other shapes beside the latest, the least recently used
// going first: so many for one place of a graph, and of all places so many bytes (by kept_bytes;
// activations apart, whose memory the plans of a place share).
inline constexpr size_t kMaxPlansPerPlace = 128;
inline constexpr int64_t kMaxKeptPlanBytes = 32 << 20;

// Plans of less work than this, on one thread by the cost model (backends/cpu/device.h), run on the
// calling thread: each step that is split costs 1 to 6 us, and sleeping threads 10 to 50 us more.
inline constexpr double kAlonePlanUs = 50;

// Lowers, prepares and places a graph of fixed types (passes::Specialize or SpecializePart) in
// `arena`, which may grow for it; other plans there are moved before they run again. Errors as
// Session::Resize.
Result<std::unique_ptr<Plan>> MakePlan(const ir::Graph& graph, const Model::State& model,
                                       const backends::CpuDevice& device,
                                       std::shared_ptr<Arena> arena, const PlanSettings& settings);

// The same from a program.
Result<std::unique_ptr<Plan>> MakePlan(ir::Program program, const Model::State& model,
                                       const backends::CpuDevice& device,
                                       std::shared_ptr<Arena> arena, const PlanSettings& settings);

// Makes room in the plan's arena and brings the plan there: before it runs wherever another plan of
// the arena was moved or ran in between. Outputs lie in the arena again if it moved. kOutOfMemory.
Status MoveToArena(Plan& plan);
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
// One line a step, for people.
std::string PlanText(const Plan& plan);

}  // namespace ferry::engine
