// One contract for executors on a thread and in virtual time, and the two Parallel.
#include "common/sys/executor.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "common/sys/polite_executor.h"
#include "common/sys/sim/world.h"

namespace ferry::sys {
namespace {

class ExecutorContract : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    sim_ = std::string(GetParam()) == "sim";
    executor_ = sim_ ? world_.MakeExecutor() : StartThreadExecutor("test");
  }
  void Wait(const std::function<bool()>& done) {
    if (sim_) {
      ASSERT_TRUE(world_.RunUntil(done, 10'000));
      return;
    }
    for (int i = 0; i < 2000 && !done(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(done());
  }
  void Log(int x) {
    std::lock_guard lock(mutex_);
    log_.push_back(x);
  }
  std::vector<int> log() {
    std::lock_guard lock(mutex_);
    return log_;
  }

  bool sim_ = false;
  SimWorld world_{1};
  std::mutex mutex_;
  std::vector<int> log_;
  std::unique_ptr<Executor> executor_;
};

INSTANTIATE_TEST_SUITE_P(Both, ExecutorContract, testing::Values("posix", "sim"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ExecutorContract, TasksRunInOrder) {
  for (int i = 0; i < 100; ++i) executor_->Post([this, i] { Log(i); });
  Wait([this] { return log().size() == 100; });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(log()[i], i);
}

TEST_P(ExecutorContract, TimersRunByDueTime) {
  executor_->PostAfter(60, [this] { Log(3); });
  executor_->PostAfter(30, [this] { Log(2); });
  executor_->PostAfter(-5, [this] { Log(1); });
  Wait([this] { return log().size() == 3; });
  EXPECT_EQ(log(), (std::vector<int>{1, 2, 3}));
}

TEST_P(ExecutorContract, CancelledTimersNeverRun) {
  const auto id = executor_->PostAfter(10, [this] { Log(1); });
  executor_->Cancel(id);
  executor_->Cancel(id);
  executor_->Cancel(987654);
  executor_->PostAfter(30, [this] { Log(2); });
  Wait([this] { return !log().empty(); });
  EXPECT_EQ(log(), std::vector<int>{2});
}

TEST_P(ExecutorContract, TasksMayPostAndCancel) {
  executor_->Post([this] {
    const auto id = executor_->PostAfter(1, [this] { Log(9); });
    executor_->Cancel(id);
    executor_->Post([this] { Log(1); });
  });
  Wait([this] { return !log().empty(); });
  EXPECT_EQ(log(), std::vector<int>{1});
}

TEST_P(ExecutorContract, DroppedWithTasksWaiting) {
  executor_->PostAfter(1'000'000'000'000'000, [this] { Log(1); });
  auto held = std::make_shared<int>(5);
  std::weak_ptr<int> weak = held;
  executor_->PostAfter(100'000, [held] {});
  held.reset();
  executor_.reset();
  EXPECT_TRUE(weak.expired());
  EXPECT_TRUE(log().empty());
}

TEST(SimWorldTest, VirtualTimeMovesAtOnceAndRepeats) {
  std::vector<std::vector<int64_t>> runs;
  for (int run = 0; run < 2; ++run) {
    SimWorld world(5, 1000);
    auto executor = world.MakeExecutor();
    std::vector<int64_t> times;
    for (int i = 0; i < 20; ++i) {
      executor->PostAfter(static_cast<int64_t>(world.random().Below(86'400'000)),
                          [&] { times.push_back(world.clock().NowUnixMs()); });
    }
    world.RunFor(86'400'000);
    EXPECT_EQ(world.clock().NowUnixMs(), 86'401'000);
    world.JumpWallClock(-5000);
    EXPECT_EQ(world.clock().NowUnixMs(), 86'396'000);
    EXPECT_EQ(world.clock().MonotonicNs(), 86'400'000'000'000);
    runs.push_back(times);
  }
  EXPECT_EQ(runs[0].size(), 20u);
  EXPECT_EQ(runs[0], runs[1]);
}

void CheckCovers(Parallel& parallel, int64_t count, int64_t grain) {
  std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
  std::atomic<bool> small = false;
  std::atomic<int> ranges = 0;
  parallel.For(count, grain, [&](int64_t begin, int64_t end) {
    ++ranges;
    if (end - begin < grain && end != count) small = true;
    for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
  });
  for (const auto& hit : hits) ASSERT_EQ(hit, 1);
  EXPECT_FALSE(small);
  EXPECT_EQ(ranges == 0, count == 0);
}

TEST(ParallelTest, EveryIndexOnce) {
  auto pool = StartThreadPool(4);
  EXPECT_EQ(pool->width(), 4);
  EXPECT_EQ(SerialParallel().width(), 1);
  for (int64_t count : {0, 1, 2, 7, 64, 1000}) {
    for (int64_t grain : {1, 3, 100}) {
      CheckCovers(*pool, count, grain);
      CheckCovers(SerialParallel(), count, grain);
    }
  }
}

TEST(ParallelTest, ManyRounds) {
  auto pool = StartThreadPool(3);
  for (int round = 0; round < 500; ++round) {
    std::atomic<int64_t> sum = 0;
    pool->For(100, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum += i;
    });
    ASSERT_EQ(sum, 4950);
  }
}

TEST(ParallelTest, WakesThreadsThatSleep) {
  for (const Pinning pinning : {Pinning::kPin, Pinning::kFree}) {
    auto pool = StartThreadPool(2, pinning);
    std::set<std::thread::id> threads;
    std::mutex mutex;
    // Workers sleep soon after a round. Both threads take part once each waits for the other.
    for (int round = 0; round < 5; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      std::atomic<int> arrived = 0;
      pool->For(2, 1, [&](int64_t, int64_t) {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
      });
    }
    EXPECT_EQ(threads.size(), 2u);
  }
}

// More threads than processors, pieces of very different length: all work is done, and what a
// round wrote is seen after it.
TEST(ParallelTest, UnevenPiecesOnManyThreads) {
  auto pool = StartThreadPool(9);
  std::vector<int64_t> values(300);
  for (int round = 0; round < 50; ++round) {
    pool->For(300, 1, [&](int64_t begin, int64_t end) {
      if (begin == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
    });
    for (int64_t i = 0; i < 300; ++i) {
      ASSERT_EQ(values[static_cast<size_t>(i)], i * (round + 1));
    }
  }
}

TEST(ParallelTest, WidthFromTheEnvironment) {
  const char* before = std::getenv("FERRY_THREADS");
  const std::string saved = before != nullptr ? before : "";
  setenv("FERRY_THREADS", "3", 1);
  EXPECT_EQ(StartThreadPool(0)->width(), 3);
  setenv("FERRY_THREADS", "nonsense", 1);
  EXPECT_GE(StartThreadPool(0)->width(), 1);
  if (before != nullptr) {
    setenv("FERRY_THREADS", saved.c_str(), 1);
  } else {
    unsetenv("FERRY_THREADS");
  }
}

TEST(PoliteExecutor, TakesTheProcessorFromNobody) {
  std::promise<int> policy;
  const auto executor = StartPoliteExecutor("polite");
  executor->Post([&] { policy.set_value(sched_getscheduler(0)); });
  EXPECT_EQ(policy.get_future().get(), SCHED_BATCH);
}

}  // namespace
}  // namespace ferry::sys
