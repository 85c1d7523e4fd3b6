#include "policy/gate/eprocess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <random>

namespace ferry::gate {
namespace {

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

// The average that LogBroadEValue takes, by Simpson's rule.
double NaiveBroad(int64_t failed, int64_t healthy, double p0, double b) {
  const auto ratio = [&](double p) {
    return b * std::pow(1 - p, b - 1) / std::pow(1 - p0, b) *
           std::pow(p / p0, static_cast<double>(failed)) *
           std::pow((1 - p) / (1 - p0), static_cast<double>(healthy));
  };
  constexpr int kSteps = 20000;
  const double h = (1 - p0) / kSteps;
  double sum = ratio(p0) + ratio(1);
  for (int k = 1; k < kSteps; ++k) sum += ratio(p0 + h * k) * (k % 2 == 1 ? 4 : 2);
  return (sum * h / 3 + NaiveEValue(failed, healthy, p0)) / 2;
}

TEST(EProcess, TheBroadAverageAgreesWithItsIntegral) {
  for (const int failed : {0, 1, 2, 7, 20})
    for (const int healthy : {0, 1, 10, 100, 400})
      EXPECT_NEAR(LogBroadEValue(failed, healthy, kToleratedRate),
                  std::log(NaiveBroad(failed, healthy, kToleratedRate, 21)), 1e-6)
          << failed << " " << healthy;
  EXPECT_TRUE(std::isfinite(LogBroadEValue(1'000'000'000, 0, kToleratedRate)));
}

// What makes looking at open windows valid: unknown failures only lower the evidence.
TEST(EProcess, KnowingLessOfTheSameDevicesNeverSpeaksLouder) {
  for (const double p0 : {0.001, 0.012, 0.3})
    for (int64_t devices = 1; devices < 300; devices += 7)
      for (int64_t failed = 0; failed < devices; ++failed) {
        EXPECT_LE(LogEValue(failed, devices - failed, p0),
                  LogEValue(failed + 1, devices - failed - 1, p0) + 1e-9);
        EXPECT_LE(LogBroadEValue(failed, devices - failed, p0),
                  LogBroadEValue(failed + 1, devices - failed - 1, p0) + 1e-9);
      }
}

// Whether one fleet that fails at `rate` is ever stopped, looking after every report, where
// delay(failed) gives how long a report takes and a device begins a second.
bool StopsEver(double rate, int devices, std::mt19937_64& random,
               const std::function<double(bool)>& delay) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> failures;  // when they become known
  for (int k = 0; k < devices; ++k)
    if (const bool failed = uniform(random) < rate) failures.push_back(k + delay(failed));
  std::sort(failures.begin(), failures.end());
  for (size_t known = 1; known <= failures.size(); ++known) {
    const auto exposed =
        std::min<int64_t>(devices, std::llround(std::floor(failures[known - 1])) + 1);
    const auto failed = static_cast<int64_t>(known);
    if (LogBroadEValue(failed, exposed - failed, kToleratedRate) >= -std::log(kAlpha)) return true;
  }
  return false;
}

TEST(EProcess, AHealthyFleetIsSparedWhateverTheDelays) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> exponential(0.01);
  std::cauchy_distribution<double> wild(30, 20);
  const std::function<double(bool)> delays[] = {
      [](bool) { return 0.0; }, [](bool failed) { return failed ? 5.0 : 60.0; },
      [](bool failed) { return failed ? 600.0 : 1.0; }, [&](bool) { return exponential(random); },
      [&](bool) { return std::clamp(wild(random), 0.0, 1e6); },
      // All failures of a quarter of an hour become known at once.
      [](bool) { return 900.0; }};
  for (size_t k = 0; k < std::size(delays); ++k) {
    int stopped = 0;
    for (int run = 0; run < 400; ++run)
      stopped += StopsEver(kToleratedRate, 3000, random, delays[k]);
    EXPECT_LE(stopped, 10) << "delays " << k;  // 4 expected at most; 10 is three sigma more
  }
}

TEST(EProcess, CohortsThatAreAlikeAreSparedOnABadDay) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const double control : {0.1, 0.5}) {
    int alike = 0, worse = 0;
    for (int run = 0; run < 300; ++run) {
      TwoCohorts same, bad;
      bool stops_same = false, stops_bad = false;
      for (int k = 0; k < 3000; ++k) {
        const double day = k < 1000 ? 0.02 : 0.4;  // the fleet's bad day begins on the way
        const bool held = uniform(random) < control;
        const bool fails = uniform(random) < day;
        ++(held ? (fails ? same.control_bad : same.control_good) : (fails ? same.bad : same.good));
        const bool fails_more = uniform(random) < (held ? day : day + 0.15);
        ++(held ? (fails_more ? bad.control_bad : bad.control_good)
                : (fails_more ? bad.bad : bad.good));
        if (k % 10 != 0) continue;
        stops_same |= LogCohortEValue(same, control) >= -std::log(kAlpha);
        stops_bad |= LogCohortEValue(bad, control) >= -std::log(kAlpha);
      }
      alike += stops_same;
      worse += stops_bad;
    }
    EXPECT_LE(alike, 8) << control;  // 3 expected at most
    EXPECT_GE(worse, 295) << control;
  }
}

}  // namespace
}  // namespace ferry::gate
