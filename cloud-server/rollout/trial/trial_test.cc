#include "cloud-server/rollout/trial/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/rollout/test_rollout.h"
#include "cloud-server/rollout/trial/compare.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

constexpr int64_t kPeak = 20 << 20;

SimulationOutcome Good() {
  SimulationOutcome outcome{true, "2 of 2 cases as expected", "{\"cases\":2,\"failed\":0}"};
  outcome.finished = true;
  outcome.cases = 2;
  outcome.median_ms = 5;
  outcome.peak_bytes = kPeak;
  outcome.outputs = {{"one", "{\"sum\":1.0}", 0}, {"two", "2", 0}};
  return outcome;
}

// Version 2 is tried, 1 runs.
class TrialTest : public testing::Test {
 protected:
  TrialTest() {
    outcomes_["1"] = outcomes_["2"] = Good();
    trial_.package = "p";
    trial_.version = "2";
    trial_.running = "1";
    simulator_.run = [this](const SimulationOrder& order) -> Result<SimulationOutcome> {
      clock_.now_ms += run_ms_;
      if (order.machine.isa == "neon") {
        SimulationOutcome outcome;
        outcome.not_here = "neon";
        return outcome;
      }
      if (order.machine.isa == "broken") return Status(Code::kIo, "no disk");
      return outcomes_[order.version];
    };
  }
  Json Run() {
    result_ = RunTrial(simulator_, clock_, trial_);
    return *ParseJson(result_.numbers_json);
  }
  TestClock clock_;
  TestSimulator simulator_;
  Trial trial_;
  std::map<std::string, SimulationOutcome> outcomes_;
  int64_t run_ms_ = 0;
  command::SimulationResult result_;
};

TEST_F(TrialTest, EachKindOfMachineIsTried) {
  trial_.machines = {{{"avx2", 0}, 70}, {{"avx2", 512 << 20}, 20}};
  const Json numbers = Run();
  EXPECT_TRUE(result_.passed) << result_.text;
  EXPECT_THAT(result_.text,
              HasSubstr("2 of 2 cases as expected on 2 of 2 kinds of devices; against 1: "
                        "0 of 2 outputs differ"));
  EXPECT_THAT(result_.text, HasSubstr("5.000 ms, was 5.000 ms, memory 20.0 MiB, was 20.0 MiB"));
  ASSERT_EQ(simulator_.runs, 3);
  EXPECT_EQ(simulator_.orders[0].machine, (SimulatedMachine{"avx2", 0}));
  EXPECT_EQ(simulator_.orders[1].version, "1");
  EXPECT_EQ(simulator_.orders[1].cases_of, "2") << "the same cases on both";
  EXPECT_EQ(simulator_.orders[1].machine, (SimulatedMachine{"avx2", 0}));
  EXPECT_EQ(simulator_.orders[2].machine, (SimulatedMachine{"avx2", 512 << 20}));
  EXPECT_EQ(numbers["cases"], 2);
  EXPECT_EQ(numbers["profiles"][1], (Json{{"profile", "avx2, 512 MiB"},
                                          {"devices", 20},
                                          {"cases", 2},
                                          {"failed", 0},
                                          {"ms", 5.0},
                                          {"peak_bytes", kPeak}}));
  EXPECT_EQ(numbers["compared_with"], "1");
  EXPECT_EQ(numbers["differences"], Json::array());
  EXPECT_EQ(numbers["time_ratio"], 1.0);
  EXPECT_EQ(numbers["memory_ratio"], 1.0);
}

TEST_F(TrialTest, WithoutDevicesTheServersOwnMachineIsTried) {
  trial_.running.clear();
  const Json numbers = Run();
  EXPECT_TRUE(result_.passed);
  EXPECT_EQ(result_.text, "2 of 2 cases as expected");
  EXPECT_EQ(simulator_.orders.at(0).machine, SimulatedMachine{});
  EXPECT_EQ(numbers["profiles"][0]["profile"], "any");
  EXPECT_FALSE(numbers.contains("compared_with")) << "nothing runs yet";
  EXPECT_FALSE(numbers.contains("time_ratio"));
}

