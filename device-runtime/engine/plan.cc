#include "device-runtime/engine/plan.h"

#include <algorithm>

#include "common/sys/clock.h"
#include "device-runtime/engine/explain/work.h"
#include "device-runtime/engine/split/parts.h"
#include "device-runtime/passes/lower.h"
#include "device-runtime/passes/memory/memory_plan.h"
#include "device-runtime/passes/memory/row_gathers.h"
#include "device-runtime/passes/program_pass.h"

namespace ferry::engine {
namespace {

// Bytes from the start of its memory to that of a buffer.
int64_t OffsetIn(const passes::PlacedProgram& placed, ir::BufferId id) {
  const ir::BufferInfo& root = placed.program.buffers[placed.program.Root(id)];
  return placed.SliceOf(id).offset * static_cast<int64_t>(tensor::DTypeSize(root.dtype));
}

Status CheckGoesOn(const Plan& plan) {
  if (plan.cancel == nullptr || !plan.cancel->load(std::memory_order_relaxed)) return OkStatus();
  return Status(Code::kCancelled, "the run was cancelled");
}

// An output can lie elsewhere when the memory that it takes in the arena is all its own.
void FindOutputSlots(Plan& plan, const passes::PlacedProgram& placed,
                     std::span<const ir::BufferId> places,
                     std::span<const passes::Lifetime> lifetimes,
                     const passes::MemoryPlan& memory_plan) {
  const ir::Program& program = placed.program;
  plan.output_slots.resize(program.outputs.size());
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const ir::BufferId id = program.outputs[i];
    const ir::BufferId root = places[static_cast<size_t>(id)];
    const ir::BufferInfo& buffer = program.buffers[id];
    const int64_t bytes =
        buffer.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(buffer.dtype));
    const ir::BufferInfo& memory = program.buffers[root];
    if (memory.input >= 0 || memory.constant || buffer.dtype == DType::kString) continue;
    if (OffsetIn(placed, id) != 0 || lifetimes[static_cast<size_t>(root)].bytes > bytes) continue;
    const bool is_shared = std::ranges::any_of(program.outputs, [&](ir::BufferId other) {
      return other != id && places[static_cast<size_t>(other)] == root;
    });
    if (is_shared || std::ranges::count(program.outputs, id) > 1) continue;
    plan.output_slots[i].own = memory_plan.offsets[static_cast<size_t>(root)];
    for (size_t slot = 0; slot < program.buffers.size(); ++slot) {
      if (places[slot] != root) continue;
      plan.output_slots[i].slots.emplace_back(static_cast<int>(slot),
                                              OffsetIn(placed, static_cast<ir::BufferId>(slot)));
    }
  }
}

// What each slot is: memory of an input, a constant's, or a place in the arena.
void PlaceSlots(Plan& plan, const passes::PlacedProgram& placed,
                std::span<const ir::BufferId> places, const passes::MemoryPlan& memory,
                size_t slots) {
  const ir::Program& program = placed.program;
  plan.addresses.assign(slots, nullptr);
  for (size_t slot = 0; slot < slots; ++slot) {
    if (slot >= program.buffers.size()) {
      plan.arena_slots.emplace_back(static_cast<int>(slot), memory.offsets[slot]);
      continue;
    }
    const ir::BufferId root = places[slot];
    const ir::BufferInfo& buffer = program.buffers[root];
    if (buffer.input >= 0) {
      plan.input_slots.emplace_back(static_cast<int>(slot), buffer.input);
    } else if (buffer.constant) {
      plan.addresses[slot] = const_cast<uint8_t*>(buffer.constant->raw());  // only read
    } else {
      const int64_t inside = OffsetIn(placed, static_cast<ir::BufferId>(slot));
      plan.arena_slots.emplace_back(static_cast<int>(slot),
                                    memory.offsets[static_cast<size_t>(root)] + inside);
    }
  }
}

// No order: as they stand.
std::vector<ir::Step> Ordered(std::vector<ir::Step> steps, std::span<const int> order) {
  if (order.empty()) return steps;
  std::vector<ir::Step> out;
  for (const int step : order) out.push_back(std::move(steps[static_cast<size_t>(step)]));
  return out;
}

