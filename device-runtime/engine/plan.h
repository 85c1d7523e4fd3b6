// A session's plan for one set of input shapes: program, prepared steps and arena.
#pragma once

#include <memory>

#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {

struct Plan {
  std::vector<Shape> input_shapes;
  ir::Program program;
  std::vector<PreparedStep> steps;
  tensor::Buffer arena;
  std::vector<uint8_t*> addresses;  // of buffers, then workspaces
  // Buffers that are (other names of) graph inputs: their address changes with each run.
  std::vector<std::pair<int, int>> input_slots;  // buffer, input
  Session::PlanInfo info;
};

// Specialises, lowers, prepares and places. Errors as Session::Resize.
Result<std::unique_ptr<Plan>> MakePlan(const Model::State& model, const backends::CpuDevice& device,
                                       std::span<const Shape> input_shapes,
                                       std::shared_ptr<tensor::MemoryBudget> budget);

}  // namespace ferry::engine