TEST_F(TrialTest, WhatCannotRunHereIsSaid) {
  trial_.machines = {{{"neon", 0}, 9}, {{"avx2", 0}, 1}};
  Json numbers = Run();
  EXPECT_TRUE(result_.passed);
  EXPECT_THAT(result_.text, HasSubstr("(not runnable here: neon)"));
  EXPECT_EQ(numbers["profiles"][0],
            (Json{{"profile", "neon"}, {"devices", 9}, {"not_here", "neon"}}));
  EXPECT_EQ(numbers["compared_with"], "1") << "on the machine that ran";
  trial_.machines.pop_back();
  numbers = Run();
  EXPECT_TRUE(result_.passed) << "the server's own machine stands in";
  EXPECT_EQ(numbers["profiles"][1]["profile"], "any");
  outcomes_["2"] = SimulationOutcome{false, "1 of 2 cases as expected", "{}"};
  Run();
  EXPECT_FALSE(result_.passed);
}

// A package that broke out of its interpreter could say so.
TEST_F(TrialTest, NoMachineIsLeftOutThatWasNotAskedFor) {
  outcomes_["2"] = SimulationOutcome{false, "not runnable here: neon", "{}"};
  outcomes_["2"].not_here = "neon";
  trial_.machines = {{{"avx2", 0}, 9}};
  Run();
  EXPECT_FALSE(result_.passed);
  trial_.machines = {{{"neon", 0}, 9}};
  const Json numbers = Run();
  EXPECT_FALSE(result_.passed);
  EXPECT_EQ(numbers["profiles"].size(), 2u);
}

TEST_F(TrialTest, OneKindThatFailsFailsAll) {
  trial_.machines = {{{"avx2", 0}, 9}, {{"broken", 0}, 1}, {{"avx512", 0}, 1}};
  const Json numbers = Run();
  EXPECT_FALSE(result_.passed);
  EXPECT_THAT(result_.text, HasSubstr("on broken: "));
  EXPECT_THAT(result_.text, HasSubstr("no disk"));
  EXPECT_EQ(numbers["profiles"].size(), 3u);
  EXPECT_EQ(numbers["compared_with"], "1") << "what was seen stays told";
}

TEST_F(TrialTest, DifferentOutputsFailWhereTheStageAsks) {
  outcomes_["2"].outputs[0].output = "{\"sum\":1.25}";
  Json numbers = Run();
  EXPECT_TRUE(result_.passed) << result_.text;
  EXPECT_THAT(result_.text, HasSubstr("1 of 2 outputs differ"));
  const Json expected =
      Json::array({{{"case", "one"}, {"was", "{\"sum\":1.0}"}, {"is", "{\"sum\":1.25}"}}});
  EXPECT_EQ(numbers["differences"], expected);
  trial_.stage.same_outputs = true;
  Run();
  EXPECT_FALSE(result_.passed);
  EXPECT_EQ(result_.text,
            "beside 1: 1 of 2 outputs differ, first one: was {\"sum\":1.0}, is {\"sum\":1.25}");
  outcomes_["2"].outputs[0].tolerance = 0.5;
  Run();
  EXPECT_TRUE(result_.passed) << "the case allows it";
  outcomes_["2"].outputs.pop_back();
  Run();
  EXPECT_FALSE(result_.passed);
  EXPECT_THAT(result_.text, HasSubstr("1 cases could not be compared"));
}

