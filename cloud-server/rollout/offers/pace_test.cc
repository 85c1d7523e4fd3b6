// Rates, retries and conditions of releases, on a fleet in one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "cloud-server/core/desired.h"
#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/test_rollout.h"
#include "cloud-server/store/cluster/leases.h"
#include "common/base/json.h"
#include "common/sys/executor.h"
#include "common/trust/desired.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

class PaceTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fleet_.registry->PutRoot(publisher_.RootDocument()).ok());
    publisher_.Add("1.0.0", 1, "package one");
    ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
  }
  void AddDevices(int count) {
    for (int i = 0; i < count; ++i) {
      devices_.push_back(fmt::format("d{:03}", i));
      fleet_.AddDevice(devices_.back(), "mid", "1.0.0");
    }
  }
  // Their lines are open: they are looked at when the server has news.
  void Listen(const std::string& device) {
    lines_.push_back(fleet_.bus->Subscribe(device, [](const std::string&, uint64_t) {}));
  }
  ReleaseRow Release(const Json& more, const std::string& version = "1.0.0") {
    NewRelease from;
    from.package = "digits";
    from.version = version;
    from.plan = {{"rule", "all"}, {"stages", {{{"kind", "full"}, {"min_healthy_ms", 86'400'000}}}}};
    from.plan.update(more);
    const Result<ReleaseRow> row = fleet_.rollout->Create(from);
    EXPECT_TRUE(row.ok()) << row.status().ToString();
    last_ = row->id;
    return *fleet_.rollout->Do(row->id, command::Start{"ann"});
  }
  void Halt() { EXPECT_TRUE(fleet_.rollout->Do(last_, command::Halt{"ann", ""}).ok()); }
  static stage::Plan PlanOfRelease(const ReleaseRow& release) {
    const Result<stage::Plan> plan = PlanOf(release);
    EXPECT_TRUE(plan.ok());
    return plan.ok() ? *plan : stage::Plan();
  }
  PaceRow LastPace(const std::string& release) {
    PaceRow pace;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(pace, tx.releases().Pace(release));
                      return OkStatus();
                    })
                    .ok());
    return pace;
  }
  std::vector<MemberRow> Members(const std::string& release) {
    std::vector<MemberRow> members;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(members, tx.releases().Members(release));
                      return OkStatus();
                    })
                    .ok());
    return members;
  }
  Counts CountsOf(const std::string& release) {
    Counts counts;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(const Tallies all, tx.releases().TalliesOf(release));
                      counts = TotalOf(all);
                      return OkStatus();
                    })
                    .ok());
    return counts;
  }
  void Step(int64_t ms) {
    fleet_.clock.now_ms += ms;
    const Status status = fleet_.rollout->Tick();
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  void SetReadsWhen(const std::string& device) {
    EXPECT_TRUE(fleet_.store
                    ->Write([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device));
                      row.reads_desired = row.reads_when = true;
                      return tx.devices().Put(row);
                    })
                    .ok());
  }
  // No 60 seconds have more offers than were allowed at their end.
  void CheckNoMinutePasses(const std::vector<MemberRow>& members, int64_t per_minute) {
    std::vector<int64_t> times;
    for (const MemberRow& member : members) times.push_back(member.offered_ms);
    std::sort(times.begin(), times.end());
    for (size_t last = 0, first = 0; last < times.size(); ++last) {
      while (times[last] - times[first] >= 60'000) ++first;
      ASSERT_LE(static_cast<int64_t>(last - first) + 1, per_minute);
    }
  }

  TestFleet fleet_;
  TestPublisher publisher_{fleet_};
  std::vector<std::string> devices_;
  std::string last_;  // release
  std::vector<std::unique_ptr<BusSubscription>> lines_;
};

