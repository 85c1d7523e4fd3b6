// Sets of tasks over runners without scripts: who is woken by what, in which order, and how it
// ends. Scripts that take turns are in agent/tests/lanes_test.cc.
#include "device-runtime/task/task_set.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "common/sys/sim/world.h"
#include "device-runtime/task/outcome.h"

namespace ferry::task {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Opens once; whoever waits for it goes on then.
class Gate {
 public:
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

// What runners did, in order.
class Log {
 public:
  void Add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

// Answers with the numbers of its events, once `gate`, if there is one, is open.
class Recorder : public PackageRunner {
 public:
  Recorder(std::string name, std::vector<trigger::Step> steps, Log* log, Gate* gate = nullptr)
      : name_(std::move(name)), log_(log), gate_(gate) {
    if (steps.empty()) return;
    auto definition = std::make_shared<flow::Definition>();
    definition->trigger = trigger::Trigger{std::move(steps), 0, false};
    definition_ = std::move(definition);
  }
  Status Probe() override { return OkStatus(); }
  std::shared_ptr<const flow::Definition> definition() const override { return definition_; }
  EventOutcome Run(const flow::Start& start) override {
    if (gate_ != nullptr) gate_->Wait();
    std::string line = name_;
    for (const auto& event : std::get<flow::TriggerStart>(start.why).events) {
      line += " " + WriteJson(event->data);
      last_time_ms = event->time_ms;
    }
    log_->Add(line);
    EventOutcome out;
    out.fired = true;
    out.result = line;
    ++fired_;
    return out;
  }
  HostStats stats() const override {
    HostStats out;
    out.fired = fired_;
    return out;
  }

  std::atomic<int64_t> last_time_ms = 0;

 private:
  const std::string name_;
  std::shared_ptr<const flow::Definition> definition_;
  Log* log_;
  Gate* gate_;
  std::atomic<int64_t> fired_ = 0;
};

event::Event Named(const std::string& id, int n) {
  event::Event event;
  event.id = id;
  event.data = n;
  return event;
}

class TaskSetTest : public testing::Test {
 protected:
  std::unique_ptr<TaskGroup> MakeGroup(const std::string& name, size_t limit = kMaxWaitingEvents) {
    TaskGroupOptions options;
    options.name = name;
    options.max_lane_events = limit;
    options.on_outcome = [this](TaskOutcome outcome, const RunningTask&) {
      const std::lock_guard lock(mutex_);
      outcomes_.push_back(std::move(outcome));
    };
    return set_.MakeGroup(std::move(options));
  }
  std::shared_ptr<Recorder> Use(TaskGroup& group, const std::string& name,
                                std::vector<trigger::Step> steps, Gate* gate = nullptr) {
    auto runner = std::make_shared<Recorder>(name, std::move(steps), &log_, gate);
    EXPECT_TRUE(group.Use(name, "1", "", runner).ok());
    return runner;
  }
  static void Flush(TaskGroup& group) {
    std::promise<void> done;
    group.WhenDone([&done] { done.set_value(); });
    done.get_future().wait();
  }
  static void Close(TaskGroup& group) {
    std::promise<void> done;
    group.Close([&done] { done.set_value(); });
    done.get_future().wait();
  }
  size_t TakeRefused() {
    const std::lock_guard lock(mutex_);
    return outcomes_.size();
  }
  std::vector<TaskOutcome> TakeOutcomes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcomes_, {});
  }

