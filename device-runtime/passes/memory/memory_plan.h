// Where each activation lies in one arena: two that are alive at the same time never overlap,
// others share. Greedy by size after Pisarchyk and Lee, "Efficient Memory Management for Deep
// Neural Net Inference" (arXiv 2001.03288).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device-runtime/ir/program.h"
#include "device-runtime/passes/memory/slices.h"

namespace ferry::passes {

inline constexpr int64_t kArenaAlignment = 64;

// A piece of memory used by steps [first, last].
struct Lifetime {
  int64_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // one per lifetime; multiples of kArenaAlignment
  int64_t arena_bytes = 0;
  int64_t unshared_bytes = 0;  // the sum of all
};
MemoryPlan PlanMemory(std::span<const Lifetime> lifetimes);

// For each buffer the one whose memory it takes: its own root, or the one that it is a slice of,
// or, where an element-wise step reads its input for the last time, that input's, which the step
// then writes over. Inputs of the program and constants are never written.
std::vector<ir::BufferId> ShareInPlace(const PlacedProgram& placed);
std::vector<ir::BufferId> ShareInPlace(const ir::Program& program);

// The lifetimes of a program's memory, by buffer id; 0 bytes for those that have none of their own
// (inputs, constants, aliases, what shares). Outputs live to the end. `memory` from ShareInPlace.
std::vector<Lifetime> LifetimesOf(const ir::Program& program, std::span<const ir::BufferId> memory);

}  // namespace ferry::passes
