#include <algorithm>

#include "device-runtime/passes/memory/memory_plan.h"

namespace ferry::passes {
namespace {

using ir::BufferId;

bool IsDense(int rank, const std::array<int64_t, tensor::kMaxRank>& size,
             const tensor::Strides& strides) {
  int64_t expected = 1;
  for (int axis = rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (size[a] != 1 && strides[a] != expected) return false;
    expected *= size[a];
  }
  return true;
}

// Whether the step reads each element of input `i` before it writes the output's element of that
// place, and no other later: what the kernels promise ("y may be x").
bool MayOverwrite(const ir::Step& step, size_t i) {
  if (step.outputs.size() != 1) return false;
  if (const auto* map = std::get_if<ir::MapPrim>(&step.primitive)) {
    return IsDense(map->rank, map->size, map->strides[i]);
  }
  if (i != 0) return false;
  return std::holds_alternative<ir::SoftmaxPrim>(step.primitive) ||
         std::holds_alternative<ir::NormPrim>(step.primitive);
}

}  // namespace

std::vector<BufferId> ShareInPlace(const ir::Program& program) {
  return ShareInPlace(PlacedProgram{program, {}});
}

std::vector<BufferId> ShareInPlace(const PlacedProgram& placed) {
  const ir::Program& program = placed.program;
  const size_t count = program.buffers.size();
  std::vector<BufferId> memory(count);
  for (size_t id = 0; id < count; ++id) memory[id] = placed.Memory(static_cast<BufferId>(id));
  std::vector<int> last(count, -1);  // the step that reads a memory last
  const int steps = static_cast<int>(program.steps.size());
  for (int i = 0; i < steps; ++i) {
    for (BufferId id : program.steps[static_cast<size_t>(i)].inputs) {
      if (id >= 0) last[static_cast<size_t>(memory[static_cast<size_t>(id)])] = i;
    }
  }
  for (BufferId id : program.outputs)
    last[static_cast<size_t>(memory[static_cast<size_t>(id)])] = steps;
  auto bytes = [&](BufferId id) {
    const ir::BufferInfo& buffer = program.buffers[static_cast<size_t>(id)];
    return buffer.shape.elements() * static_cast<int64_t>(tensor::DTypeSize(buffer.dtype));
  };
  std::vector<BufferId> place = memory;  // of roots
  for (int i = 0; i < steps; ++i) {
    const ir::Step& step = program.steps[static_cast<size_t>(i)];
    for (size_t k = 0; k < step.inputs.size(); ++k) {
      if (step.inputs[k] < 0 || step.outputs.empty()) continue;
      const BufferId x = memory[static_cast<size_t>(step.inputs[k])];
      const BufferId y = step.outputs[0];
      const ir::BufferInfo& source = program.buffers[static_cast<size_t>(x)];
      const auto reads = std::ranges::count_if(step.inputs, [&](BufferId id) {
        return id >= 0 && memory[static_cast<size_t>(id)] == x;
      });
      if (placed.SliceOf(step.inputs[k]) || placed.SliceOf(y)) continue;
      if (source.constant || source.input >= 0 || last[static_cast<size_t>(x)] != i || reads != 1 ||
          source.dtype != program.buffers[static_cast<size_t>(y)].dtype || bytes(x) != bytes(y) ||
          !MayOverwrite(step, k)) {
        continue;
      }
      place[static_cast<size_t>(y)] = place[static_cast<size_t>(x)];
      break;
    }
  }
  for (size_t id = 0; id < count; ++id) memory[id] = place[static_cast<size_t>(memory[id])];
  return memory;
}

}  // namespace ferry::passes
