// One simulation of a release: its version on every kind of machine that the fleet has, and beside
// the version that devices run.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/core/apply.h"
#include "cloud-server/rollout/simulator.h"
#include "cloud-server/rollout/trial/fleet.h"
#include "common/sys/clock.h"

namespace ferry::server {

// One for all runs of a simulation; a run begins while its whole time limit is left.
inline constexpr int64_t kSimulationBudgetMs = 5 * kSimulationTimeoutMs;

struct Trial {
  std::string package;
  std::string version;
  std::string running;  // the version that devices run; empty: there is nothing to compare with
  std::vector<MachineDevices> machines;  // the most devices first; empty: the server's own
  stage::Stage stage;                    // what it asks of the comparison
};

// Passes when the cases pass on each machine that can be tried here, on one at least (the server's
// own where there is no other), and the comparison gives what the stage asks for. Machines beyond
// kMaxSimulatedProfiles or the budget are listed as skipped. A run that could not be made fails it:
// what was not seen to work is not released. numbers_json: the report of the run that decides, with
// {"profiles":[{"profile","devices","cases","failed","ms","peak_bytes"} or {"profile","devices",
// "not_here":isa} or {..,"skipped":true}],"compared_with"?:version} and Comparison::numbers.
// Blocks as Simulator::Run; any thread.
command::SimulationResult RunTrial(Simulator& simulator, const sys::Clock& clock,
                                   const Trial& trial);

}  // namespace ferry::server
