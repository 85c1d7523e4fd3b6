#include "policy/gate/gate.h"

#include "common/base/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace ferry::gate {
namespace {

using testing::HasSubstr;

// The definition itself, by Simpson's rule; for small counts.
double NaiveEValue(int64_t failed, int64_t healthy, double p0) {
  const auto ratio = [&](double p) {
    return std::pow(p / p0, static_cast<double>(failed)) *
           std::pow((1 - p) / (1 - p0), static_cast<double>(healthy));
  };
  constexpr int kSteps = 20000;
  const double h = (1 - p0) / kSteps;
  double sum = ratio(p0) + ratio(1);
  for (int k = 1; k < kSteps; ++k) sum += ratio(p0 + h * k) * (k % 2 == 1 ? 4 : 2);
  return sum * h / 3 / (1 - p0);
}

TEST(EProcess, AgreesWithTheIntegral) {
  for (const double p0 : {0.001, 0.012, 0.1, 0.5})
    for (const int failed : {0, 1, 2, 3, 7, 20})
      for (const int healthy : {0, 1, 3, 10, 100, 400}) {
        const double naive = NaiveEValue(failed, healthy, p0);
        EXPECT_NEAR(LogEValue(failed, healthy, p0), std::log(naive), 1e-6)
            << failed << " " << healthy << " " << p0;
      }
}

TEST(EProcess, TheSecondFailureStopsAndOneNeverDoes) {
  EXPECT_NEAR(std::exp(LogEValue(1, 0, kToleratedRate)), 42.17, 0.01);
  for (int64_t healthy = 0; healthy < 100000; healthy = healthy * 3 + 1)
    EXPECT_FALSE(EvidenceStops(1, healthy, kToleratedRate, kAlpha)) << healthy;
  EXPECT_NEAR(std::exp(LogEValue(2, 0, kToleratedRate)), 2342.9, 0.1);
  EXPECT_NEAR(std::exp(LogEValue(2, 3, kToleratedRate)), 121.5, 0.1);
  EXPECT_TRUE(EvidenceStops(2, 3, kToleratedRate, kAlpha));
  EXPECT_FALSE(EvidenceStops(2, 4, kToleratedRate, kAlpha));
}

TEST(EProcess, LargeCounts) {
  const int64_t million = 1'000'000;
  EXPECT_LT(LogEValue(million / 100, million * 99 / 100, kToleratedRate), 0);
  EXPECT_GT(LogEValue(million / 10, million * 9 / 10, kToleratedRate), 1000);
  EXPECT_TRUE(std::isfinite(LogEValue(1000 * million, 0, kToleratedRate)));
  EXPECT_LT(LogEValue(0, 1000 * million, kToleratedRate), 0);
}

// Looking after every device, a fleet that fails at the tolerated rate is stopped with a chance of
// at most alpha; a bad one soon.
TEST(EProcess, AnytimeValidAndQuick) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto stops_within = [&](double rate, int devices) {
    int64_t failed = 0, healthy = 0;
    for (int k = 0; k < devices; ++k) {
      const bool bad = uniform(random) < rate;
      ++(bad ? failed : healthy);
      if (bad && EvidenceStops(failed, healthy, kToleratedRate, kAlpha)) return true;
    }
    return false;
  };
  int healthy_stopped = 0, bad_stopped = 0;
  for (int k = 0; k < 400; ++k) healthy_stopped += stops_within(kToleratedRate, 1000);
  for (int k = 0; k < 200; ++k) bad_stopped += stops_within(0.2, 100);
  EXPECT_LE(healthy_stopped, 12);  // 4 expected at most; three times that is past five sigma
  EXPECT_GE(bad_stopped, 199);
}

Input MakeInput(std::vector<SliceCounts> slices) {
  Input input;
  input.slices = std::move(slices);
  return input;
}

