// What the kernels' tests share: seeded numbers, comparison, and a Parallel that only splits.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "common/sys/executor.h"
#include "device-runtime/kernels/table.h"

namespace ferry::kernels::testing {

// Splits a range into `width` nearly equal pieces (at least `grain` long) and runs them one after
// another, the last first: results must not depend on it.
class SplitParallel final : public sys::Parallel {
 public:
  explicit SplitParallel(int width) : width_(width) {}
  int width() const override { return width_; }
  void For(int64_t count, int64_t, const std::function<void(int64_t, int64_t)>& body) override {
    for (int64_t i = width_ - 1; i >= 0; --i) {
      const int64_t begin = count * i / width_;
      const int64_t end = count * (i + 1) / width_;
      if (begin < end) body(begin, end);
    }
  }

 private:
  int width_;
};

class Numbers {
 public:
  explicit Numbers(uint32_t seed) : engine_(seed) {}
  int64_t Whole(int64_t low, int64_t high) {  // both included
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  float Real(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(engine_);
  }
  std::vector<float> Reals(int64_t count, float low = -1.0f, float high = 1.0f) {
    std::vector<float> v(static_cast<size_t>(count));
    for (float& x : v) x = Real(low, high);
    return v;
  }
  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Whole(0, static_cast<int64_t>(choices.size()) - 1)];
  }

 private:
  std::mt19937 engine_;
};

// Filled with NaN, so that what a kernel leaves out shows; a guard of 16 floats behind catches
// writes past the end.
class Output {
 public:
  explicit Output(int64_t count) : count_(count), data_(static_cast<size_t>(count) + 16, Guard()) {}
  float* data() { return data_.data(); }
  std::vector<float> Take() {
    for (size_t i = static_cast<size_t>(count_); i < data_.size(); ++i) {
      EXPECT_TRUE(std::isnan(data_[i])) << "written past the end";
    }
    return {data_.begin(), data_.begin() + count_};
  }

 private:
  static float Guard() { return std::numeric_limits<float>::quiet_NaN(); }
  int64_t count_;
  std::vector<float> data_;
};

// max |a - b| <= tolerance * max(largest |b|, 1e-3).
inline void ExpectClose(const std::vector<float>& a, const std::vector<double>& b,
                        double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 1e-3;
  for (double x : b) largest = std::max(largest, std::fabs(x));
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_LE(std::fabs(static_cast<double>(a[i]) - b[i]), tolerance * largest)
        << "element " << i << ": " << a[i] << " should be " << b[i];
  }
}

inline void ExpectSameBits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    uint32_t x;
    uint32_t y;
    std::memcpy(&x, &a[i], 4);
    std::memcpy(&y, &b[i], 4);
    ASSERT_EQ(x, y) << "element " << i << ": " << a[i] << " and " << b[i];
  }
}

// run(table, parallel) -> vector<float>, for every instruction set and 1, 2 and 3 pieces: within
// `tolerance` of `expected`, and the same bits whatever the pieces.
template <typename Run>
void CheckEverywhere(const std::vector<double>& expected, double tolerance, const Run& run) {
  for (Isa isa : RunningIsas()) {
    SCOPED_TRACE(IsaName(isa));
    std::vector<float> one;
    for (int width = 1; width <= 3; ++width) {
      SCOPED_TRACE(width);
      SplitParallel parallel(width);
      std::vector<float> result = run(TableOf(isa), parallel);
      if (width == 1) {
        ASSERT_NO_FATAL_FAILURE(ExpectClose(result, expected, tolerance));
        one = std::move(result);
      } else {
        ASSERT_NO_FATAL_FAILURE(ExpectSameBits(result, one));
      }
    }
  }
}

}  // namespace ferry::kernels::testing
