// Events of the app beside an agent: early ones wait, durable ones come again after a kill.
#include "device-runtime/api/agent_events.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "common/sys/sim/world.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/trigger/trigger.h"

namespace ferry::api {
namespace {

// Keeps the numbers that events carry as data.
class Keeper : public task::PackageRunner {
 public:
  explicit Keeper(std::vector<int>* seen) : seen_(seen) {}
  Status Probe() override { return OkStatus(); }
  const trigger::Trigger* trigger() const override { return &trigger_; }
  task::EventOutcome OnMatch(const trigger::Match& match) override {
    seen_->push_back(match.events.back()->data.get<int>());
    task::EventOutcome out;
    out.fired = true;
    return out;
  }
  void Advance() override {}
  void Close() override {}
  task::HostStats stats() const override { return {}; }

 private:
  std::vector<int>* seen_;
  trigger::Trigger trigger_{{{"go", ""}}, 0, false};
};

class AgentEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_agent_events_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    Start();
  }
  void TearDown() override {
    Kill();
    std::filesystem::remove_all(folder_);
  }
  void Start(const store::OutboxOptions& options = {}) {
    spool_ = store::OpenOutbox(folder_ + "/outbox.db", world_.random(), options).value();
    executor_ = world_.MakeExecutor();
    tasks_ = std::make_unique<task::TaskSet>(task::TaskSetOptions{
        .executor = executor_.get(), .clock = &world_.clock(), .own_lanes = false});
    group_ = tasks_->MakeGroup({.name = "g/"});
    ASSERT_TRUE(group_->Use("t", "1", "", std::make_shared<Keeper>(&seen_)).ok());
    events_ = std::make_shared<AgentEvents>(*spool_, nullptr, *tasks_, *executor_);
    ASSERT_TRUE(events_->Open("spool").ok());
  }
  void Kill() {
    group_ = nullptr;
    events_ = nullptr;
    tasks_ = nullptr;
    executor_ = nullptr;
    spool_ = nullptr;
  }
  static event::Event Go(int number) {
    event::Event event;
    event.id = "go";
    event.data = number;
    return event;
  }
  using Numbers = std::vector<int>;

  sys::SimWorld world_{1};
  std::string folder_;
  std::vector<int> seen_;
  std::unique_ptr<store::Outbox> spool_;
  std::unique_ptr<sys::Executor> executor_;
  std::unique_ptr<task::TaskSet> tasks_;
  std::unique_ptr<task::TaskGroup> group_;
  std::shared_ptr<AgentEvents> events_;
};

TEST_F(AgentEventsTest, EventsWaitForTheInstalledTasks) {
  for (int number = 1; number <= 3; ++number) ASSERT_TRUE(events_->Send(Go(number)).ok());
  world_.RunFor(100);
  EXPECT_EQ(seen_, Numbers{});
  executor_->Post([this] { events_->Loaded(); });
  world_.RunFor(1);
  ASSERT_TRUE(events_->Send(Go(4)).ok());
  world_.RunFor(100);
  EXPECT_EQ(seen_, (Numbers{1, 2, 3, 4}));
}

TEST_F(AgentEventsTest, TooManyEarlyEventsAreRefused) {
  for (size_t k = 0; k < kMaxEarlyEvents; ++k) ASSERT_TRUE(events_->Send(Go(1)).ok());
  EXPECT_EQ(events_->Send(Go(1)).code(), Code::kLimitExceeded);
}

TEST_F(AgentEventsTest, EarlyEventsAreBoundedInBytes) {
  event::Event large = Go(1);
  large.bytes = kMaxEarlyBytes;
  ASSERT_TRUE(events_->Send(large).ok());
  EXPECT_EQ(events_->Send(Go(2)).code(), Code::kLimitExceeded);
}

TEST_F(AgentEventsTest, DurableEventsComeAgainUntilTheyAreDone) {
  for (int number = 1; number <= 600; ++number) ASSERT_TRUE(events_->SendDurable(Go(number)).ok());
  Kill();
  Start();
  events_->Loaded();
  world_.RunFor(2 * kSavePositionMs);
  ASSERT_EQ(seen_.size(), 600u);
  for (int number = 1; number <= 600; ++number) EXPECT_EQ(seen_[number - 1], number);
  EXPECT_EQ(spool_->stats().spooled, 0);
  ASSERT_TRUE(events_->SendDurable(Go(601)).ok());
  ASSERT_TRUE(events_->SendDurable(Go(602)).ok());
  world_.RunFor(10);
  EXPECT_EQ(seen_.size(), 602u);
  events_->Close();
  Kill();
  Start();
  events_->Loaded();
  world_.RunFor(2 * kSavePositionMs);
  EXPECT_EQ(seen_.size(), 602u);
}

TEST_F(AgentEventsTest, AFullSpoolRefuses) {
  Kill();
  Start({.max_spooled = 2});
  EXPECT_TRUE(events_->SendDurable(Go(1)).ok());
  EXPECT_TRUE(events_->SendDurable(Go(2)).ok());
  EXPECT_EQ(events_->SendDurable(Go(3)).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::api
