#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/json.h"
#include "common/base/log.h"
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/shrink.h"
#include "tools/fleetsim/sim.h"
#include "tools/fleetsim/tests/small_scenario.h"

namespace ferry::fleetsim {
namespace {

TEST(Sim, TheSameSeedGivesTheSameTraceOnOneAndOnTwoThreads) {
  Options options = HarshOptions(80, 3);
  const Result<Outcome> one = Simulate(options);
  options.threads = 2;
  const Result<Outcome> two = Simulate(options);
  options.seed = 2;
  const Result<Outcome> other = Simulate(options);
  ASSERT_TRUE(one.ok()) << one.status().ToString();
  ASSERT_TRUE(two.ok() && other.ok());
  EXPECT_GT(one->events, 500u);
  EXPECT_EQ(one->trace_sha256, two->trace_sha256);
  EXPECT_EQ(one->events, two->events);
  EXPECT_NE(one->trace_sha256, other->trace_sha256);
  EXPECT_FALSE(one->faults.empty());
}

TEST(Sim, AReplayEndsBehindItsEventAndTellsOfTheDevice) {
  Options options = HarshOptions(60, 0);
  options.stop_event = 200;
  const Result<Outcome> outcome = Simulate(options);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->events, 200u);
  EXPECT_THAT(outcome->replayed, testing::HasSubstr("event 200"));
}

TEST(Sim, AStopEndsWithWhatThereIs) {
  Options options = HarshOptions(60, 0);
  options.stop = [] { return true; };
  const Result<Outcome> outcome = Simulate(options);
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_TRUE(outcome->violations.empty());
}

TEST(Sim, SmallFleetsHoldUnderHarshFaults) {
  for (uint64_t seed = 100; seed < 103; ++seed) {
    Options options = HarshOptions(80, 3);
    options.seed = seed;
    const Result<Outcome> outcome = Simulate(options);
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    EXPECT_TRUE(outcome->violations.empty()) << OutcomeToText(*outcome);
  }
}

// Each within a few seeds, so that the nightly set of 2,000 finds it surely.
class PlantTest : public testing::TestWithParam<const Plant*> {};

TEST_P(PlantTest, IsFound) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Options options = HarshOptions(150, 0);
    options.seed = seed;
    options.plants = {GetParam()->name};
    const Result<Outcome> outcome = Simulate(options);
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    if (outcome->violations.empty()) continue;
    EXPECT_EQ(outcome->violations.front().invariant, GetParam()->found_by) << "seed " << seed;
    return;
  }
  ADD_FAILURE() << GetParam()->what << ": no invariant noticed";
}

INSTANTIATE_TEST_SUITE_P(All, PlantTest, testing::ValuesIn(AllPlants()), [](const auto& info) {
  std::string name = info.param->name;
  name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
  return name;
});

TEST(Sim, AViolationIsShrunk) {
  Options options = HarshOptions(60, 1);
  options.plants = {"acknowledged_early"};
  const Result<Outcome> outcome = Simulate(options);
  ASSERT_TRUE(outcome.ok());
  ASSERT_FALSE(outcome->violations.empty());
  const std::string& invariant = outcome->violations.front().invariant;
  options.scenario = Shrink(options, invariant, 6'000);
  options.faults = FaultLevel::kNone;
  EXPECT_EQ(options.scenario.agents, 0);
  EXPECT_TRUE(ScenarioFromText(ScenarioToText(options.scenario)).ok());
  const Result<Outcome> again = Simulate(options);
  ASSERT_TRUE(again.ok());
  ASSERT_FALSE(again->violations.empty());
  EXPECT_EQ(again->violations.front().invariant, invariant);
}

}  // namespace
}  // namespace ferry::fleetsim
