// Events of the app on their way to the tasks: early ones wait in the log, and none is lost or
// given twice over kills.
#include "device-runtime/api/runtime/event_feed.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"
#include "device-runtime/task/outcome.h"
#include "device-runtime/task/runner.h"

namespace ferry::api {
namespace {

constexpr int64_t kSettleMs = 3'000;  // for all timers of feed and set

// Keeps the numbers that events carry as data.
class Keeper : public task::PackageRunner {
 public:
  explicit Keeper(std::vector<int>* seen) : seen_(seen) {
    auto definition = std::make_shared<flow::Definition>();
    definition->trigger = trigger::Trigger{{{"go", ""}}, 0, false};
    definition_ = std::move(definition);
  }
  Status Probe() override { return OkStatus(); }
  std::shared_ptr<const flow::Definition> definition() const override { return definition_; }
  task::EventOutcome Run(const flow::Start& start) override {
    seen_->push_back(flow::ArgumentOf(start)[0]["data"].get<int>());
    task::EventOutcome out;
    out.fired = true;
    return out;
  }
  task::HostStats stats() const override { return {}; }

 private:
  std::vector<int>* seen_;
  std::shared_ptr<const flow::Definition> definition_;
};

class EventFeedTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_event_feed_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    Start();
  }
  void TearDown() override {
    Kill();
    std::filesystem::remove_all(folder_);
  }
  void Start() {
    outbox_ = store::OpenOutbox(folder_ + "/outbox.db", world_.random()).value();
    if (spooled_ > 0) {
      ASSERT_TRUE(outbox_->OpenLog(store::kSpoolLog).ok());
      for (int n = 1; n <= spooled_; ++n)
        ASSERT_TRUE(outbox_->Spool({WriteJson(EventToJson(Go(n)))}).ok());
      spooled_ = 0;
    }
    executor_ = world_.MakeExecutor();
    auto feed = std::make_shared<std::weak_ptr<EventFeed>>();
    tasks_ = std::make_unique<task::TaskSet>(task::TaskSetOptions{
        .executor = executor_.get(),
        .clock = &world_.clock(),
        .own_lanes = false,
        .make_durable = [feed](uint64_t number) { return feed->lock()->WaitDurable(number); }});
    group_ = tasks_->MakeGroup({.name = "g/", .outbox = outbox_.get()});
    ASSERT_TRUE(group_->Use("t", "1", "", std::make_shared<Keeper>(&seen_)).ok());
    EventFeed::Ground ground;
    ground.fs = &disk_;
    ground.clock = &world_.clock();
    ground.random = &world_.random();
    ground.tasks = tasks_.get();
    ground.executor = executor_.get();
    auto opened = EventFeed::Open(ground, "log", std::nullopt, *outbox_);
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    feed_ = *opened;
    *feed = feed_;
  }
  // The process dies: what is only in memory is gone.
  void Kill() {
    group_ = nullptr;
    tasks_ = nullptr;
    feed_ = nullptr;
    executor_ = nullptr;
    outbox_ = nullptr;
  }
  static event::Event Go(int number) {
    event::Event event;
    event.id = "go";
    event.data = number;
    return event;
  }
  static std::vector<int> Numbers(int last) {
    std::vector<int> out;
    for (int n = 1; n <= last; ++n) out.push_back(n);
    return out;
  }

  sys::SimWorld world_{1};
  sys::SimFileSystem disk_;
  std::string folder_;
  int spooled_ = 0;
  std::vector<int> seen_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<sys::Executor> executor_;
  std::unique_ptr<task::TaskSet> tasks_;
  std::unique_ptr<task::TaskGroup> group_;
  std::shared_ptr<EventFeed> feed_;
};

TEST_F(EventFeedTest, EventsWaitForTheInstalledTasks) {
  for (int n = 1; n <= 3; ++n) ASSERT_TRUE(feed_->Send(Go(n)).ok());
  world_.RunFor(kSettleMs);
  EXPECT_TRUE(seen_.empty());
  feed_->Resume();
  world_.RunFor(10);
  ASSERT_TRUE(feed_->Send(Go(4)).ok());
  world_.RunFor(10);
  EXPECT_EQ(seen_, Numbers(4));
}

