// A fleet and its server in one process, in virtual time, on one seed. Entry of the room: Simulate.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/scenario/scenario.h"

namespace ferry::fleetsim {

struct Options {
  Scenario scenario;
  uint64_t seed = 1;
  FaultLevel faults = FaultLevel::kStandard;
  int threads = 1;                     // the trace does not depend on it
  std::optional<uint64_t> stop_event;  // ends behind this event and tells of its device
  std::set<std::string> plants;        // bugs to put in (plants/), for tests of the simulator
  std::function<bool()> stop;  // asked now and then; true: ends with what there is. May be empty
  // Called now and then with how far it is; may be empty.
  struct Progress {
    int64_t virtual_ms = 0;
    uint64_t events = 0;
    int64_t offered = 0, confirmed = 0;  // of the newest release
  };
  std::function<void(const Progress&)> progress;
};

struct Violation {
  std::string invariant;
  uint64_t event = 0;  // number of the event that broke it
  int64_t virtual_ms = 0;
  std::string text;
};

// Devices at one moment, of one release.
struct CurvePoint {
  int64_t virtual_ms = 0;
  int64_t offered = 0, pulled = 0, confirmed = 0, failed = 0, silent = 0, back = 0;
};

struct ReleaseOutcome {
  std::string id, version, state;
  std::string stop_reason;
  std::vector<std::string> stopped_slices;
  int64_t offered = 0, pulled = 0, confirmed = 0, failed = 0, silent = 0, back = 0;
  int64_t reachable_back = 0;  // of those that were to go back and were heard of since, who did
  int64_t told_back = 0;
  int64_t stopped_after = -1;  // devices that had been offered it when it stopped; -1: it did not
  int64_t started_ms = 0, decided_ms = -1;
  // By "all", "control", and the slices that gates look at.
  std::map<std::string, std::vector<CurvePoint>> curve;
};

struct Outcome {
  std::string scenario;
  int64_t devices = 0, agents = 0;
  uint64_t seed = 0;
  std::string trace_sha256;
  int64_t virtual_ms = 0, wall_ms = 0, max_rss_bytes = 0;
  uint64_t events = 0;
  std::map<std::string, int64_t> faults;  // how often each struck
  std::vector<ReleaseOutcome> releases;
  int64_t reports = 0;       // stored
  int64_t bytes_served = 0;  // of content
  int64_t polls = 0;
  int64_t checked = 0;  // invariants, each time
  std::vector<Violation> violations;
  std::vector<std::string> unmet;  // what the scenario expected and did not come
  bool interrupted = false;
  std::string replayed;  // of stop_event: the device and what happened last
  std::string shrunk;    // a scenario that shows the violation: of who called shrink.h
};

// Errors are of the simulation itself (a package that cannot be published): what goes wrong in the
// fleet is in the outcome.
Result<Outcome> Simulate(const Options& options);

// ---- output/
Json OutcomeToJson(const Outcome& outcome);
std::string OutcomeToText(const Outcome& outcome);
// The curve of the last release as a picture.
std::string OutcomeToSvg(const Outcome& outcome);

}  // namespace ferry::fleetsim