TEST_F(TrialTest, ASlowerVersionSaysBothTimes) {
  trial_.stage.max_time_ratio = 2;
  outcomes_["2"].median_ms = 9.9;
  Run();
  EXPECT_TRUE(result_.passed) << result_.text;
  outcomes_["2"].median_ms = 11;
  const Json numbers = Run();
  EXPECT_FALSE(result_.passed);
  EXPECT_EQ(result_.text, "beside 1: a run takes 11.000 ms, was 5.000 ms: 2.20 times, at most 2");
  EXPECT_EQ(numbers["time_ratio"], 2.2);
  outcomes_["1"].median_ms = 0.01;
  outcomes_["2"].median_ms = 0.9;
  Run();
  EXPECT_TRUE(result_.passed) << "so little is noise";
  outcomes_["1"].median_ms = 0;
  Run();
  EXPECT_FALSE(result_.passed) << "nothing to judge by";
  EXPECT_THAT(result_.text, HasSubstr("the time cannot be judged"));
}

TEST_F(TrialTest, ALargerVersionSaysBothSizes) {
  outcomes_["2"].peak_bytes = 3 * kPeak;
  EXPECT_EQ(Run()["memory_ratio"], 3.0);
  EXPECT_TRUE(result_.passed) << "nobody asked";
  trial_.stage.max_memory_ratio = 2.5;
  Run();
  EXPECT_FALSE(result_.passed);
  EXPECT_EQ(result_.text,
            "beside 1: its memory is 60.0 MiB, was 20.0 MiB: 3.00 times, at most 2.5");
}

TEST_F(TrialTest, ARunningVersionThatCannotRunFailsOnlyWhatIsAsked) {
  outcomes_["1"] = SimulationOutcome{false, "it ran for more than 120000 ms", "{}"};
  Json numbers = Run();
  EXPECT_TRUE(result_.passed) << result_.text;
  EXPECT_THAT(result_.text, HasSubstr("1 could not be run to compare: it ran for more"));
  EXPECT_FALSE(numbers.contains("compared_with"));
  trial_.stage.max_memory_ratio = 2;
  Run();
  EXPECT_FALSE(result_.passed);
  EXPECT_THAT(result_.text, HasSubstr("could not be run to compare"));
}

TEST_F(TrialTest, AllRunsShareOneBudget) {
  run_ms_ = kSimulationTimeoutMs;
  for (const char* isa : {"avx2", "avx512", "vnni", "avx512bf16", "reference", ""})
    trial_.machines.push_back({{isa, 0}, 1});
  const Json numbers = Run();
  EXPECT_EQ(simulator_.runs, kSimulationBudgetMs / kSimulationTimeoutMs);
  EXPECT_EQ(numbers["profiles"][5]["skipped"], true);
  EXPECT_TRUE(result_.passed);
  EXPECT_THAT(result_.text, HasSubstr("(2 kinds skipped)"));
}

TEST_F(TrialTest, NoMoreKindsThanTheLimit) {
  for (uint64_t k = 0; k < kMaxSimulatedProfiles + 3; ++k)
    trial_.machines.push_back({{"avx2", k + 1}, 1});
  Run();
  EXPECT_EQ(simulator_.runs, static_cast<int>(kMaxSimulatedProfiles) + 1);
  EXPECT_THAT(result_.text, HasSubstr("(3 kinds skipped)"));
}

TEST(SameOutput, ComparesNumbersInTheirTolerance) {
  EXPECT_TRUE(SameOutput("{\"a\":[1,2]}", "{\"a\":[1,2]}", 0));
  EXPECT_FALSE(SameOutput("1", "1.0", 0));
  EXPECT_TRUE(SameOutput("1", "1.0", 0.1));
  EXPECT_TRUE(SameOutput("{\"a\":[1,2.05]}", "{\"a\":[1,2]}", 0.1));
  EXPECT_FALSE(SameOutput("{\"a\":[1,2.5]}", "{\"a\":[1,2]}", 0.1));
  EXPECT_FALSE(SameOutput("{\"a\":1}", "{\"b\":1}", 0.1));
  EXPECT_FALSE(SameOutput("[1]", "[1,1]", 0.1));
  EXPECT_FALSE(SameOutput("\"x\"", "\"y\"", 0.1));
  EXPECT_FALSE(SameOutput("error: io", "error: not_found", 0.1));
}

}  // namespace
}  // namespace ferry::server
