#include "device-runtime/engine/run/thread_trial.h"

#include <gtest/gtest.h>

namespace ferry::engine {
namespace {

// Runs so often, each taking what its way takes; gives how many were made by one thread.
int64_t RunsAlone(ThreadTrial& trial, int64_t runs, int64_t threads_ns, int64_t alone_ns) {
  int64_t alone = 0;
  for (int64_t i = 0; i < runs; ++i) {
    const bool is_alone = trial.is_alone();
    alone += is_alone ? 1 : 0;
    trial.Add(is_alone ? alone_ns : threads_ns);
  }
  return alone;
}

TEST(ThreadTrial, TheFirstRunIsNotCounted) {
  ThreadTrial trial;
  trial.Add(1);
  EXPECT_EQ(RunsAlone(trial, 200, 40'000, 30'000), 200 - ThreadTrial::kRuns);
}

TEST(ThreadTrial, WhatIsFasterAloneRunsAlone) {
  ThreadTrial trial;
  EXPECT_GT(RunsAlone(trial, 100'000, 40'000, 30'000), 99'500);
}

TEST(ThreadTrial, WhatIsFasterWithThreadsIsRarelyTriedAlone) {
  ThreadTrial trial;
  const int64_t slightly = RunsAlone(trial, 100'000, 30'000, 40'000);
  EXPECT_GT(slightly, 0);
  EXPECT_LT(slightly, 200);
  ThreadTrial by_far;
  EXPECT_LT(RunsAlone(by_far, 100'000, 30'000, 90'000), slightly / 2);
}

TEST(ThreadTrial, LongRunsAreNeverTriedAlone) {
  ThreadTrial trial;
  EXPECT_EQ(RunsAlone(trial, 100, ThreadTrial::kLongestNs + 1, 1), 0);
  EXPECT_TRUE(trial.is_over());
}

TEST(ThreadTrial, AVerdictIsRevisedWhenTheMachineChanges) {
  ThreadTrial trial;
  RunsAlone(trial, 100'000, 40'000, 30'000);
  EXPECT_TRUE(trial.is_alone());
  EXPECT_GT(RunsAlone(trial, 2 * ThreadTrial::kMostPause, 20'000, 30'000), 0);
  EXPECT_FALSE(trial.is_alone());
}

TEST(ThreadTrial, DisturbedRunsDecideNothing) {
  ThreadTrial trial;
  int64_t alone = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const bool is_alone = trial.is_alone();
    alone += is_alone ? 1 : 0;
    trial.Add(i % 3 == 0 ? 4'000'000 : is_alone ? 40'000 : 30'000);
  }
  EXPECT_LT(alone, 50);
}

}  // namespace
}  // namespace ferry::engine