  Log log_;
  std::mutex mutex_;
  std::vector<TaskOutcome> outcomes_;
  std::unique_ptr<sys::Executor> executor_ = sys::StartThreadExecutor("set");
  TaskSet set_{{.executor = executor_.get()}};
};

TEST_F(TaskSetTest, OneEventStartsTasksOfAllGroups) {
  auto app = MakeGroup("app/"), agent = MakeGroup("agent/");
  Use(*app, "a", {{"go", ""}, {"do", ""}});
  Use(*app, "idle", {{"else", ""}});
  auto stamped = Use(*agent, "a", {{"do", ""}});
  for (const auto& [id, n] : {std::pair("go", 1), std::pair("do", 2), std::pair("do", 3)})
    ASSERT_TRUE(set_.Send(Named(id, n)).ok());
  Flush(*app);
  Flush(*agent);
  EXPECT_THAT(log_.lines(), testing::UnorderedElementsAre("a 1 2", "a 2", "a 3"));
  EXPECT_GT(stamped->last_time_ms, 0);
  EXPECT_EQ(TakeOutcomes().size(), 3u);
  std::promise<HostStats> stats;
  ASSERT_TRUE(app->Run("idle", [&](const RunningTask& task) { stats.set_value(task.stats()); }));
  const HostStats idle = stats.get_future().get();
  EXPECT_EQ(idle.events, 3);
  EXPECT_EQ(idle.fired, 0);
  EXPECT_FALSE(app->Run("none", [](const RunningTask&) {}));
}

TEST_F(TaskSetTest, ASlowTaskDelaysNoOtherAndKeepsItsOrder) {
  Gate gate;
  auto group = MakeGroup("app/");
  Use(*group, "slow", {{"do", ""}}, &gate);
  Use(*group, "quick", {{"do", ""}});
  for (int n = 1; n <= 20; ++n) ASSERT_TRUE(set_.Send(Named("do", n)).ok());
  while (log_.lines().size() < 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  for (int n = 1; n <= 20; ++n) EXPECT_EQ(log_.lines()[n - 1], "quick " + std::to_string(n));
  while (set_.waiting() != 20u) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  gate.Open();
  Flush(*group);
  for (int n = 1; n <= 20; ++n) EXPECT_EQ(log_.lines()[n + 19], "slow " + std::to_string(n));
  EXPECT_EQ(set_.waiting(), 20u);  // the outcomes are still held
  TakeOutcomes();
  EXPECT_EQ(set_.waiting(), 0u);
}

TEST_F(TaskSetTest, EventsThatNoneWantsDoNotWait) {
  Gate gate;
  auto group = MakeGroup("app/");
  Use(*group, "slow", {{"do", ""}}, &gate);
  for (size_t n = 0; n < kMaxWaitingEvents; ++n) {
    while (!set_.Send(Named("other", 0)).ok()) std::this_thread::yield();
    while (!set_.Send(Named("do", 0)).ok()) std::this_thread::yield();
  }
  while (set_.waiting() > kMaxWaitingEvents) std::this_thread::yield();
  const Status refused = set_.Send(Named("do", 0));
  EXPECT_EQ(refused.code(), Code::kLimitExceeded);
  EXPECT_THAT(refused.message(), HasSubstr("10000 events wait"));
  gate.Open();
  Flush(*group);
  EXPECT_EQ(TakeOutcomes().size(), kMaxWaitingEvents);
  EXPECT_TRUE(set_.Send(Named("do", 0)).ok());
  Flush(*group);
}

// Who sends may hold a lock that it takes when the event is done: a sender that keeps order does.
TEST_F(TaskSetTest, DoneIsNeverCalledInsideSend) {
  constexpr int kEvents = 20'000;
  std::mutex mutex;
  std::condition_variable moved;
  int done = 0;
  bool inside = false;
  const std::thread::id sender = std::this_thread::get_id();
  for (int k = 0; k < kEvents; ++k) {
    {
      std::unique_lock lock(mutex);
      moved.wait(lock, [&] { return k - done < 100; });
    }
    const Status sent = set_.Send(Named("nobody", k), [&] {
      if (std::this_thread::get_id() == sender) inside = true;
      const std::lock_guard lock(mutex);
      ++done;
      moved.notify_all();
    });
    ASSERT_TRUE(sent.ok());
  }
  std::unique_lock lock(mutex);
  moved.wait(lock, [&] { return done == kEvents; });
  EXPECT_FALSE(inside);
}

// What is past the limit leaves the beginning that the trigger has seen as it was.
TEST_F(TaskSetTest, ATaskPastItsLimitDoesNotSeeTheEvent) {
  Gate gate;
  auto group = MakeGroup("app/", 2);
  Use(*group, "slow", {{"go", ""}, {"do", ""}}, &gate);
  for (int n = 0; n < 4; n += 2) {
    ASSERT_TRUE(set_.Send(Named("go", n)).ok());
    ASSERT_TRUE(set_.Send(Named("do", n + 1)).ok());
  }
  ASSERT_TRUE(set_.Send(Named("go", 4)).ok());
  while (TakeRefused() == 0) std::this_thread::yield();
  gate.Open();
  Flush(*group);
  std::vector<TaskOutcome> outcomes = TakeOutcomes();
  ASSERT_EQ(outcomes.size(), 3u);
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const auto& a, const auto& b) { return a.outcome.fired > b.outcome.fired; });
  EXPECT_FALSE(outcomes[2].outcome.fired);
  EXPECT_EQ(outcomes[2].outcome.error.message(), "2 events wait for slow already");
  outcomes.clear();
  EXPECT_EQ(set_.waiting(), 0u);
  ASSERT_TRUE(set_.Send(Named("do", 7)).ok());  // the last "go" was not seen
  ASSERT_TRUE(set_.Send(Named("go", 8)).ok());
  ASSERT_TRUE(set_.Send(Named("do", 9)).ok());
  Flush(*group);
  EXPECT_THAT(log_.lines(), ElementsAre("slow 0 1", "slow 2 3", "slow 8 9"));
}