std::vector<int> Inverse(std::span<const int> order) {
  std::vector<int> out(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    out[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return out;
}

// Memory of which the host sees nothing takes no room there.
void LeaveOut(const ir::Program& program, std::span<const ir::BufferId> places,
              const std::vector<bool>& only_there, std::span<passes::Lifetime> lifetimes) {
  std::vector<bool> is_seen(places.size(), false);
  for (size_t id = 0; id < places.size(); ++id) {
    const ir::BufferId root = program.Root(static_cast<ir::BufferId>(id));
    if (!only_there[static_cast<size_t>(root)]) is_seen[static_cast<size_t>(places[id])] = true;
  }
  for (size_t id = 0; id < places.size(); ++id) {
    if (!is_seen[id]) lifetimes[id].bytes = 0;
  }
}

int64_t KeptBytes(const Plan& plan, const Model::State& model) {
  constexpr size_t kClosureBytes = 1024;  // about what a step's function holds
  size_t bytes = plan.program.buffers.size() * (sizeof(ir::BufferInfo) + sizeof(uint8_t*)) +
                 plan.steps.size() * (sizeof(ir::Step) + sizeof(PreparedStep) + kClosureBytes);
  for (const ir::BufferInfo& buffer : plan.program.buffers) {
    if (!buffer.constant || !model.ConstantAt(buffer.constant->raw()).empty()) continue;
    bytes += static_cast<size_t>(buffer.constant->size_bytes());
  }
  return static_cast<int64_t>(bytes);
}

// Whether there is so little to do that threads would only cost. Steps whose kernel was chosen are
// products of some kind, which reach four times the arithmetic that PlainCost counts on; what a
// sort or a transform takes is not known.
bool RunsAlone(const ir::Program& program, const Plan& plan, const backends::CpuDevice& device) {
  double us = 0;
  for (size_t i = 0; i < program.steps.size() && us < kAlonePlanUs; ++i) {
    const Work work = WorkOf(program, program.steps[i]);
    if (!work.is_counted) return false;
    const double flops = plan.steps[i].predicted_us > 0 ? work.flops / 4 : work.flops;
    us += device.PlainCost(ir::PrimitiveName(program.steps[i].primitive), flops, work.bytes);
  }
  return us < kAlonePlanUs;
}

Status RunTimed(Plan& plan, const RunContext& context) {
  sys::Clock& clock = sys::SystemClock();
  int64_t start = clock.MonotonicNs();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    FERRY_TRY(CheckGoesOn(plan));
    FERRY_TRY(plan.steps[i].run(context));
    const int64_t end = clock.MonotonicNs();
    plan.times->Add(i, end - start);
    start = end;
  }
  plan.times->EndRun();
  return OkStatus();
}

Status RunSteps(Plan& plan, const RunContext& context) {
  if (plan.times != nullptr) return RunTimed(plan, context);
  for (const PreparedStep& step : plan.steps) {
    FERRY_TRY(CheckGoesOn(plan));
    FERRY_TRY(step.run(context));
  }
  return OkStatus();
}

}  // namespace

Result<std::unique_ptr<Plan>> MakePlan(const ir::Graph& graph, const Model::State& model,
                                       const backends::CpuDevice& device,
                                       std::shared_ptr<Arena> arena, const PlanSettings& settings) {
  FERRY_ASSIGN_OR_RETURN(
      ir::Program program, passes::Lower(graph, [&](const ir::Program& made, const ir::Step& step) {
        const Work work = WorkOf(made, step);
        return device.PlainCost(ir::PrimitiveName(step.primitive), work.flops, work.bytes);
      }));
  for (const passes::ProgramPass& pass : passes::ProgramPasses()) pass.run(program);
  FERRY_TRY(ir::Verify(program));
  return MakePlan(std::move(program), model, device, std::move(arena), settings);
}

Result<std::unique_ptr<Plan>> MakePlan(ir::Program lowered, const Model::State& model,
                                       const backends::CpuDevice& device,
                                       std::shared_ptr<Arena> arena, const PlanSettings& settings) {
  auto plan = std::make_unique<Plan>();
  // Other backends see whole buffers only; one that takes nothing changes nothing.
  const Placement placement = PlacementFor(lowered, device, settings);
  lowered.steps = Ordered(std::move(lowered.steps), placement.order);
  ForeignParts parts = PrepareParts(lowered, placement, model, settings);
  const bool is_whole = parts.any;
  if (!is_whole) lowered.steps = Ordered(std::move(lowered.steps), Inverse(placement.order));
  passes::PlacedProgram placed =
      is_whole ? passes::PlacedProgram{std::move(lowered), {}}
               : passes::PlaceSlices(std::move(lowered), device.description().l2_bytes);
  if (!is_whole) passes::ReadRowsInPlace(placed);
  const ir::Program& program = placed.program;
  plan->info.fallbacks = std::move(parts.fallbacks);
  plan->kept_bytes = parts.device_bytes;
  const std::vector<bool> only_there = std::move(parts.only_there);
  Preparer preparer(placed, device, model, settings);
  FERRY_TRY(preparer.Run(std::move(parts)));
  plan->steps = std::move(preparer.steps);

  const std::vector<ir::BufferId> places = passes::ShareInPlace(placed);
  std::vector<passes::Lifetime> lifetimes = passes::LifetimesOf(program, places);
  if (is_whole) LeaveOut(program, places, only_there, lifetimes);
  for (const Workspace& w : preparer.workspaces) lifetimes.push_back({w.bytes, w.step, w.step});
  const passes::MemoryPlan memory = passes::PlanMemory(lifetimes);
  plan->arena = std::move(arena);
  plan->info.arena_bytes = memory.arena_bytes;
  plan->info.unshared_bytes = memory.unshared_bytes;
  PlaceSlots(*plan, placed, places, memory, lifetimes.size());
  FERRY_TRY(MoveToArena(*plan));
  FERRY_ASSIGN_OR_RETURN(auto aligned, preparer.AlignedConstants());
  for (auto& [id, block] : aligned) {
    plan->addresses[static_cast<size_t>(id)] = block->data();
    plan->aligned.push_back(std::move(block));
  }
  FindOutputSlots(*plan, placed, places, lifetimes, memory);
  plan->cancel = settings.cancel;
  plan->is_alone = settings.parallel->width() > 1 && RunsAlone(program, *plan, device);
  plan->program = std::move(placed.program);
  plan->info.steps = static_cast<int>(plan->steps.size());
  plan->kept_bytes += preparer.own_bytes() + KeptBytes(*plan, model);
  if (settings.time_steps) plan->times = std::make_unique<StepTimes>(plan->steps.size());
  return plan;
}

