#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/scenario/scenario.h"

namespace ferry::fleetsim {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const Result<Scenario> scenario = ScenarioFromText(text);
  return scenario.ok() ? "none" : std::string(scenario.status().message());
}

TEST(Scenario, WhatIsWrongIsToldByLineAndColumn) {
  EXPECT_THAT(ErrorOf("{\n  \"fleet\": [\n    {\"share\": 1.5}\n  ]\n}"),
              HasSubstr("line 3, column 15: share: 1.5 is not from 0 to 1"));
  EXPECT_THAT(ErrorOf("{\"devices\": 5,\n \"wheels\": 4}"),
              HasSubstr("line 2, column 2: \"wheels\" is no member here"));
  EXPECT_THAT(ErrorOf("{\"truths\": [{}, {\"fail\\u0073\": 0.1, \"fals\": 1}]}"),
              HasSubstr("is no member here"));
  EXPECT_THAT(ErrorOf("{\"releases\": [{\"version\": \"2.0.0\",\n\"plan\": {\"stages\": 3}}]}"),
              HasSubstr("line 2, column 9"));
  EXPECT_THAT(ErrorOf("{\"faults\": {\"loss\": 2}}"), HasSubstr("line 1, column 21: loss"));
  EXPECT_THAT(ErrorOf("{\"faults\": {\"rain\": 1}}"), HasSubstr("no fault is called \"rain\""));
  EXPECT_THAT(ErrorOf("{\"fleet\": [{\"share\": 0.7}, {\"share\": 0.7}]}"),
              HasSubstr("line 1, column 11: the shares are 1.4 together"));
  EXPECT_THAT(ErrorOf("{\"devices\": }"), HasSubstr("1"));
}

TEST(Scenario, WhatIsWrittenIsReadAgain) {
  const Scenario scenario = DefaultScenario();
  const std::string text = ScenarioToText(scenario);
  const Result<Scenario> again = ScenarioFromText(text);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(ScenarioToText(*again), text);
}

TEST(Scenario, EveryFaultHasARateThatIsOne) {
  for (const Fault* fault : AllFaults()) {
    EXPECT_EQ(FaultCalled(fault->name), fault);
    EXPECT_LE(fault->standard, fault->harsh) << fault->name;
    EXPECT_GT(fault->harsh, 0) << fault->name;
    if (IsShare(*fault)) {
      EXPECT_LE(fault->harsh, 1) << fault->name;
    }
  }
}

}  // namespace
}  // namespace ferry::fleetsim
