// A fleet for tests: small, quick, and with everything that can go wrong.
#pragma once

#include "common/base/json.h"
#include "common/base/log.h"
#include "tools/fleetsim/fleetsim.h"

namespace ferry::fleetsim {

// Two releases: one that does well, and one that fails and goes back to it; an operator's act.
inline Options HarshOptions(int64_t devices, int64_t agents) {
  SetLogLevel(LogLevel::kOff);  // what goes wrong in the simulation is meant to
  Options options;
  options.faults = FaultLevel::kHarsh;
  Scenario& scenario = options.scenario;
  scenario = DefaultScenario();
  scenario.devices = devices;
  scenario.agents = agents;
  scenario.hours = 40;
  scenario.faults_end_hours = 16;
  for (Profile& profile : scenario.profiles) profile.poll_minutes = 30;
  ReleasePlan& first = scenario.releases.front();
  first.plan = {{"rule", "all"},
                {"stages",
                 {{{"kind", "gray"}, {"percent", 30}, {"min_healthy_ms", 60'000}},
                  {{"kind", "gray"}, {"percent", 60}, {"min_healthy_ms", 600'000}},
                  {{"kind", "full"}, {"min_healthy_ms", 60'000}}}}};
  first.acts = {{8 * kMinuteMs, Act::Kind::kPause}, {25 * kMinuteMs, Act::Kind::kResume}};
  first.fallback.clear();  // nothing leads below it
  ReleasePlan second = first;
  second.version = "3.0.0";
  second.fallback = "2.0.0";
  second.at_ms = 8 * kHourMs;
  second.acts.clear();
  scenario.faults["stolen_key"] = 0.01;  // its bugs show within a few seeds
  scenario.releases.push_back(second);
  scenario.truths.push_back({"3.0.0", "all", 0.6, 0.02, 60'000, 0});
  return options;
}

}  // namespace ferry::fleetsim