TEST_F(EventFeedTest, WhatWasDurableIsGivenOnceOverKills) {
  int last = 0;
  for (int life = 0; life < 20; ++life) {
    if (life % 3 != 0) feed_->Resume();
    for (int n = 0; n < 40; ++n) ASSERT_TRUE(feed_->SendDurable(Go(++last)).ok());
    world_.RunFor(life * 7);  // in the middle of commits
    // Runs that were not committed are done again; this keeps those that the outbox knows.
    if (life % 2 == 0) world_.RunFor(kSettleMs);
    const auto committed = outbox_->position();
    Kill();
    Start();
    EXPECT_GE(outbox_->position().value_or(0), committed.value_or(0));
  }
  feed_->Resume();
  world_.RunFor(kSettleMs);
  EXPECT_EQ(outbox_->position(), static_cast<uint64_t>(last));
  // All in order; what came again came right after a kill.
  std::vector<int> unique = seen_;
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  EXPECT_EQ(unique, Numbers(last));
}

TEST_F(EventFeedTest, ACleanEndLeavesNothingToGiveAgain) {
  feed_->Resume();
  for (int n = 1; n <= 600; ++n) ASSERT_TRUE(feed_->Send(Go(n)).ok());
  bool closed = false;
  group_->Close([&] { closed = true; });
  world_.RunFor(kSettleMs);
  EXPECT_TRUE(closed);
  feed_->Close();
  EXPECT_EQ(feed_->Send(Go(601)).code(), Code::kFailedPrecondition);
  Kill();
  Start();
  feed_->Resume();
  world_.RunFor(kSettleMs);
  EXPECT_EQ(seen_, Numbers(600));
}

TEST_F(EventFeedTest, TheSpoolOfAnOlderVersionComesFirst) {
  Kill();
  spooled_ = 300;
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  Start();
  ASSERT_TRUE(feed_->Send(Go(301)).ok());
  feed_->Resume();
  world_.RunFor(kSettleMs);
  EXPECT_EQ(seen_, Numbers(301));
  EXPECT_EQ(outbox_->stats().spooled, 0);
}

TEST_F(EventFeedTest, WhatAnOutboxThatJoinsLaterHasNotDoneStays) {
  const auto other = store::OpenOutbox(folder_ + "/other.db", world_.random()).value();
  ASSERT_TRUE(feed_->Join(*other).ok());
  feed_->Resume();
  for (int n = 1; n <= 3; ++n) ASSERT_TRUE(feed_->SendDurable(Go(n)).ok());
  world_.RunFor(kSettleMs);
  ASSERT_EQ(outbox_->position(), 3u);
  Kill();
  world_.JumpWallClock(log::kKeepMs + kSettleMs);
  Start();
  ASSERT_TRUE(feed_->SendDurable(Go(4)).ok());  // in another segment
  world_.RunFor(2 * kRetainMs);                 // tasks are still being loaded
  EXPECT_EQ(feed_->stats().first, 1u);
  ASSERT_TRUE(feed_->Join(*other).ok());
  feed_->Resume();
  world_.RunFor(2 * kRetainMs);
  EXPECT_EQ(feed_->stats().first, 1u);
  feed_->Leave(*other);
  world_.RunFor(2 * kRetainMs);
  EXPECT_EQ(feed_->stats().first, 4u);
}

TEST_F(EventFeedTest, AFullDiskRefusesOnlyWhenTooMuchWaits) {
  feed_->Resume();
  world_.RunFor(10);
  disk_.SetCapacity(0);
  EXPECT_FALSE(feed_->SendDurable(Go(1)).ok());
  EXPECT_TRUE(feed_->Send(Go(2)).ok());
  world_.RunFor(kSettleMs);
  disk_.SetCapacity(uint64_t{1} << 30);
  world_.RunFor(kSettleMs);
  EXPECT_TRUE(feed_->SendDurable(Go(3)).ok());
  world_.RunFor(kSettleMs);
  EXPECT_EQ(seen_, Numbers(3));
}

}  // namespace
}  // namespace ferry::api
