#include "tools/ferry/llm/admission.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ferry::cli {
namespace {

const std::function<bool()> kAlways;

TEST(AdmissionTest, PlacesAndMemoryComeBack) {
  Admission admission({2, 4, 100});
  {
    const auto one = admission.Enter(60, kAlways);
    const auto two = admission.Enter(40, kAlways);
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(admission.stats().running, 2);
  }
  EXPECT_EQ(admission.stats().running, 0);
  EXPECT_EQ(admission.stats().finished, 2);
  EXPECT_TRUE(admission.Enter(100, kAlways).ok());
}

TEST(AdmissionTest, WhoIsNotWantedStopsWaiting) {
  Admission admission({1, 4, 100});
  const auto place = admission.Enter(1, kAlways);
  int asked = 0;
  const auto given_up = admission.Enter(1, [&] { return ++asked < 3; });
  EXPECT_EQ(given_up.code(), Code::kCancelled);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(admission.stats().waiting, 0);
}

TEST(AdmissionTest, TooManyWaitersAreRefused) {
  Admission none({1, 0, 100});
  const auto place = none.Enter(1, kAlways);
  EXPECT_TRUE(place.ok());
  EXPECT_EQ(none.Enter(1, kAlways).code(), Code::kUnavailable);
}

TEST(AdmissionTest, NeverMoreThanTheLimitsAndAllComeThrough) {
  Admission admission({3, 64, 100});
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> through{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const auto place = admission.Enter(40, kAlways);  // the memory lets two in
        ASSERT_TRUE(place.ok());
        most = std::max(most.load(), ++inside);
        std::this_thread::yield();
        --inside;
        ++through;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(through, 16 * 50);
  EXPECT_LE(most, 2);
  EXPECT_EQ(admission.stats().waiting, 0);
}

}  // namespace
}  // namespace ferry::cli
