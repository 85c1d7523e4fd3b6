#include "tools/ferry/llm/serve/admission.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ferry::cli {
namespace {

const std::function<bool()> kAlways;

TEST(AdmissionTest, PlacesAndMemoryComeBack) {
  Admission admission({2, 4, 4, 100});
  {
    const auto one = admission.Enter("one", 60, kAlways);
    const auto two = admission.Enter("one", 40, kAlways);
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(admission.stats().running, 2);
  }
  EXPECT_EQ(admission.stats().running, 0);
  EXPECT_EQ(admission.stats().finished, 2);
  EXPECT_TRUE(admission.Enter("one", 100, kAlways).ok());
}

TEST(AdmissionTest, WhoIsNotWantedStopsWaiting) {
  Admission admission({1, 4, 4, 100});
  const auto place = admission.Enter("one", 1, kAlways);
  int asked = 0;
  const auto given_up = admission.Enter("one", 1, [&] { return ++asked < 3; });
  EXPECT_EQ(given_up.code(), Code::kCancelled);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(admission.stats().waiting, 0);
}

TEST(AdmissionTest, TooManyWaitersAreRefused) {
  Admission none({1, 0, 0, 100});
  const auto place = none.Enter("one", 1, kAlways);
  EXPECT_TRUE(place.ok());
  EXPECT_EQ(none.Enter("one", 1, kAlways).code(), Code::kUnavailable);
}

TEST(AdmissionTest, AClientFillsItsPartOfTheQueueOnly) {
  Admission admission({1, 8, 2, 100});
  const auto place = admission.Enter("greedy", 1, kAlways);
  std::atomic<bool> wanted{true};
  const auto waits = [&](const char* client) {
    return std::thread([&admission, &wanted, client] {
      EXPECT_EQ(admission.Enter(client, 1, [&] { return wanted.load(); }).code(), Code::kCancelled);
    });
  };
  std::vector<std::thread> threads;
  threads.push_back(waits("greedy"));
  threads.push_back(waits("greedy"));
  while (admission.stats().waiting < 2) std::this_thread::yield();
  const auto refused = admission.Enter("greedy", 1, kAlways);
  EXPECT_EQ(refused.code(), Code::kQuotaUsed);
  EXPECT_NE(refused.status().message().find("at most 2"), std::string::npos);
  threads.push_back(waits("modest"));
  while (admission.stats().waiting < 3) std::this_thread::yield();
  wanted = false;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admission.stats().waiting, 0);
}

// One client's long queue is no reason for another to wait behind all of it.
TEST(AdmissionTest, ClientsTakeTurns) {
  Admission admission({1, 64, 64, 100});
  std::mutex mutex;
  std::string order;  // who was let in, under mutex
  std::vector<std::thread> threads;
  const auto ask = [&](const char* client) {
    const int64_t before = admission.stats().waiting;
    threads.emplace_back([&, client] {
      const auto place = admission.Enter(client, 1, kAlways);
      ASSERT_TRUE(place.ok());
      const std::lock_guard lock(mutex);
      order += client;
    });
    while (admission.stats().waiting == before) std::this_thread::yield();
  };
  {
    const auto place = admission.Enter("a", 1, kAlways);
    for (int i = 0; i < 6; ++i) ask("a");
    ask("b");
    ask("b");
    ask("c");
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order.substr(0, 5), "bcaba");
  EXPECT_EQ(order.size(), 9U);
}

TEST(AdmissionTest, NeverMoreThanTheLimitsAndAllComeThrough) {
  Admission admission({3, 64, 64, 100});
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  std::atomic<int> through{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const auto place = admission.Enter("one", 40, kAlways);  // the memory lets two in
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