Status MoveToArena(Plan& plan) {
  FERRY_TRY(plan.arena->Hold(plan.info.arena_bytes));
  uint8_t* const base = plan.arena->data();
  if (base == nullptr || base == plan.base) return OkStatus();
  plan.base = base;
  plan.is_bound = false;
  for (const auto& [slot, offset] : plan.arena_slots) {
    plan.addresses[static_cast<size_t>(slot)] = base + offset;
  }
  return OkStatus();
}

bool BindOutput(Plan& plan, size_t i, void* data) {
  const Plan::OutputSlots& output = plan.output_slots[i];
  if (output.slots.empty()) return data == nullptr;
  uint8_t* to = data != nullptr ? static_cast<uint8_t*>(data) : plan.base + output.own;
  for (const auto& [slot, inside] : output.slots)
    plan.addresses[static_cast<size_t>(slot)] = to + inside;
  return true;
}

Status RunPlan(Plan& plan, std::span<const Tensor* const> inputs, sys::Parallel& parallel,
               tensor::StringPool& strings) {
  for (const auto& [slot, input] : plan.input_slots) {
    plan.addresses[static_cast<size_t>(slot)] =
        const_cast<uint8_t*>(inputs[static_cast<size_t>(input)]->raw());  // only read
  }
  if (plan.is_alone || parallel.width() == 1 || plan.trial.is_over()) {
    return RunSteps(
        plan, {plan.addresses.data(), plan.is_alone ? sys::SerialParallel() : parallel, strings});
  }
  const int64_t start = sys::SystemClock().MonotonicNs();
  FERRY_TRY(RunSteps(plan, {plan.addresses.data(),
                            plan.trial.is_alone() ? sys::SerialParallel() : parallel, strings}));
  plan.trial.Add(sys::SystemClock().MonotonicNs() - start);
  return OkStatus();
}

void ExplainPlan(const Plan& plan, const backends::CpuDevice& device,
                 std::vector<StepReport>& reports) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PreparedStep& prepared = plan.steps[i];
    const ir::Step& step = plan.program.steps[i];
    Work work = WorkOf(plan.program, step);
    StepReport report;
    report.node = step.node;
    report.primitive = ir::PrimitiveName(step.primitive);
    const ir::BufferId read = step.inputs.empty() ? -1 : step.inputs[0];
    const ir::BufferId typed = read >= 0 ? read : step.outputs[0];
    report.dtype = tensor::DTypeName(plan.program.buffers[static_cast<size_t>(typed)].dtype);
    report.sizes = std::move(work.sizes);
    report.choice = prepared.how;
    report.backend = prepared.backend != nullptr ? prepared.backend : device.name();
    report.flops = work.flops;
    report.bytes = work.bytes;
    report.predicted_us = prepared.predicted_us > 0
                              ? prepared.predicted_us
                              : device.PlainCost(report.primitive, work.flops, work.bytes);
    report.tuned_us = prepared.tuned_us;
    report.rank = prepared.rank;
    report.rejected = prepared.rejected;
    report.fallback = prepared.fallback;
    if (plan.times != nullptr) {
      report.runs = plan.times->runs();
      report.measured_us = plan.times->MedianUs(i);
    }
    reports.push_back(std::move(report));
  }
}

Tensor PlanOutput(const Plan& plan, size_t i) {
  const ir::BufferId id = plan.program.outputs[i];
  const ir::BufferInfo& buffer = plan.program.buffers[id];
  return Tensor::View(buffer.dtype, buffer.shape, plan.addresses[static_cast<size_t>(id)]);
}

std::string PlanText(const Plan& plan) {
  std::string text = ir::Print(plan.program);
  std::string out;
  size_t begin = 0;
  for (const PreparedStep& step : plan.steps) {
    const size_t end = text.find('\n', begin);
    out += text.substr(begin, end - begin);
    if (!step.how.empty()) out += " [" + step.how + "]";
    out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace ferry::engine
