// Which backend runs which steps of a program. The aim is Walle's (OSDI 2022): the cheapest
// backend, and the CPU for what it lacks.
#pragma once

#include <span>
#include <vector>

#include "device-runtime/backend/backend.h"

namespace ferry::engine {

using backends::Backend;
using backends::BackendPart;

// Longer programs run on the CPU: looking at all parts of one takes the square of its steps.
inline constexpr size_t kMaxPartitionedSteps = 4096;

// Steps [begin, end) on one backend.
struct BackendSpan {
  size_t begin = 0, end = 0;
  const Backend* backend = nullptr;
};

struct Partition {
  std::vector<BackendSpan> spans;  // in order; all other steps run on the CPU
  double cost_us = 0;              // of all steps, with copies
};

// The cheapest of all ways to give runs of neighbouring steps to backends, exact for the costs
// given: steps, copies of what enters and leaves each part, and what surrounds a part. `cpu_us` has
// the CPU's cost of each step.
Partition CheapestPartition(const ir::Program& program, std::span<const double> cpu_us,
                            std::span<const Backend* const> backends);

// A span as a program of its own.
struct ExtractedPart {
  ir::Program program;
  std::vector<ir::BufferId> inputs, outputs;  // buffers of the whole program, roots
};
ExtractedPart Extract(const ir::Program& program, const BackendSpan& span);

}  // namespace ferry::engine
