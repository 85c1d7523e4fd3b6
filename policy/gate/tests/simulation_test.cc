#include "policy/gate/simulation/simulate.h"

#include <gtest/gtest.h>

namespace ferry::gate {
namespace {

// 5 s to fail, 60 s to succeed: the delays in which counting reports stopped 79 of 100 good
// releases.
Scenario Delayed(double rate, int64_t runs, int64_t devices) {
  Scenario scenario;
  scenario.rate = rate;
  scenario.runs = runs;
  scenario.devices = devices;
  return scenario;
}

TEST(Simulation, QuickFailuresDoNotStopAGoodRelease) {
  Scenario scenario = Delayed(0.005, 60, 2000);
  for (const int64_t arrive_ms : {0, 100, 1000}) {
    scenario.arrive_ms = arrive_ms;
    const SimulationResult result = Simulate(scenario);
    EXPECT_EQ(result.stopped, 0) << arrive_ms;
    EXPECT_EQ(result.complete, 60) << arrive_ms;
  }
}

TEST(Simulation, ABadReleaseIsStoppedSoon) {
  const SimulationResult result = Simulate(Delayed(0.05, 100, 5000));
  EXPECT_EQ(result.stopped, 100);
  EXPECT_LT(result.median_devices, 250);
  EXPECT_EQ(result.stopped_by.at("failure"), 100);
  EXPECT_LT(Simulate(Delayed(0.2, 100, 5000)).median_devices, 40);
}

TEST(Simulation, SilenceIsFailure) {
  Scenario scenario = Delayed(0.05, 20, 5000);
  scenario.silent = 1;
  EXPECT_EQ(Simulate(scenario).stopped, 20);
}

TEST(Simulation, TheSameSeedGivesTheSameRuns) {
  Scenario scenario = Delayed(0.03, 5, 1000);
  scenario.spread = Spread::kExponential;
  const SimulatedRun once = SimulateRun(scenario, 3), again = SimulateRun(scenario, 3);
  EXPECT_EQ(once.devices, again.devices);
  EXPECT_EQ(once.ms, again.ms);
  scenario.seed = 2;
  EXPECT_NE(SimulateRun(scenario, 3).ms, once.ms);
}

TEST(Simulation, StagesKeepABadReleaseSmall) {
  Scenario scenario = Delayed(0.3, 40, 20000);
  scenario.stages = {{"beta", 0.2, 120'000, 120'000},
                     {"gray", 1, 120'000, 120'000},
                     {"full", 100, 120'000, 120'000}};
  const SimulationResult result = Simulate(scenario);
  EXPECT_EQ(result.stopped, 40);
  EXPECT_LT(result.p90_devices, 60);
  scenario.rate = 0.005;
  const SimulationResult healthy = Simulate(scenario);
  EXPECT_EQ(healthy.complete, 40);
}

TEST(Simulation, ABadDayForEverybodyStopsNobody) {
  Scenario scenario = Delayed(0.1, 30, 3000);
  scenario.control_rate = 0.1;
  scenario.stages = {{"full", 100, 120'000, 120'000, 0, 20}};
  EXPECT_EQ(Simulate(scenario).stopped, 0);
  scenario.control_rate = 0.005;
  EXPECT_EQ(Simulate(scenario).stopped, 30);
}

TEST(Simulation, ASliceStopsAlone) {
  Scenario scenario = Delayed(0.005, 20, 5000);
  scenario.slices = {{"os=android", 0.9, {}}, {"os=ios", 0.05, 0.5}, {"device_class=low", 0.3, {}}};
  scenario.settings.stop_slices_alone = true;
  const SimulationResult result = Simulate(scenario);
  EXPECT_EQ(result.stopped, 0);
  EXPECT_EQ(result.complete, 20);
  EXPECT_EQ(result.stopped_slices, (std::map<std::string, int64_t>{{"os=ios", 20}}));
  scenario.settings.stop_slices_alone = false;
  EXPECT_EQ(Simulate(scenario).stopped, 20);
}

TEST(Simulation, OneReportLetsNoStagePass) {
  Scenario scenario = Delayed(0, 1, 1000);
  scenario.stages = {{"beta", 10, 60'000, 0}, {"gray", 50, 60'000, 0}, {"full", 100, 60'000, 0}};
  scenario.arrive_ms = 60'000;
  // 100, 400 and 500 devices: 10, 40 and 50 good reports, a device of the fleet a minute.
  const SimulatedRun run = SimulateRun(scenario, 0);
  EXPECT_TRUE(run.complete);
  EXPECT_GE(run.devices, 100);
}

TEST(Simulation, BadScenarios) {
  Scenario scenario;
  EXPECT_TRUE(CheckScenario(scenario).ok());
  const auto check = [](auto change) {
    Scenario bad;
    change(bad);
    return CheckScenario(bad).code();
  };
  EXPECT_EQ(check([](Scenario& s) { s.rate = 2; }), Code::kInvalidArgument);
  EXPECT_EQ(check([](Scenario& s) { s.devices = 0; }), Code::kInvalidArgument);
  EXPECT_EQ(check([](Scenario& s) { s.runs = kMaxSimulatedRuns + 1; }), Code::kInvalidArgument);
  EXPECT_EQ(check([](Scenario& s) { s.arrive_ms = -1; }), Code::kInvalidArgument);
  EXPECT_EQ(check([](Scenario& s) { s.slices = {{"all", 1, {}}}; }), Code::kInvalidArgument);
  EXPECT_EQ(check([](Scenario& s) {
              s.slices = {{"os=a", 0.6, {}}, {"os=b", 0.6, {}}};
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(check([](Scenario& s) { s.slices.resize(kMaxSimulatedSlices + 1); }),
            Code::kLimitExceeded);
  EXPECT_EQ(check([](Scenario& s) { s.stages = {{"a", 50}, {"b", 40}}; }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::gate