TEST_F(TaskSetTest, ANewVersionTakesOverFromTheNextEvent) {
  Gate gate;
  auto group = MakeGroup("app/");
  Use(*group, "t", {{"go", ""}, {"do", ""}}, &gate);
  for (const auto& [id, n] : {std::pair("go", 1), std::pair("do", 2), std::pair("go", 3)})
    ASSERT_TRUE(set_.Send(Named(id, n)).ok());
  auto next = std::make_shared<Recorder>("next", std::vector<trigger::Step>{{"do", ""}}, &log_);
  ASSERT_TRUE(group->Use("t", "2", "r", next).ok());
  ASSERT_TRUE(set_.Send(Named("do", 4)).ok());  // completes nothing of the version before
  group->SetRelease("t", "s");
  ASSERT_TRUE(set_.Send(Named("do", 5)).ok());
  gate.Open();
  Flush(*group);
  EXPECT_THAT(log_.lines(), ElementsAre("t 1 2", "next 4", "next 5"));
  const auto outcomes = TakeOutcomes();
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].version, "1");
  EXPECT_EQ(outcomes[1].version + outcomes[1].release, "2r");
  EXPECT_EQ(outcomes[2].version + outcomes[2].release, "2s");
  const auto running = group->Find("t");
  ASSERT_NE(running, nullptr);
  EXPECT_EQ(running->stats().events, 2);
}

TEST_F(TaskSetTest, ARemovedTaskEndsWithWhatItHas) {
  Gate gate;
  auto group = MakeGroup("g/");
  Use(*group, "gone", {{"a", ""}}, &gate);
  Use(*group, "stays", {{"a", ""}});
  ASSERT_TRUE(set_.Send(Named("a", 1)).ok());
  std::promise<void> removed;
  group->Remove("gone", [&removed] { removed.set_value(); });
  EXPECT_EQ(group->Find("gone"), nullptr);
  ASSERT_TRUE(set_.Send(Named("a", 2)).ok());
  gate.Open();
  removed.get_future().wait();
  Flush(*group);
  EXPECT_THAT(log_.lines(), testing::UnorderedElementsAre("gone 1", "stays 1", "stays 2"));
  // It may come again, and what was never there is removed at once.
  Use(*group, "gone", {{"a", ""}});
  std::promise<void> never;
  group->Remove("never", [&never] { never.set_value(); });
  never.get_future().wait();
  ASSERT_TRUE(set_.Send(Named("a", 3)).ok());
  Flush(*group);
  EXPECT_THAT(log_.lines(), testing::Contains("gone 3"));
}

TEST_F(TaskSetTest, AGroupClosesWithTheTasksThatLeaveIt) {
  Gate gate;
  auto group = MakeGroup("g/");
  Use(*group, "gone", {{"a", ""}}, &gate);
  ASSERT_TRUE(set_.Send(Named("a", 1)).ok());
  group->Remove("gone", [] {});
  std::promise<void> closed;
  group->Close([&closed] { closed.set_value(); });
  gate.Open();
  closed.get_future().wait();
  EXPECT_THAT(log_.lines(), ElementsAre("gone 1"));
}

