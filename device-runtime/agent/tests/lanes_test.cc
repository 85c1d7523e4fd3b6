// Tasks on threads of their own, whose scripts take turns: real threads, real scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"
#include "device-runtime/agent/run/tasks.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/shared_parallel.h"
#include "pipeline/event/event.h"

namespace ferry::agent {
namespace {

constexpr char kAnswers[] = "def on_trigger(matched):\n    return matched[-1]['data']['n'] + 1\n";
constexpr char kLoops[] = "def on_trigger(matched):\n    while True: pass\n";
constexpr char kWorks[] =
    "def on_trigger(matched):\n    n = 0\n    for i in range(3000000): n += i\n    return n\n";

class LanesTest : public testing::Test {
 protected:
  LanesTest() {
    home_ = sys::StartThreadExecutor("home");
    worker_ = sys::StartThreadExecutor("worker");
  }
  // One processor for all scripts.
  void Begin(sys::Clock* clock = nullptr) {
    set_ = std::make_unique<task::TaskSet>(
        task::TaskSetOptions{.executor = worker_.get(), .clock = clock, .threads = 1});
    OnHome([&] {
      tasks_ = std::make_unique<Tasks>(*home_, *set_, TaskRunnerLoader(disk_, *set_), nullptr,
                                       [this](const TaskOutcome& outcome) { Note(outcome); });
    });
  }
  ~LanesTest() override {
    OnHome([&] { tasks_.reset(); });
    set_.reset();
    worker_.reset();
    home_.reset();
  }

  void OnHome(const std::function<void()>& body) {
    std::promise<void> done;
    home_->Post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }
  std::shared_ptr<PackageRunner> Prepare(const std::string& name, const std::string& script,
                                         const Json& more = Json::object()) {
    package::Manifest manifest;
    manifest.name = name;
    manifest.version = "1.0.0";
    manifest.content = "task";
    manifest.task = {{"script", "task.py"}, {"trigger", {{"sequence", {{{"event", "do"}}}}}}};
    manifest.task.update(more);
    const auto bytes = package::WritePackage(manifest, {{"task.py", AsBytes(script)}});
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    EXPECT_TRUE(sys::WriteFileAtomically(disk_, name + ".fpk", *bytes).ok());
    std::promise<Result<std::shared_ptr<PackageRunner>>> made;
    OnHome([&] {
      tasks_->Prepare(name + ".fpk", {}, false, [&](Result<std::shared_ptr<PackageRunner>> runner) {
        made.set_value(std::move(runner));
      });
    });
    auto runner = made.get_future().get();
    EXPECT_TRUE(runner.ok()) << runner.status().ToString();
    return runner.value_or(nullptr);
  }
  void Use(const std::string& name, std::shared_ptr<PackageRunner> runner) {
    ASSERT_NE(runner, nullptr);
    OnHome([&] { EXPECT_TRUE(tasks_->Use(name, "1.0.0", "r", std::move(runner)).ok()); });
  }
  void Install(const std::string& name, const std::string& script, Json more = Json::object()) {
    Use(name, Prepare(name, script, more));
  }
  Status Send(int n) {
    Status status;
    event::Event event;
    event.id = "do";
    event.data = {{"n", n}};
    OnHome([&] { status = tasks_->Deliver(std::move(event), nullptr); });
    return status;
  }
  void Note(const TaskOutcome& outcome) {
    const std::lock_guard lock(mutex_);
    outcomes_.push_back(outcome);
    outcomes_.back().waits = nullptr;
    changed_.notify_all();
  }
  // Whether `count` outcomes have come within 30 s.
  bool Wait(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30),
                             [&] { return outcomes_.size() >= count; });
  }
  void Close() {
    std::promise<void> closed;
    OnHome([&] { tasks_->Close([&] { closed.set_value(); }); });
    closed.get_future().wait();
  }

  sys::SimFileSystem disk_;
  sys::SimWorld world_{1};  // for a clock that stands still
  std::unique_ptr<sys::Executor> home_, worker_;
  std::unique_ptr<task::TaskSet> set_;
  std::unique_ptr<Tasks> tasks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<TaskOutcome> outcomes_;
};

TEST_F(LanesTest, WhatTakesLongHoldsUpNeitherTheLineNorTasks) {
  Begin();
  Install("answers", kAnswers);
  std::promise<void> begun, let_go;
  std::promise<Status> ended;
  OnHome([&] {
    tasks_->Aside(
        [&] {
          begun.set_value();
          let_go.get_future().wait();
          return Status(Code::kBadDelta, "it is");
        },
        [&](const Status& status) { ended.set_value(status); });
  });
  begun.get_future().wait();
  ASSERT_TRUE(Send(1).ok());
  EXPECT_TRUE(Wait(1));
  let_go.set_value();
  EXPECT_EQ(ended.get_future().get().code(), Code::kBadDelta);
}

