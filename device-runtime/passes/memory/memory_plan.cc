#include "device-runtime/passes/memory/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace ferry::passes {
namespace {

int64_t Aligned(int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

}  // namespace

MemoryPlan PlanMemory(std::span<const Lifetime> lifetimes) {
  MemoryPlan plan;
  plan.offsets.assign(lifetimes.size(), 0);
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<size_t> placed;  // ascending by offset
  for (size_t id : order) {
    const Lifetime& life = lifetimes[id];
    if (life.bytes == 0) continue;
    const int64_t bytes = Aligned(life.bytes);
    plan.unshared_bytes += bytes;
    // The smallest gap that fits, else behind the last that is alive at the same time.
    int64_t best = -1;
    int64_t best_gap = 0;
    int64_t end = 0;
    for (size_t other : placed) {
      const Lifetime& o = lifetimes[other];
      if (o.first > life.last || o.last < life.first) continue;
      const int64_t gap = plan.offsets[other] - end;
      if (gap >= bytes && (best < 0 || gap < best_gap)) {
        best = end;
        best_gap = gap;
      }
      end = std::max(end, plan.offsets[other] + Aligned(o.bytes));
    }
    plan.offsets[id] = best >= 0 ? best : end;
    plan.arena_bytes = std::max(plan.arena_bytes, plan.offsets[id] + bytes);
    auto at = std::ranges::upper_bound(placed, plan.offsets[id], {},
                                       [&](size_t p) { return plan.offsets[p]; });
    placed.insert(at, id);
  }
  return plan;
}

std::vector<Lifetime> LifetimesOf(const ir::Program& program,
                                  std::span<const ir::BufferId> memory) {
  std::vector<Lifetime> lifetimes(program.buffers.size());
  auto use = [&](ir::BufferId id, int step, bool writes) {
    if (id < 0) return;
    const ir::BufferId place = memory[static_cast<size_t>(id)];
    const ir::BufferInfo& buffer = program.buffers[place];
    if (buffer.constant || buffer.input >= 0) return;
    Lifetime& life = lifetimes[place];
    if (writes && life.bytes == 0) {
      life.bytes = std::max<int64_t>(
          1, buffer.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(buffer.dtype)));
      life.first = step;
    }
    life.last = std::max(life.last, step);
  };
  const int steps = static_cast<int>(program.steps.size());
  for (int i = 0; i < steps; ++i) {
    for (ir::BufferId id : program.steps[i].outputs) use(id, i, true);
    for (ir::BufferId id : program.steps[i].inputs) use(id, i, false);
  }
  for (ir::BufferId id : program.outputs) use(id, steps, false);
  return lifetimes;
}

}  // namespace ferry::passes
