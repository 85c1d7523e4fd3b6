// Releases of simulated fleets through the gates: how often they are stopped, and after how many
// devices. The gates are asked as a server asks them; devices, delays and failures are random.
// Pure: the same scenario gives the same result everywhere.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/gate/gate.h"

namespace ferry::gate {

struct SimulatedStage {
  std::string name;
  double percent = 100;  // of the fleet, taken by this stage and those before it
  int64_t min_healthy_ms = 0;
  int64_t report_timeout_ms = 0;
  int64_t min_reports = 0;
  double control_percent = 0;  // of the stage's devices, held back
};

// A part of the fleet. Slices of one kind ("os" of "os=ios") exclude each other.
struct SimulatedSlice {
  std::string name;
  double share = 0;            // of the fleet
  std::optional<double> rate;  // of its treated devices that fail; else the scenario's
};

enum class Spread { kFixed, kUniform, kExponential };

struct Scenario {
  double rate = 0.005;      // of treated devices that fail
  double control_rate = 0;  // of devices held back
  double silent = 0;        // of failures: how many say nothing instead
  int64_t devices = 20'000;
  int64_t runs = 400;
  int64_t fail_after_ms = 5'000;  // from the offer to the report, in the mean
  int64_t succeed_after_ms = 60'000;
  Spread spread = Spread::kFixed;  // of both delays; uniform: from half to one and a half
  int64_t arrive_ms = 1'000;       // between two devices of the fleet that ask, in the mean
  int64_t look_ms = 10'000;        // the gates are asked so often, and at every failure
  uint64_t seed = 1;
  std::vector<SimulatedStage> stages;  // empty: one that takes all, with windows past the delays
  std::vector<SimulatedSlice> slices;
  Settings settings;
};

inline constexpr int64_t kMaxSimulatedDevices = 1'000'000;
inline constexpr int64_t kMaxSimulatedRuns = 100'000;
inline constexpr int64_t kMaxSimulatedMs = 24 * int64_t{3'600'000};  // any delay or gap
inline constexpr size_t kMaxSimulatedSlices = 64;

struct SimulatedRun {
  bool stopped = false;
  bool complete = false;  // passed every stage, before a stop if there was one
  std::string gate;       // that stopped it
  int64_t devices = 0;    // that had been offered the release at the stop, or at the end
  int64_t ms = 0;         // how long it took
  std::vector<std::string> stopped_slices;
};

struct SimulationResult {
  int64_t runs = 0;
  int64_t stopped = 0;
  int64_t complete = 0;  // and not stopped
  int64_t open = 0;      // neither: some stage never passed
  // Of stopped runs; 0 when there are none.
  int64_t median_devices = 0;
  int64_t p90_devices = 0;
  int64_t median_ms = 0;
  std::map<std::string, int64_t> stopped_by;      // gate -> runs
  std::map<std::string, int64_t> stopped_slices;  // slice -> runs in which it was stopped alone
};

// ---- simulation/simulate.cc
// kInvalidArgument names the member that is out of range; kLimitExceeded past a limit.
Status CheckScenario(const Scenario& scenario);
// The stages that are simulated: the scenario's, or the one that stands for none.
std::vector<SimulatedStage> StagesOf(const Scenario& scenario);
// The scenario is checked. Time O(runs * devices * log devices).
SimulationResult Simulate(const Scenario& scenario);

// ---- simulation/run.cc
// One release, the k-th of the scenario.
SimulatedRun SimulateRun(const Scenario& scenario, int64_t k);

}  // namespace ferry::gate