TEST_F(PaceTest, NoMinutePassesTheRateWhoeverAsks) {
  AddDevices(60);
  for (size_t i = 0; i < 30; ++i) Listen(devices_[i]);
  const ReleaseRow release = Release({{"rate", {{"per_minute", 6}}}});
  size_t before = Members(release.id).size();
  EXPECT_EQ(before, 1u) << "a sixth of a minute's";
  for (int second = 0; second < 400; ++second) {
    Step(1'000);
    // Those without a line ask by themselves, all at once.
    for (size_t i = 30; i < 60; ++i) (void)fleet_.rollout->Epoch(devices_[i]);
  }
  const std::vector<MemberRow> members = Members(release.id);
  CheckNoMinutePasses(members, 6);
  EXPECT_GE(members.size(), 33u) << "and nearly that many come";
  EXPECT_LE(members.size(), 42u);
}

TEST_F(PaceTest, DevicesWithAnOpenLineComeByThemselves) {
  AddDevices(12);
  for (const std::string& device : devices_) Listen(device);
  const ReleaseRow release = Release({{"rate", {{"per_minute", 6}}}});
  for (int second = 0; second < 150; ++second) Step(1'000);
  EXPECT_EQ(Members(release.id).size(), 12u);
}

TEST_F(PaceTest, TheRateGrowsWithDevicesThatWentWell) {
  AddDevices(200);
  for (const std::string& device : devices_) Listen(device);
  const ReleaseRow release = Release(
      {{"rate",
        {{"per_minute", 6}, {"factor", 2}, {"after_succeeded", 10}, {"max_per_minute", 24}}}});
  size_t seen = 0;
  std::vector<size_t> each_minute;
  for (int second = 1; second <= 600; ++second) {
    Step(1'000);
    for (const MemberRow& member : Members(release.id))
      if (!member.done && second % 3 == 0) {
        EXPECT_TRUE(fleet_.Report(member.device, "healthy").ok());
      }
    if (second % 60 != 0) continue;
    each_minute.push_back(Members(release.id).size() - seen);
    seen = Members(release.id).size();
  }
  CheckNoMinutePasses(Members(release.id), 24);
  EXPECT_LE(each_minute[0], 7u) << "nobody has reported ten yet";
  EXPECT_GE(each_minute[5], 19u);
  EXPECT_LE(each_minute[9], 24u);
  EXPECT_EQ(LastPace(release.id).per_minute, 24);
}

TEST_F(PaceTest, ARateThatGrewAboveAllLimitsLetsEverybodyIn) {
  AddDevices(100);
  for (const std::string& device : devices_) Listen(device);
  const ReleaseRow release = Release({{"rate",
                                       {{"per_minute", 6},
                                        {"factor", 10},
                                        {"after_succeeded", 1},
                                        {"max_per_minute", stage::kMaxPerMinute}}}});
  for (int second = 0; second < 60; ++second) Step(1'000);
  EXPECT_EQ(Members(release.id).size(), 6u) << "nobody went well yet";
  for (const MemberRow& member : Members(release.id))
    EXPECT_TRUE(fleet_.Report(member.device, "healthy").ok());
  Step(1'000);
  EXPECT_EQ(Members(release.id).size(), 100u);
  fleet_.AddDevice("late", "mid", "1.0.0");
  EXPECT_GT(fleet_.AssignmentOf("late").counter, 0);
  Step(1'000);
  EXPECT_THAT(LastPace(release.id).recent, testing::Not(HasSubstr("94")))
      << "nobody counts who comes";
}

TEST_F(PaceTest, ALargeFleetBeginsSlowlyUnlessThePlanSaysHowFast) {
  AddDevices(1);
  EXPECT_FALSE(PlanOfRelease(Release(Json::object())).rate) << "a small one does not";
  fleet_.clock.now_ms += 1'000;
  ASSERT_TRUE(fleet_.store
                  ->Write([&](Transaction& tx) -> Status {
                    DeviceRow device;
                    device.os = "android";
                    for (int64_t i = 0; i < stage::kLargeFleet; ++i) {
                      device.id = fmt::format("many{:05}", i);
                      FERRY_TRY(tx.devices().Put(device));
                    }
                    return OkStatus();
                  })
                  .ok());
  publisher_.Add("2.0.0", 2, "package two");
  ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
  Halt();
  const ReleaseRow release = Release({{"rate", nullptr}}, "2.0.0");
  EXPECT_EQ(PlanOfRelease(release).rate, stage::LargeFleetRate());
  const auto offered = [&] {
    size_t count = 0;
    for (int i = 0; i < 200; ++i)
      count += fleet_.AssignmentOf(fmt::format("many{:05}", i)).counter > 0;
    return count;
  };
  EXPECT_EQ(offered(), 16u) << "what comes in ten seconds";
  Halt();
  publisher_.Add("3.0.0", 3, "package three");
  ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
  const ReleaseRow fast = Release({{"rate", {{"per_minute", stage::kMaxPerMinute}}}}, "3.0.0");
  EXPECT_EQ(offered(), 200u);
  EXPECT_EQ(LastPace(fast.id).recent, "");
}

// Runs what was posted when it is told to, also what was to come later.
class HeldExecutor : public sys::Executor {
 public:
  void Post(sys::Task task) override { tasks_.push_back(std::move(task)); }
  TimerId PostAfter(int64_t, sys::Task task) override {
    tasks_.push_back(std::move(task));
    return 1;
  }
  void Cancel(TimerId) override {}
  void RunWhatIsThere() {
    for (size_t left = tasks_.size(); left > 0; --left) {
      const sys::Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  std::deque<sys::Task> tasks_;
};

// Two nodes: who was turned away has its line at one of them, and the other one makes releases go
// on.
TEST_F(PaceTest, ANodeThatLeadsNothingLetsItsOwnDevicesIn) {
  AddDevices(6);
  const std::unique_ptr<Bus> bus = MakeInprocBus();
  for (const std::string& device : devices_)
    lines_.push_back(bus->Subscribe(device, [](const std::string&, uint64_t) {}));
  const ReleaseRow release = Release({{"rate", {{"per_minute", 6}}}});
  Once leads(fleet_.store.get(), "ticks", "the other node");
  Once follows(fleet_.store.get(), "ticks", "here");
  ASSERT_TRUE(leads.Run([] { return OkStatus(); }).ok());
  HeldExecutor ticker;
  Rollout::Options options;
  options.store = fleet_.store.get();
  options.registry = fleet_.registry.get();
  options.bus = bus.get();
  options.clock = &fleet_.clock;
  options.random = &fleet_.random;
  options.ticker = &ticker;
  options.once = &follows;
  Rollout node(options);
  for (const std::string& device : devices_) EXPECT_TRUE(node.Epoch(device).ok());
  ASSERT_TRUE(node.Start().ok());
  for (int round = 0; round < 20; ++round) {
    fleet_.clock.now_ms += 10'000;
    ticker.RunWhatIsThere();
  }
  EXPECT_EQ(Members(release.id).size(), devices_.size());
  EXPECT_FALSE(follows.held());
}

TEST_F(PaceTest, WhoIsTurnedAwayKeepsWhatItHasAndAskingCostsNothing) {
  AddDevices(3);
  const ReleaseRow release = Release({{"rate", {{"per_minute", 1}}}});
  EXPECT_GT(fleet_.AssignmentOf("d000").counter, 0);
  for (int times = 0; times < 5; ++times) EXPECT_EQ(fleet_.AssignmentOf("d001").counter, 0);
  EXPECT_GT(fleet_.AssignmentOf("d000").counter, 0) << "who is in stays in";
  EXPECT_EQ(Members(release.id).size(), 1u);
  EXPECT_THAT(fleet_.rollout->WhyOf("d001", release.id)->why.text, HasSubstr("rate"));
}

// Told to leave, to keep it disabled and to leave again, all before it asked once more: it answered
// the first of them, and to its mind the last.
TEST_F(PaceTest, WhoAnsweredTheSameWishBeforeIsToldThatThereIsNoAnswer) {
  AddDevices(1);
  SetReadsWhen("d000");
  const std::vector<InstalledRow> nothing;
  const ReleaseRow release = Release(Json::object());
  EXPECT_FALSE(fleet_.rollout->SignedAssignment("d000", 0, &nothing)->empty());
  ASSERT_TRUE(fleet_.rollout->Do(release.id, command::Halt{"ann", ""}).ok());
  const int64_t left = fleet_.AssignmentOf("d000").counter;
  EXPECT_TRUE(fleet_.Report("d000", "rolled_back").ok());
  ASSERT_TRUE(fleet_.rollout->Do(release.id, command::Kill{"ann", ""}).ok());
  EXPECT_GT(fleet_.AssignmentOf("d000").counter, left);
  ASSERT_TRUE(fleet_.rollout->Do(release.id, command::Rollback{"ann", ""}).ok());
  const int64_t last = fleet_.AssignmentOf("d000").counter;
  // It carried that out without a word.
  fleet_.clock.now_ms += kAnswerOnItsWayMs;
  const auto again = fleet_.rollout->SignedAssignment("d000", last, &nothing);
  ASSERT_TRUE(again.ok());
  EXPECT_THAT(std::string(AsText(*again)), HasSubstr("\"unanswered\":[\"digits\"]"));
  EXPECT_GT(fleet_.AssignmentOf("d000").counter, last);
  EXPECT_TRUE(fleet_.Report("d000", "rolled_back").ok());
  EXPECT_TRUE(fleet_.AssignmentOf("d000").done);
  EXPECT_EQ(CountsOf(release.id).returned, 1);
}

TEST_F(PaceTest, ADeviceThatFailedIsTriedAgainAndCountsOnce) {
  AddDevices(1);
  const ReleaseRow release = Release({{"retries", {{"count", 2}, {"backoff_ms", 10'000}}}});
  EXPECT_TRUE(fleet_.Report("d000", "failed", "no").ok());
  const int64_t first = fleet_.AssignmentOf("d000").counter;
  Step(9'000);
  EXPECT_EQ(Members(release.id)[0].attempt, 0);
  Step(1'000);
  EXPECT_EQ(Members(release.id)[0].attempt, 1);
  EXPECT_GT(fleet_.AssignmentOf("d000").counter, first) << "it hears of it";
  EXPECT_EQ(CountsOf(release.id).failed, 1) << "a next try hides no failure";
  EXPECT_EQ(CountsOf(release.id).members(), 1);
  EXPECT_TRUE(fleet_.Report("d000", "failed", "no").ok());
  Step(19'000);
  EXPECT_EQ(Members(release.id)[0].attempt, 1) << "twice as long as before";
  Step(1'000);
  EXPECT_EQ(Members(release.id)[0].attempt, 2);
  EXPECT_TRUE(fleet_.Report("d000", "healthy").ok());
  EXPECT_EQ(CountsOf(release.id).failed, 0);
  EXPECT_EQ(CountsOf(release.id).healthy, 1);
  Step(1'000'000);
  EXPECT_EQ(Members(release.id)[0].attempt, 2);
  EXPECT_TRUE(fleet_.rollout->Recount().ok());
}

TEST_F(PaceTest, TriesEnd) {
  AddDevices(1);
  const ReleaseRow release = Release({{"retries", {{"count", 1}, {"backoff_ms", 1'000}}}});
  for (int times = 0; times < 4; ++times) {
    if (!fleet_.AssignmentOf("d000").done) {
      EXPECT_TRUE(fleet_.Report("d000", "failed", "no").ok());
    }
    Step(60'000);
  }
  EXPECT_EQ(Members(release.id)[0].attempt, 1);
  EXPECT_EQ(CountsOf(release.id).failed, 1);
}

TEST_F(PaceTest, ConditionsGoToDevicesThatReadThem) {
  AddDevices(2);
  SetReadsWhen("d001");
  const Json when = {{"windows", {{{"from", "22:00"}, {"to", "06:00"}}}}, {"charging", true}};
  const ReleaseRow release = Release({{"when", when}});
  EXPECT_EQ(fleet_.AssignmentOf("d000").counter, 0);
  EXPECT_THAT(fleet_.rollout->WhyOf("d000", release.id)->why.text, HasSubstr("conditions"));
  const auto packages = PackagesOf(fleet_.AssignmentOf("d001"));
  ASSERT_TRUE(packages.ok());
  EXPECT_THAT(packages->at("digits").when, HasSubstr("\"from\":\"22:00\""));
  // It waits, which is no silence.
  EXPECT_TRUE(fleet_.Report("d001", "woken").ok());
  EXPECT_TRUE(fleet_.Report("d001", "waiting").ok());
  EXPECT_EQ(Members(release.id)[0].step_ms, 0);
  EXPECT_EQ(Members(release.id)[0].step, "waiting");
  for (int hour = 0; hour < 48; ++hour) Step(3'600'000);
  EXPECT_EQ(CountsOf(release.id).overdue, 0);
  EXPECT_EQ(CountsOf(release.id).pending, 1);
}

TEST_F(PaceTest, AfterTheDeadlineNobodyIsOfferedIt) {
  AddDevices(2);
  for (const std::string& device : devices_) SetReadsWhen(device);
  const ReleaseRow release = Release({{"when", {{"deadline_ms", fleet_.clock.now_ms + 60'000}}},
                                      {"retries", {{"count", 5}, {"backoff_ms", 1'000}}}});
  EXPECT_GT(fleet_.AssignmentOf("d000").counter, 0);
  fleet_.clock.now_ms += 60'000;
  EXPECT_EQ(fleet_.AssignmentOf("d001").counter, 0);
  ReportRow late;
  late.device = "d000";
  late.seq = 1;
  late.release = release.id;
  late.step = "failed";
  late.error_code = static_cast<int64_t>(Code::kDeadlineExceeded);
  EXPECT_TRUE(fleet_.rollout->OnReport(late).ok());
  EXPECT_EQ(CountsOf(release.id).device_cause, 1) << "nothing was tried: no evidence";
  Step(100'000);
  EXPECT_EQ(Members(release.id)[0].attempt, 0) << "nor is it tried again";
}

}  // namespace
}  // namespace ferry::server