TEST_F(LanesTest, AnEndlessLoopDelaysNoOtherTask) {
  Begin();
  Install("answers", kAnswers);
  Install("loops", kLoops, {{"limits", {{"wall_ms", 1500}, {"steps", 10'000'000'000}}}});
  for (int n = 1; n <= 5; ++n) ASSERT_TRUE(Send(n).ok());
  ASSERT_TRUE(Wait(5));
  {
    const std::lock_guard lock(mutex_);
    for (int n = 1; n <= 5; ++n) {
      EXPECT_EQ(outcomes_[n - 1].package, "answers");
      EXPECT_EQ(outcomes_[n - 1].outcome.result, Json(n + 1));
    }
  }
  // The loop ends by its own limit and the next event finds the task alive.
  ASSERT_TRUE(Wait(6));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(outcomes_[5].package, "loops");
  EXPECT_EQ(outcomes_[5].outcome.error.code(), Code::kDeadlineExceeded);
}

TEST_F(LanesTest, ClosingCancelsWhatRunsOn) {
  Begin();
  Install("loops", kLoops, {{"limits", {{"wall_ms", 3'600'000}, {"steps", 10'000'000'000}}}});
  ASSERT_TRUE(Send(1).ok());
  Close();
  ASSERT_TRUE(Wait(1));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(outcomes_[0].outcome.error.code(), Code::kCancelled);
}

TEST_F(LanesTest, TheHigherPriorityGoesFirst) {
  Begin(&world_.clock());  // nobody grows important by waiting
  const Json steps = {{"steps", 1'000'000'000}};
  Install("a-idle", kWorks, {{"schedule", {{"priority", "idle"}}}, {"limits", steps}});
  Install("b-urgent", kWorks, {{"schedule", {{"priority", "urgent"}}}, {"limits", steps}});
  // The idle one is asked first and both do the same work; the only turn is kept until both wait.
  const Status held = set_->scheduler()->RunHere({.owner = "test"}, [&](vm::Pacer&) {
    const Status sent = Send(1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (set_->scheduler()->jobs() < 3 && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return sent;
  });
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(Wait(2));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(outcomes_[0].package, "b-urgent");
  EXPECT_EQ(outcomes_[1].package, "a-idle");
  EXPECT_EQ(outcomes_[0].outcome.result, outcomes_[1].outcome.result);
}

// Events that wait run in the version that they started; the next one starts the version after.
TEST_F(LanesTest, AVersionSwitchesWhileEventsWait) {
  Begin();
  const std::string script = "def on_trigger(matched): return [";
  Install("answers", script + "'one', matched[-1]['data']['n']]\n");
  auto next = Prepare("answers", script + "'two', matched[-1]['data']['n']]\n");
  const Status held = set_->scheduler()->RunHere({.owner = "test"}, [&](vm::Pacer&) {
    for (int n = 1; n <= 3; ++n) EXPECT_TRUE(Send(n).ok());
    Use("answers", std::move(next));
    return Send(4);
  });
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(Wait(4));
  const std::lock_guard lock(mutex_);
  for (int n = 1; n <= 4; ++n)
    EXPECT_EQ(outcomes_[n - 1].outcome.result, (Json{n < 4 ? "one" : "two", n}));
}

TEST_F(LanesTest, ATaskThatLagsBehindRefusesEvents) {
  Begin();
  Install("answers", kAnswers);
  const Status held = set_->scheduler()->RunHere({.owner = "test"}, [&](vm::Pacer&) {
    for (size_t n = 0; n < kMaxLaneEvents + 2; ++n) EXPECT_TRUE(Send(static_cast<int>(n)).ok());
    EXPECT_TRUE(Wait(2));  // the refusals, which wait for no lane
    return OkStatus();
  });
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(Wait(kMaxLaneEvents + 2));
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(outcomes_[2].outcome.fired);
  for (size_t n = 0; n < 2; ++n) {
    EXPECT_FALSE(outcomes_[n].outcome.fired);
    EXPECT_EQ(outcomes_[n].outcome.error.code(), Code::kLimitExceeded);
    EXPECT_THAT(outcomes_[n].outcome.error.message(),
                testing::HasSubstr("events wait for answers already"));
  }
}

TEST_F(LanesTest, ARunPastItsDeadlineEnds) {
  Begin();
  Install("late", kLoops,
          {{"schedule", {{"deadline_ms", 200}}}, {"limits", {{"steps", 10'000'000'000}}}});
  ASSERT_TRUE(Send(1).ok());
  ASSERT_TRUE(Wait(1));
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(outcomes_[0].outcome.error.code(), Code::kDeadlineExceeded);
}

TEST(SharedParallel, WhoeverFindsThePoolBusyWorksAlone) {
  task::SharedParallel shared(sys::StartThreadPool(2));
  std::atomic<int64_t> sum = 0;
  const auto add = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) sum += i;
  };
  std::vector<std::unique_ptr<sys::Executor>> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(sys::StartThreadExecutor("user"));
    threads.back()->Post([&] {
      for (int k = 0; k < 200; ++k) shared.For(100, 1, add);
    });
  }
  for (auto& thread : threads) {
    std::promise<void> done;
    thread->Post([&] { done.set_value(); });
    done.get_future().wait();
  }
  EXPECT_EQ(sum, int64_t{4} * 200 * 4950);
}

}  // namespace
}  // namespace ferry::agent
