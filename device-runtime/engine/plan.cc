#include "device-runtime/engine/plan.h"

#include "device-runtime/passes/fuse_maps.h"
#include "device-runtime/passes/lower.h"
#include "device-runtime/passes/memory_plan.h"

namespace ferry::engine {
namespace {

std::string TextOf(const Plan& plan) {
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

}  // namespace

Result<std::unique_ptr<Plan>> MakePlan(const ir::Graph& graph, const Model::State& model,
                                       const backends::CpuDevice& device,
                                       std::shared_ptr<tensor::MemoryBudget> budget) {
  auto plan = std::make_unique<Plan>();
  FERRY_ASSIGN_OR_RETURN(plan->program, passes::Lower(graph));
  passes::FuseMaps(plan->program);
  const ir::Program& program = plan->program;
  Preparer preparer(program, device, model);
  FERRY_TRY(preparer.Run());
  plan->steps = std::move(preparer.steps);

  std::vector<passes::Lifetime> lifetimes = passes::LifetimesOf(program);
  for (const Workspace& w : preparer.workspaces) lifetimes.push_back({w.bytes, w.step, w.step});
  const passes::MemoryPlan memory = passes::PlanMemory(lifetimes);
  FERRY_ASSIGN_OR_RETURN(plan->arena,
                         tensor::Buffer::Allocate(memory.arena_bytes, std::move(budget)));
  plan->addresses.assign(lifetimes.size(), plan->arena.data());
  for (size_t slot = 0; slot < lifetimes.size(); ++slot) {
    if (slot >= program.buffers.size()) {
      plan->addresses[slot] += memory.offsets[slot];
      continue;
    }
    const ir::BufferId root = program.Root(static_cast<ir::BufferId>(slot));
    const ir::BufferInfo& buffer = program.buffers[root];
    if (buffer.input >= 0) {
      plan->input_slots.emplace_back(static_cast<int>(slot), buffer.input);
    } else if (buffer.constant) {
      plan->addresses[slot] = const_cast<uint8_t*>(buffer.constant->raw());  // only read
    } else if (plan->arena.data() != nullptr) {
      plan->addresses[slot] += memory.offsets[static_cast<size_t>(root)];
    }
  }
  plan->info.arena_bytes = memory.arena_bytes;
  plan->info.unshared_bytes = memory.unshared_bytes;
  plan->info.steps = static_cast<int>(plan->steps.size());
  plan->info.text = TextOf(*plan);
  return plan;
}

Status RunPlan(Plan& plan, std::span<const Tensor* const> inputs, sys::Parallel& parallel,
               tensor::StringPool& strings) {
  for (const auto& [slot, input] : plan.input_slots) {
    plan.addresses[static_cast<size_t>(slot)] =
        const_cast<uint8_t*>(inputs[static_cast<size_t>(input)]->raw());  // only read
  }
  const RunContext context = {plan.addresses.data(), parallel, strings};
  for (const PreparedStep& step : plan.steps) FERRY_TRY(step.run(context));
  return OkStatus();
}

Tensor PlanOutput(const Plan& plan, size_t i) {
  const ir::BufferId id = plan.program.outputs[i];
  const ir::BufferInfo& buffer = plan.program.buffers[id];
  return Tensor::View(buffer.dtype, buffer.shape, plan.addresses[static_cast<size_t>(id)]);
}

}  // namespace ferry::engine