TEST_F(TaskSetTest, ClosingAGroupLeavesTheOthers) {
  auto app = MakeGroup("app/"), agent = MakeGroup("agent/");
  Use(*app, "a", {{"do", ""}});
  Use(*agent, "b", {{"do", ""}});
  Use(*agent, "model", {});
  ASSERT_TRUE(set_.Send(Named("do", 1)).ok());
  Close(*agent);
  EXPECT_EQ(agent->Find("b"), nullptr);
  ASSERT_TRUE(set_.Send(Named("do", 2)).ok());
  agent.reset();
  ASSERT_TRUE(set_.Send(Named("do", 3)).ok());
  Flush(*app);
  EXPECT_THAT(log_.lines(), testing::UnorderedElementsAre("a 1", "b 1", "a 2", "a 3"));
}

TEST_F(TaskSetTest, ManyThreadsSendAndTasksComeAndGo) {
  auto group = MakeGroup("app/");
  std::vector<std::thread> senders;
  for (int t = 0; t < 3; ++t)
    senders.emplace_back([this] {
      for (int n = 0; n < 300; ++n) EXPECT_TRUE(set_.Send(Named("do", n)).ok());
    });
  for (int n = 0; n < 30; ++n) {
    auto other = MakeGroup("other/");
    Use(*other, "t", {{"do", ""}});
    Use(*group, "t", {{"do", ""}});
    if (n % 2 == 0) Close(*other);
  }
  for (std::thread& sender : senders) sender.join();
  Close(*group);
  TakeOutcomes();
  EXPECT_EQ(set_.waiting(), 0u);
}

// Without lanes of their own tasks run on the set's executor, in virtual time here.
TEST(TaskSetInASimulation, TasksRunOneAfterAnother) {
  sys::SimWorld world(1);
  auto executor = world.MakeExecutor();
  Log log;
  TaskSet set({.executor = executor.get(), .clock = &world.clock(), .own_lanes = false});
  EXPECT_EQ(set.scheduler(), nullptr);
  EXPECT_EQ(set.parallel(), nullptr);
  auto group = set.MakeGroup({.name = "app/"});
  auto runner = std::make_shared<Recorder>("t", std::vector<trigger::Step>{{"do", ""}}, &log);
  ASSERT_TRUE(group->Use("t", "1", "", runner).ok());
  ASSERT_TRUE(set.Send(Named("do", 1)).ok());
  EXPECT_TRUE(log.lines().empty());
  EXPECT_EQ(set.waiting(), 1u);
  world.RunFor(kAdvanceMs + 1);
  EXPECT_THAT(log.lines(), ElementsAre("t 1"));
  EXPECT_EQ(set.waiting(), 0u);
  EXPECT_EQ(runner->last_time_ms, 1'767'225'600'000);
  bool closed = false;
  group->Close([&closed] { closed = true; });
  world.RunFor(1);
  EXPECT_TRUE(closed);
  EXPECT_THAT(log.lines(), ElementsAre("t 1"));
}

// Time alone wakes a set only while a stream, a rule or the clock needs it.
TEST(TaskSetInASimulation, IsNotWokenForTriggers) {
  sys::SimWorld world(1);
  auto executor = world.MakeExecutor();
  Log log;
  TaskSet set({.executor = executor.get(), .clock = &world.clock(), .own_lanes = false});
  auto group = set.MakeGroup({.name = "app/"});
  auto runner = std::make_shared<Recorder>("t", std::vector<trigger::Step>{{"do", ""}}, &log);
  ASSERT_TRUE(group->Use("t", "1", "", runner).ok());
  world.RunFor(10 * kAdvanceMs);
  const uint64_t idle = world.steps();
  world.RunFor(100 * kAdvanceMs);
  EXPECT_EQ(world.steps(), idle);
  auto clock =
      std::make_shared<Recorder>("c", std::vector<trigger::Step>{{"every:1000", ""}}, &log);
  ASSERT_TRUE(group->Use("c", "1", "", clock).ok());
  world.RunFor(10 * kAdvanceMs);
  EXPECT_GE(log.lines().size(), 8u);
  ASSERT_TRUE(group->Use("c", "2", "", runner).ok());
  world.RunFor(10 * kAdvanceMs);
  const uint64_t idle_again = world.steps();
  world.RunFor(100 * kAdvanceMs);
  EXPECT_EQ(world.steps(), idle_again);
}

