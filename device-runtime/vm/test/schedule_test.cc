// The scheduler: shares, priorities, deadlines, cancellation, and that long work leaves its
// processor to others.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "device-runtime/vm/isolate.h"
#include "device-runtime/vm/schedule/scheduler.h"

namespace ferry::vm {
namespace {

constexpr char kEndless[] = "while True: pass";

// Runs `source` in an isolate of its own.
Scheduler::Job Script(std::string source, int64_t steps = INT64_MAX / 2) {
  return [source = std::move(source), steps](Pacer& pacer) -> Status {
    auto isolate = Isolate::Create({.limits = {.steps = steps}});
    if (!isolate.ok()) return isolate.status();
    (*isolate)->SetPacer(&pacer);
    return (*isolate)->RunSource(source, "task").status();
  };
}

struct Ends {
  std::mutex mutex;
  std::vector<std::string> order;
  std::map<std::string, Status> status;
  Scheduler::Done Note(const std::string& name) {
    return [this, name](const Status& s) {
      std::lock_guard lock(mutex);
      order.push_back(name);
      status[name] = s;
    };
  }
  bool Has(const std::string& name) {
    std::lock_guard lock(mutex);
    return status.count(name) > 0;
  }
  void Wait(const std::string& name) {
    for (int i = 0; i < 10'000 && !Has(name); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(Has(name)) << name;
  }
};

TEST(Scheduler, AnEndlessScriptLetsOthersEnd) {
  Ends ends;
  Scheduler scheduler({.slots = 1});
  const auto endless = scheduler.Post({.owner = "a"}, Script(kEndless), ends.Note("endless"));
  ASSERT_TRUE(endless.ok());
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(
        scheduler.Post({.owner = "b"}, Script("x = sum(range(1000))"), ends.Note(std::to_string(i)))
            .ok());
  ends.Wait("19");
  EXPECT_FALSE(ends.Has("endless"));
  scheduler.Cancel(*endless);
  ends.Wait("endless");
  EXPECT_EQ(ends.status["endless"].code(), Code::kCancelled);
  EXPECT_TRUE(ends.status["7"].ok()) << ends.status["7"].ToString();
}

TEST(Scheduler, OwnersShareByWeight) {
  Ends ends;
  Scheduler scheduler({.slots = 1});
  for (const auto& [owner, weight] : {std::pair("one", 1), std::pair("three", 3)})
    for (int i = 0; i < 3; ++i)  // more jobs are no larger share
      ASSERT_TRUE(scheduler
                      .Post({.owner = owner, .weight = weight}, Script(kEndless),
                            ends.Note(owner + std::to_string(i)))
                      .ok());
  const auto steps = [&] {
    std::pair<int64_t, int64_t> all;
    for (const auto& owner : scheduler.owners())
      (owner.owner == "one" ? all.first : all.second) = owner.steps;
    return all;
  };
  const auto before = steps();  // the first ran alone until the others were there
  int64_t one = 0, three = 0;
  for (int i = 0; i < 10'000 && one + three < 60 * kTurnSteps; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto now = steps();
    one = now.first - before.first;
    three = now.second - before.second;
  }
  EXPECT_GT(one, 0);
  EXPECT_NEAR(static_cast<double>(three) / static_cast<double>(one), 3, 1);
}

TEST(Scheduler, PriorityAndDeadlineGoFirst) {
  Ends ends;
  Scheduler scheduler({.slots = 1, .threads = 1});
  std::atomic<bool> go{false};
  ASSERT_TRUE(scheduler
                  .Post(
                      {.owner = "gate"},
                      [&](Pacer&) {
                        while (!go) std::this_thread::yield();
                        return OkStatus();
                      },
                      ends.Note("gate"))
                  .ok());
  const int64_t soon = sys::SystemClock().MonotonicNs() + int64_t{60} * 1'000'000'000;
  const auto post = [&](const char* name, JobOptions options) {
    options.owner = name;
    ASSERT_TRUE(scheduler.Post(options, Script("x = 1"), ends.Note(name)).ok());
  };
  post("idle", {.priority = Priority::kIdle});
  post("normal", {});
  post("later", {.deadline_ns = soon + 1});
  post("sooner", {.deadline_ns = soon});
  post("urgent", {.priority = Priority::kUrgent});
  go = true;
  ends.Wait("idle");
  EXPECT_EQ(ends.order,
            (std::vector<std::string>{"gate", "urgent", "sooner", "later", "normal", "idle"}));
}

TEST(Scheduler, DeadlinesEndJobs) {
  Ends ends;
  Scheduler scheduler({.slots = 1});
  const int64_t now = sys::SystemClock().MonotonicNs();
  ASSERT_TRUE(scheduler
                  .Post({.owner = "a", .deadline_ns = now + 30'000'000}, Script(kEndless),
                        ends.Note("running"))
                  .ok());
  ASSERT_TRUE(
      scheduler.Post({.owner = "b", .deadline_ns = now - 1}, Script("x = 1"), ends.Note("late"))
          .ok());
  ends.Wait("running");
  ends.Wait("late");
  EXPECT_EQ(ends.status["running"].code(), Code::kDeadlineExceeded);
  EXPECT_EQ(ends.status["late"].code(), Code::kDeadlineExceeded);
}

Result<Value> Sleep(CallContext& c) {
  const LongWork running(c);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return Value::None();
}

TEST(Scheduler, LongWorkLeavesItsTurn) {
  static constexpr NativeFunction kFunctions[] = {{"sleep", Sleep}};
  static const NativeModule kModule = {"long", kFunctions};
  Ends ends;
  Scheduler scheduler({.slots = 1});
  ASSERT_TRUE(scheduler
                  .Post(
                      {.owner = "a"},
                      [](Pacer& pacer) -> Status {
                        auto isolate = Isolate::Create({.modules = {&kModule}});
                        (*isolate)->SetPacer(&pacer);
                        return (*isolate)->RunSource("import long\nlong.sleep()", "t").status();
                      },
                      ends.Note("long"))
                  .ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  ASSERT_TRUE(scheduler.Post({.owner = "b"}, Script("x = 1"), ends.Note("short")).ok());
  ends.Wait("long");
  EXPECT_EQ(ends.order, (std::vector<std::string>{"short", "long"}));
  EXPECT_TRUE(ends.status["long"].ok()) << ends.status["long"].ToString();
}

TEST(Scheduler, CallersWaitForTheirTurn) {
  Scheduler scheduler({.slots = 1});
  Ends ends;
  const auto endless = scheduler.Post({.owner = "a"}, Script(kEndless), ends.Note("endless"));
  EXPECT_TRUE(scheduler.RunHere({.owner = "b"}, Script("x = sum(range(100000))")).ok());
  EXPECT_EQ(scheduler.RunHere({.owner = "b"}, Script(kEndless, 1'000'000)).code(),
            Code::kScriptTime);
  scheduler.Cancel(*endless);
  ends.Wait("endless");
}

TEST(Scheduler, TheEndCancelsAll) {
  Ends ends;
  {
    Scheduler scheduler({.slots = 2, .threads = 3});
    for (int i = 0; i < 8; ++i)
      ASSERT_TRUE(scheduler
                      .Post({.owner = std::to_string(i % 3)}, Script(kEndless),
                            ends.Note(std::to_string(i)))
                      .ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(ends.order.size(), 8u);
  for (const auto& [name, status] : ends.status) EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST(Scheduler, TooManyJobsAreRefused) {
  Ends ends;
  Scheduler scheduler({.slots = 1, .max_jobs = 2});
  ASSERT_TRUE(scheduler.Post({.owner = "a"}, Script(kEndless), ends.Note("1")).ok());
  ASSERT_TRUE(scheduler.Post({.owner = "a"}, Script(kEndless), ends.Note("2")).ok());
  EXPECT_EQ(scheduler.Post({.owner = "a"}, Script(kEndless), ends.Note("3")).status().code(),
            Code::kLimitExceeded);
}

TEST(Scheduler, ManyJobsFromManyThreads) {
  std::atomic<int> ended{0};
  {
    Scheduler scheduler({.slots = 2, .threads = 6});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 25; ++i) {
          auto id = scheduler.Post(
              {.owner = "task" + std::to_string(t), .priority = static_cast<Priority>(i % 3)},
              Script(i % 5 == 4 ? kEndless : "x = [str(i) for i in range(3000)]"),
              [&](const Status&) { ++ended; });
          ASSERT_TRUE(id.ok());
          if (i % 5 == 4) scheduler.Cancel(*id);
        }
      });
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < 30'000 && ended < 100; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(ended, 100);
}

}  // namespace
}  // namespace ferry::vm
