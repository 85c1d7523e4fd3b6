#include "tools/fleetsim/shrink.h"

#include <functional>

#include "common/sys/clock.h"

namespace ferry::fleetsim {
namespace {

// Smaller ones, the boldest first.
std::vector<Scenario> SmallerThan(const Scenario& from) {
  std::vector<Scenario> out;
  const auto add = [&](const std::function<void(Scenario&)>& change) {
    change(out.emplace_back(from));
  };
  if (from.agents > 0) add([](Scenario& s) { s.agents = 0; });
  for (const int64_t part : {8, 2})
    if (from.devices / part > std::max<int64_t>(from.agents, 1))
      add([part](Scenario& s) { s.devices /= part; });
  for (size_t i = 0; i < from.releases.size() && from.releases.size() > 1; ++i)
    add([i](Scenario& s) { s.releases.erase(s.releases.begin() + static_cast<ptrdiff_t>(i)); });
  for (const auto& [name, rate] : from.faults)
    if (rate > 0) add([&name](Scenario& s) { s.faults[name] = 0; });
  for (size_t i = 0; i < from.truths.size(); ++i)
    add([i](Scenario& s) { s.truths.erase(s.truths.begin() + static_cast<ptrdiff_t>(i)); });
  for (size_t i = 0; i < from.releases.size(); ++i)
    if (!from.releases[i].acts.empty()) add([i](Scenario& s) { s.releases[i].acts.pop_back(); });
  if (from.profiles.size() > 1) add([](Scenario& s) { s.profiles.pop_back(); });
  return out;
}

}  // namespace

Scenario Shrink(const Options& options, const std::string& invariant, int64_t budget_ms) {
  sys::Clock& clock = sys::SystemClock();
  const int64_t end_ns = clock.MonotonicNs() + budget_ms * 1'000'000;
  Options smaller = options;
  smaller.progress = nullptr;
  smaller.stop_event.reset();
  for (const Fault* fault : AllFaults()) {
    const double usual = options.faults == FaultLevel::kHarsh      ? fault->harsh
                         : options.faults == FaultLevel::kStandard ? fault->standard
                                                                   : 0;
    smaller.scenario.faults.try_emplace(fault->name, usual);
  }
  smaller.faults = FaultLevel::kNone;
  smaller.scenario.expects.clear();
  Scenario best = smaller.scenario;
  const auto breaks = [&](const Scenario& scenario) {
    smaller.scenario = scenario;
    const Result<Outcome> outcome = Simulate(smaller);
    return outcome.ok() && !outcome->violations.empty() &&
           outcome->violations.front().invariant == invariant;
  };
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (const Scenario& candidate : SmallerThan(best)) {
      if (clock.MonotonicNs() >= end_ns || (options.stop && options.stop())) return best;
      if (!breaks(candidate)) continue;
      best = candidate;
      shrunk = true;
      break;
    }
  }
  return best;
}

}  // namespace ferry::fleetsim