// Runs on the rows of one stream: visits of a page, whose exits wait 15 ms for what is late.
class VisitRunner : public PackageRunner {
 public:
  Status Probe() override { return OkStatus(); }
  std::shared_ptr<const flow::Definition> definition() const override {
    auto read = flow::DefinitionFromJson(*ParseJson(R"({"streams":[{"name":"v","to":"f",
      "source":["page_enter","page_exit"],"idle_ms":20,"operators":[{"op":"window","kind":"page",
      "allowed_lateness_ms":15,"aggregates":[{"op":"count","as":"n"}]}]}]})"));
    EXPECT_TRUE(read.ok()) << read.status().ToString();
    return std::make_shared<const flow::Definition>(*std::move(read));
  }
  EventOutcome Run(const flow::Start&) override {
    ++runs;
    EventOutcome out;
    out.fired = true;
    return out;
  }
  HostStats stats() const override { return {}; }
  int runs = 0;
};

// Not only once a second.
TEST(TaskSetInASimulation, WindowsOfShortIdleStreamsCloseInTime) {
  sys::SimWorld world(1);
  auto executor = world.MakeExecutor();
  TaskSet set({.executor = executor.get(), .clock = &world.clock(), .own_lanes = false});
  auto group = set.MakeGroup({.name = "app/"});
  auto runner = std::make_shared<VisitRunner>();
  ASSERT_TRUE(group->Use("t", "1", "", runner).ok());
  for (int visit = 1; visit <= 3; ++visit) {
    for (const char* id : {"page_enter", "page_exit"}) {
      event::Event event;
      event.id = id;
      event.page = "item";
      ASSERT_TRUE(set.Send(std::move(event)).ok());
      world.RunFor(10);
    }
    world.RunFor(8);  // 18 ms after the exit
    EXPECT_EQ(runner->runs, visit - 1);
    world.RunFor(5);
    EXPECT_EQ(runner->runs, visit);
    world.RunFor(60);
  }
  bool closed = false;
  group->Close([&closed] { closed = true; });
  world.RunFor(1);
  EXPECT_TRUE(closed);
}

TEST(TaskSetInASimulation, WaitingEventsAreBoundedInBytes) {
  sys::SimWorld world(1);
  auto executor = world.MakeExecutor();
  Log log;
  TaskSet set({.executor = executor.get(), .clock = &world.clock(), .own_lanes = false});
  auto group = set.MakeGroup({.name = "app/"});
  auto runner = std::make_shared<Recorder>("t", std::vector<trigger::Step>{{"do", ""}}, &log);
  ASSERT_TRUE(group->Use("t", "1", "", runner).ok());
  event::Event large = Named("do", 1);
  large.bytes = kMaxWaitingBytes / 4;
  large.time_ms = world.clock().NowUnixMs() + event::kMaxAheadMs + 1;
  for (int n = 0; n < 4; ++n) ASSERT_TRUE(set.Send(large).ok());
  const Status full = set.Send(Named("do", 2));
  EXPECT_EQ(full.code(), Code::kLimitExceeded);
  EXPECT_THAT(full.message(), testing::HasSubstr("bytes"));
  EXPECT_EQ(set.event_stats().waiting_bytes, static_cast<int64_t>(kMaxWaitingBytes));
  EXPECT_EQ(set.event_stats().future, 4);
  world.RunFor(1);
  EXPECT_EQ(set.event_stats().waiting_bytes, 0);
  EXPECT_TRUE(set.Send(Named("do", 3)).ok());
  group->Close([] {});
  world.RunFor(1);
}

}  // namespace
}  // namespace ferry::task
