// The parts of a plan that run on backends.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device-runtime/engine/prepare/prepare.h"
#include "device-runtime/engine/split/placement.h"

namespace ferry::engine {

// What became of a placement. Of a part the first step runs all of it and the others do nothing.
struct ForeignParts {
  std::vector<PreparedStep> steps;  // one a step; `backend` is null where the CPU runs it
  bool any = false;                 // some part is a backend's
  std::vector<bool> only_there;     // by root buffer: the host never sees it
  int64_t device_bytes = 0;         // of what goes in, out, and from part to part
  // Steps that a backend was to take and the CPU runs: a line a part, and by first output.
  std::vector<std::string> fallbacks;
  std::map<ir::BufferId, std::string> reasons;
};

// Which steps other backends take; none where there are no backends.
Placement PlacementFor(const ir::Program& program, const backends::CpuDevice& device,
                       const PlanSettings& settings);
// Prepares the parts of a placement in whose order the program stands. Parts of one device hand
// over buffers there. What cannot be prepared is the CPU's.
ForeignParts PrepareParts(const ir::Program& program, const Placement& placement,
                          const Model::State& model, const PlanSettings& settings);

}  // namespace ferry::engine
