// Random fleets, reports and operators against a naive model of what a rollout must never do.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/test_rows.h"

namespace ferry::server {
namespace {

// The rule "android and app below 2.0.0", without policy/.
bool InRule(const DeviceRow& device) {
  return device.os == "android" && device.app_version.starts_with("1.");
}

class World {
 public:
  explicit World(uint64_t seed) : random_(seed), rows_(MakeFleet()) {}

  void Run(int steps) {
    Send(command::Start{"ann"});
    Send(command::SimulationResult{true, "ok", "{}"});
    for (int i = 0; i < steps; ++i) Step();
  }

  ReleaseRows& rows() { return rows_; }

  // Ends everything: every device answers what it is told, until nothing changes.
  void Settle() {
    for (int round = 0; round < 20; ++round) {
      for (const AssignmentRow& row : std::vector<AssignmentRow>(rows_.assignments))
        if (!row.done) Report(row.device, row.action == "rollback" ? "rolled_back" : "healthy");
      Send(command::Tick{});
    }
  }

  void Send(const Command& command) {
    now_ms_ += static_cast<int64_t>(random_() % 50);
    Result<Changes> changes = Apply(rows_, command, now_ms_);
    if (!changes.ok()) {
      ASSERT_EQ(changes.code(), Code::kFailedPrecondition) << changes.status().ToString();
      return;
    }
    const ReleaseRows before = rows_;
    Merge(rows_, *changes);
    Check(before, *changes);
  }

 private:
  ReleaseRows MakeFleet() {
    ReleaseRows rows = MakeRelease("os == \"android\" and app_version < \"2.0.0\"", 1, 20);
    const char* classes[] = {"high", "mid", "low"};
    const char* versions[] = {"1.0.0", "1.9.9", "2.0.0", "2.1.0"};
    const size_t count = 1 + random_() % 25;
    for (size_t i = 0; i < count; ++i) {
      DeviceRow device =
          MakeDevice("dev" + std::to_string(i), classes[random_() % 3], versions[random_() % 4]);
      if (random_() % 5 == 0) device.tags = {"beta"};
      if (random_() % 6 == 0) device.os = "ios";
      rows.devices.push_back(device);
    }
    return rows;
  }

  void Report(const std::string& device, const std::string& step) {
    ReportRow report;
    report.device = device;
    report.release = rows_.release.id;
    report.step = step;
    for (const AssignmentRow& row : rows_.assignments)
      if (row.device == device) report.epoch = row.counter;
    if (random_() % 8 == 0) report.epoch = static_cast<int64_t>(random_() % 4);  // late or wrong
    Send(command::DeviceReport{report});
  }

  void Step() {
    const char* steps[] = {"woken",  "pulled",    "confirmed",   "confirmed",  "healthy",
                           "failed", "confirmed", "task_failed", "rolled_back"};
    switch (random_() % 12) {
      case 0:
        if (random_() % 4 == 0) Send(command::Pause{"ann", ""});
        break;
      case 1:
        Send(command::Resume{"ann"});
        break;
      case 2:
        if (random_() % 20 == 0) Send(command::Rollback{"ann", "test"});
        break;
      case 3:
      case 4:
      case 5:
        Send(command::Tick{});
        break;
      default:
        // Devices that are no members report too: nothing may come of it.
        Report("dev" + std::to_string(random_() % 25), steps[random_() % 9]);
    }
  }

  // The naive model: looks at all rows after each step.
  void Check(const ReleaseRows& before, const Changes& changes) {
    std::map<std::string, const DeviceRow*> devices;
    for (const DeviceRow& device : rows_.devices) devices[device.id] = &device;
    for (const MemberRow& member : rows_.members)
      ASSERT_TRUE(InRule(*devices.at(member.device))) << member.device << " is outside the rule";
    std::map<std::string, int64_t> counters;
    for (const AssignmentRow& row : before.assignments) counters[row.device] = row.counter;
    for (const AssignmentRow& row : rows_.assignments) {
      ASSERT_TRUE(InRule(*devices.at(row.device)));
      ASSERT_GE(row.counter, counters[row.device]) << row.device;
    }
    for (const std::string& device : changes.wake) {
      bool newer = false;
      for (const AssignmentRow& row : rows_.assignments)
        newer = newer || (row.device == device && row.counter > counters[device]);
      ASSERT_TRUE(newer) << device << " was woken for nothing";
    }
    CheckCounts();
    CheckNothingNewAfterStop(before);
  }

  // Slices are what counting the members by hand gives.
  void CheckCounts() {
    int64_t failed = 0, healthy = 0, open = 0;
    for (const MemberRow& member : rows_.members) {
      failed += member.outcome == Outcome::kFailed;
      healthy += member.outcome == Outcome::kHealthy;
      open += member.outcome == Outcome::kOpen;
    }
    for (const SliceRow& slice : rows_.slices) {
      if (slice.slice != "all") continue;
      ASSERT_EQ(slice.failed, failed);
      ASSERT_EQ(slice.healthy, healthy);
      ASSERT_EQ(slice.overdue + slice.pending, open);
    }
    if (TakesDevices(rows_.release.state)) {
      ASSERT_LT(failed, 3) << "a third failing device among 25 is past every threshold";
    }
  }

  void CheckNothingNewAfterStop(const ReleaseRows& before) {
    const bool stopped = before.release.state == ReleaseState::kRollingBack ||
                         IsFinal(before.release.state) ||
                         before.release.state == ReleaseState::kPaused;
    if (stopped) {
      ASSERT_EQ(before.members.size(), rows_.members.size());
    }
    if (IsFinal(before.release.state)) {
      ASSERT_EQ(before.release.state, rows_.release.state);
    }
  }

  std::mt19937_64 random_;
  ReleaseRows rows_;
  int64_t now_ms_ = 1'000'000;
};

TEST(RolloutProperty, InvariantsHoldOnRandomRuns) {
  int rolled_back = 0, complete = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    World world(seed);
    world.Run(150);
    world.Settle();
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    if (world.rows().release.state == ReleaseState::kRolledBack) {
      ++rolled_back;
      for (const MemberRow& member : world.rows().members)
        ASSERT_TRUE(member.back && member.done) << "seed " << seed << " " << member.device;
    }
    complete += world.rows().release.state == ReleaseState::kComplete;
  }
  // The runs really go both ways.
  EXPECT_GT(rolled_back, 20);
  EXPECT_GT(complete, 5);
}

TEST(RolloutProperty, RollbackReachesEveryMember) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    World world(seed * 7919);
    world.Run(60);
    world.Send(command::Resume{"ann"});
    world.Send(command::Rollback{"ann", "test"});
    world.Settle();
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    const ReleaseState state = world.rows().release.state;
    EXPECT_EQ(state, ReleaseState::kRolledBack) << "seed " << seed << " " << NameOf(state);
    for (const AssignmentRow& row : world.rows().assignments) EXPECT_EQ(row.action, "rollback");
  }
}

}  // namespace
}  // namespace ferry::server
