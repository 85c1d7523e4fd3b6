#include "device-runtime/quant/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include "common/sys/random.h"
#include "device-runtime/quant/affine.h"

namespace ferry::quant {
namespace {

// Bell-shaped numbers with a few far outliers; one sign only if `positive`.
std::vector<float> Values(int count, uint64_t seed, bool positive, double outlier) {
  sys::SeededRandom random(seed);
  std::vector<float> out;
  for (int i = 0; i < count; ++i) {
    double x = 0;
    for (int k = 0; k < 12; ++k) x += random.NextDouble();
    x -= 6;
    if (i % 1000 == 0) x *= outlier;
    out.push_back(static_cast<float>(positive ? std::fabs(x) : x));
  }
  return out;
}

Histogram Of(const std::vector<float>& values) {
  Histogram h;
  EXPECT_TRUE(h.Add(values));
  return h;
}

double TrueError(const std::vector<float>& values, const Range& range) {
  const Affine a = AffineOf(range.low, range.high, DType::kU8);
  double sum = 0;
  for (float x : values) {
    const double q = std::clamp<double>(std::nearbyint(x / a.scale) + a.zero_point, 0, 255);
    sum += std::pow(x - a.scale * (q - a.zero_point), 2);
  }
  return sum;
}

TEST(Histogram, GrowsWithoutLosingValues) {
  Histogram h;
  std::vector<float> all;
  for (float scale : {0.01f, 1.0f, 0.5f, 300.0f}) {
    std::vector<float> values = Values(5000, 3, false, 1);
    for (float& x : values) x *= scale;
    values.push_back(0);
    ASSERT_TRUE(h.Add(values));
    all.insert(all.end(), values.begin(), values.end());
  }
  EXPECT_EQ(h.count(), static_cast<int64_t>(all.size()));
  EXPECT_GE(h.zeros(), 4);
  int64_t inside = 0;
  for (int64_t n : h.bins()) inside += n;
  EXPECT_EQ(inside + h.zeros(), h.count());
  EXPECT_EQ(h.low(), *std::ranges::min_element(all));
  EXPECT_EQ(h.high(), *std::ranges::max_element(all));
  // Each half has the values of its sign: zero is an edge at every reach.
  int64_t negative = 0;
  for (int i = 0; i < Histogram::kBins / 2; ++i) negative += h.bins()[static_cast<size_t>(i)];
  EXPECT_EQ(negative, std::ranges::count_if(all, [](float x) { return x < 0; }));
}

TEST(Histogram, RefusesWhatIsNotFinite) {
  Histogram h;
  const float bad[] = {1, std::numeric_limits<float>::infinity()};
  EXPECT_FALSE(h.Add(bad));
  EXPECT_EQ(h.count(), 0);
  const float nan[] = {std::numeric_limits<float>::quiet_NaN()};
  EXPECT_FALSE(h.Add(nan));
  EXPECT_TRUE(h.Add({}));
}

TEST(Calibrate, NothingAndConstants) {
  for (Calibration how :
       {Calibration::kMinMax, Calibration::kPercentile, Calibration::kKl, Calibration::kMse}) {
    EXPECT_EQ(ChooseRange(Histogram(), how, 99.9).high, 0);
    EXPECT_EQ(ChooseRange(Of(std::vector<float>(100, 0.0f)), how, 99.9).high, 0);
    const Range five = ChooseRange(Of(std::vector<float>(100, 5.0f)), how, 99.9);
    EXPECT_EQ(five.low, 0) << CalibrationName(how);
    EXPECT_NEAR(five.high, 5, 0.06) << CalibrationName(how);
    const Range minus = ChooseRange(Of(std::vector<float>(100, -5.0f)), how, 99.9);
    EXPECT_EQ(minus.high, 0) << CalibrationName(how);
    EXPECT_NEAR(minus.low, -5, 0.06) << CalibrationName(how);
  }
}

TEST(Calibrate, MinMaxIsExact) {
  const auto values = Values(10'000, 5, false, 10);
  const Range r = ChooseRange(Of(values), Calibration::kMinMax, 0);
  EXPECT_EQ(r.low, *std::ranges::min_element(values));
  EXPECT_EQ(r.high, *std::ranges::max_element(values));
}

TEST(Calibrate, PercentileAgainstSorting) {
  auto values = Values(20'000, 6, false, 20);
  const Histogram h = Of(values);
  std::ranges::sort(values);
  for (double p : {99.0, 99.9, 100.0}) {
    const Range r = ChooseRange(h, Calibration::kPercentile, p);
    const auto spare = static_cast<size_t>(20'000 * (1 - p / 100));
    EXPECT_NEAR(r.low, values[spare], 2 * h.width());
    EXPECT_NEAR(r.high, values[values.size() - 1 - spare], 2 * h.width());
  }
}

// Against the best of all clips at both ends, measured on the values themselves.
TEST(Calibrate, MseIsNearTheBestClip) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const bool positive = seed % 2 == 0;
    const auto values = Values(4000, seed, positive, 8);
    const Range got = ChooseRange(Of(values), Calibration::kMse, 0);
    const Range all = ChooseRange(Of(values), Calibration::kMinMax, 0);
    double best = HUGE_VAL;
    for (int i = positive ? 40 : 1; i <= 40; ++i) {
      for (int j = 1; j <= 40; ++j) {
        best = std::min(best, TrueError(values, {all.low * i / 40, all.high * j / 40}));
      }
    }
    EXPECT_LE(TrueError(values, got), best * 1.1) << seed;
    EXPECT_LE(TrueError(values, got), TrueError(values, all) * 1.05) << seed;
  }
}

// Kullback-Leibler clips far outliers and keeps what has none.
TEST(Calibrate, KlClipsOutliers) {
  for (bool positive : {false, true}) {
    const Histogram h = Of(Values(50'000, 8, positive, 40));
    const Range wild = ChooseRange(h, Calibration::kKl, 0);
    EXPECT_LT(wild.high, h.high() / 2) << positive;
    EXPECT_GT(wild.high, 3) << positive;
    std::vector<float> even;
    for (int i = 1; i <= 10'000; ++i) even.push_back(static_cast<float>(i) / 10'000);
    EXPECT_NEAR(ChooseRange(Of(even), Calibration::kKl, 0).high, 1, 0.02);
  }
}

}  // namespace
}  // namespace ferry::quant