TEST(Gates, FailureNamesTheSliceAndTheNumbers) {
  const Judgement judgement = JudgeAll({}, MakeInput({{"all", 2, 40}, {"device_class=low", 2, 1}}));
  EXPECT_EQ(judgement.decision, Decision::kStop);
  EXPECT_THAT(judgement.reason, HasSubstr("2 of 3 devices failed in slice device_class=low"));
  EXPECT_THAT(judgement.reason, HasSubstr("reached the limit 100"));
  ASSERT_EQ(judgement.verdicts.size(), 4u);
  EXPECT_EQ(judgement.verdicts[0].gate, "failure");
  EXPECT_GT(judgement.verdicts[0].value, 100);
}

TEST(Gates, OverdueDevicesCountAsFailed) {
  EXPECT_EQ(JudgeAll({}, MakeInput({{"all", 1, 2, 1}})).decision, Decision::kStop);
  EXPECT_EQ(JudgeAll({}, MakeInput({{"all", 1, 2, 0}})).decision, Decision::kPass);
}

TEST(Gates, WaitForReportsTimeAndPeople) {
  Input input = MakeInput({{"all", 0, 3, 0, 2}});
  EXPECT_EQ(JudgeAll({}, input).decision, Decision::kPass);  // no time-out: silence is no reason
  input.next_overdue_ms = 2500;
  EXPECT_EQ(JudgeAll({}, input).decision, Decision::kWait);
  EXPECT_THAT(JudgeAll({}, input).reason, HasSubstr("2 devices have not reported yet; the oldest "
                                                    "has 2.5 s left"));
  input.slices[0].pending = 0;
  EXPECT_EQ(JudgeAll({}, input).decision, Decision::kPass);
  input.min_healthy_ms = 1000;
  input.now_ms = 999;
  EXPECT_EQ(JudgeAll({}, input).decision, Decision::kWait);
  input.now_ms = 1000;
  EXPECT_EQ(JudgeAll({}, input).decision, Decision::kPass);
  input.min_reports = 4;
  EXPECT_THAT(JudgeAll({}, input).reason, HasSubstr("3 of 4 devices have reported well"));
  input.min_reports = 3;
  input.hold = true;
  input.hold_reason = "waiting for legal";
  EXPECT_EQ(JudgeAll({}, input).decision, Decision::kWait);
  EXPECT_EQ(JudgeAll({}, input).reason, "held by hand: waiting for legal");
  input.slices[0].failed = 2;  // a hold does not hide a failure
  EXPECT_EQ(JudgeAll({}, input).decision, Decision::kStop);
}

TEST(Gates, SilenceIsNoEvidence) {
  const Judgement silent = JudgeAll({}, MakeInput({{"all", 0, 0, 0, 3}}));
  EXPECT_EQ(silent.decision, Decision::kWait);
  EXPECT_THAT(silent.reason, HasSubstr("no device that was reached has reported well"));
  EXPECT_EQ(JudgeAll({}, MakeInput({{"all", 1, 0, 0, 0}})).decision, Decision::kWait);
  EXPECT_EQ(JudgeAll({}, MakeInput({{"all", 0, 1, 0, 2}})).decision, Decision::kPass);
}

TEST(Gates, NoDeviceYet) {
  EXPECT_EQ(JudgeAll({}, MakeInput({})).decision, Decision::kPass);
}

TEST(Gates, Json) {
  const Judgement judgement = JudgeAll({}, MakeInput({{"all", 2, 3}}));
  for (const Verdict& verdict : judgement.verdicts) {
    auto again = VerdictFromJson(VerdictToJson(verdict));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(VerdictToJson(*again), VerdictToJson(verdict));
  }
  EXPECT_FALSE(VerdictFromJson({{"gate", "x"}, {"decision", "maybe"}}).ok());
  auto settings = SettingsFromJson({{"tolerated_rate", 0.05}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(SettingsToJson(*settings), (Json{{"tolerated_rate", 0.05}, {"alpha", 0.01}}));
  EXPECT_TRUE(SettingsFromJson(nullptr).ok());
  for (const double bad : {0.0, 1.0, -1.0, 2.0})
    EXPECT_EQ(SettingsFromJson({{"alpha", bad}}).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ferry::gate
