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

class World : public TestWorld {
 public:
  explicit World(uint64_t seed)
      : TestWorld(MakeRelease("os == \"android\" and app_version < \"2.0.0\"", 1, 20)),
        random_(seed) {
    rows.release.settings_json =
        R"({"metrics":[{"name":"latency_ms","worse":"higher","limit":50,"tolerated_rate":0.5}]})";
    MakeFleet();
  }

  void Run(int steps) {
    Send(command::Start{"ann"});
    Send(command::SimulationResult{true, "ok", "{}"});
    for (int i = 0; i < steps; ++i) Step();
  }

  // Ends everything: every device answers what it is told, until nothing changes.
  void Settle() {
    for (int round = 0; round < 20; ++round) {
      for (const auto& [device, row] : std::map<std::string, AssignmentRow>(assignments))
        if (!row.done) Report(device, row.action == "rollback" ? "rolled_back" : "healthy");
      Send(command::Tick{});
    }
  }

  void Send(const Command& command) {
    now_ms_ += static_cast<int64_t>(random_() % 50);
    const ReleaseRows before = rows;
    const std::map<std::string, AssignmentRow> told = assignments;
    woken.clear();
    Result<Changes> changes = Do(command, now_ms_);
    if (!changes.ok()) {
      ASSERT_EQ(changes.code(), Code::kFailedPrecondition) << changes.status().ToString();
      return;
    }
    Check(before, told);
  }

 private:
  void MakeFleet() {
    const char* classes[] = {"high", "mid", "low"};
    const char* versions[] = {"1.0.0", "1.9.9", "2.0.0", "2.1.0"};
    const size_t count = 1 + random_() % 25;
    for (size_t i = 0; i < count; ++i) {
      DeviceRow device =
          MakeDevice("dev" + std::to_string(i), classes[random_() % 3], versions[random_() % 4]);
      if (random_() % 5 == 0) device.tags = {"beta"};
      if (random_() % 6 == 0) device.os = "ios";
      devices.push_back(device);
    }
  }

  void Report(const std::string& device, const std::string& step) {
    ReportRow report;
    report.device = device;
    report.release = rows.release.id;
    report.step = step;
    report.epoch = assignments.contains(device) ? assignments[device].counter : 0;
    if (random_() % 8 == 0) report.epoch = static_cast<int64_t>(random_() % 4);  // late or wrong
    Send(command::DeviceReports{{report}});
  }

  void Measure(const std::string& device) {
    ReportRow report;
    report.device = device;
    report.release = rows.release.id;
    report.step = kMeasuredStep;
    report.package = rows.release.package;
    report.version = random_() % 4 == 0 ? "1.0.0" : rows.release.version;
    report.metrics = {{"latency_ms", random_() % 8 == 0 ? 60.0 : 40.0}};
    Send(command::DeviceReports{{report}});
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
        if (random_() % 3 == 0) Send(command::Approve{"ann", "test"});
        break;
      case 3:
      case 4:
      case 5:
        Send(command::Tick{});
        break;
      case 6:
        Measure("dev" + std::to_string(random_() % 25));
        break;
      default:
        // Devices that are no members report too: nothing may come of it.
        Report("dev" + std::to_string(random_() % 25), steps[random_() % 9]);
    }
  }

  // The naive model: looks at all rows after each step.
  void Check(const ReleaseRows& before, const std::map<std::string, AssignmentRow>& told) {
    std::map<std::string, const DeviceRow*> known;
    for (const DeviceRow& device : devices) known[device.id] = &device;
    for (const MemberRow& member : rows.members)
      ASSERT_TRUE(InRule(*known.at(member.device))) << member.device << " is outside the rule";
    const auto counter = [&](const std::string& device) {
      const auto found = told.find(device);
      return found == told.end() ? 0 : found->second.counter;
    };
    for (const auto& [device, row] : assignments) {
      if (row.counter == 0) continue;
      ASSERT_TRUE(InRule(*known.at(device)));
      ASSERT_GE(row.counter, counter(device)) << device;
    }
    for (const std::string& device : woken)
      ASSERT_GT(assignments[device].counter, counter(device)) << device << " was woken for nothing";
    CheckCounts();
    CheckNothingNewAfterStop(before);
  }

  // Slices are what counting the members by hand gives.
  void CheckCounts() {
    int64_t failed = 0, healthy = 0, open = 0;
    for (const MemberRow& member : rows.members) {
      failed += member.outcome == Outcome::kFailed;
      healthy += member.outcome == Outcome::kHealthy;
      open += member.outcome == Outcome::kOpen;
    }
    for (const SliceRow& slice : SlicesOf(rows.tallies)) {
      if (slice.slice != "all") continue;
      ASSERT_EQ(slice.failed, failed);
      ASSERT_EQ(slice.healthy, healthy);
      ASSERT_EQ(slice.overdue + slice.pending, open);
    }
    CheckWithout({"device_class=high", "app_version=1.9.9"});
    CheckMetrics({"device_class=high", "app_version=1.9.9"});
    if (TakesDevices(rows.release.state)) {
      ASSERT_LT(failed, 5) << "a fifth failing device among 25 is past every threshold";
    }
  }

  void CheckWithout(const std::vector<std::string>& stopped) {
    Tallies expected;
    for (const MemberRow& member : rows.members) {
      const bool out = member.device_class == "high" || member.app_version == "1.9.9";
      if (!out) CountMember(expected, member, 1);
    }
    const Tallies rest = WithoutSlices(rows.tallies, stopped);
    for (const auto& [key, counts] : rest) {
      const auto found = expected.find(key);
      ASSERT_EQ(counts.members(), found == expected.end() ? 0 : found->second.members())
          << key.slice;
      ASSERT_EQ(counts.failed, found == expected.end() ? 0 : found->second.failed) << key.slice;
    }
    for (const auto& [key, counts] : expected)
      ASSERT_NE(rest.contains(key), key.slice.starts_with('[')) << key.slice;
  }

  // Increments are what counting anew gives, and leave a stopped slice as its members would.
  void CheckMetrics(const std::vector<std::string>& stopped) {
    MetricTallies stored = rows.measured.tallies;
    DropEmpty(stored);
    ASSERT_EQ(stored, CountedMetrics());
    MetricTallies expected;
    for (const MemberRow& member : rows.members) {
      const bool out = member.device_class == "high" || member.app_version == "1.9.9";
      if (!out) CountMetrics(expected, Rules(), {}, member, 1);
    }
    std::erase_if(expected, [](const auto& entry) { return IsCell(entry.first.who.slice); });
    DropEmpty(expected);
    MetricTallies rest = MetricsWithoutSlices(stored, stopped);
    DropEmpty(rest);
    ASSERT_EQ(rest, expected);
  }

  void CheckNothingNewAfterStop(const ReleaseRows& before) {
    const bool stopped = before.release.state == ReleaseState::kRollingBack ||
                         IsFinal(before.release.state) ||
                         before.release.state == ReleaseState::kPaused;
    if (stopped) {
      ASSERT_EQ(before.members.size(), rows.members.size());
    }
    if (IsFinal(before.release.state)) {
      ASSERT_EQ(before.release.state, rows.release.state);
    }
  }

  std::mt19937_64 random_;
  int64_t now_ms_ = 1'000'000;
};

TEST(RolloutProperty, InvariantsHoldOnRandomRuns) {
  int rolled_back = 0, complete = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    World world(seed);
    world.Run(150);
    world.Settle();
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    if (world.rows.release.state == ReleaseState::kRolledBack) {
      ++rolled_back;
      for (const MemberRow& member : world.rows.members)
        ASSERT_TRUE(member.back && member.done) << "seed " << seed << " " << member.device;
    }
    complete += world.rows.release.state == ReleaseState::kComplete;
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
    const ReleaseState state = world.rows.release.state;
    EXPECT_EQ(state, ReleaseState::kRolledBack) << "seed " << seed << " " << NameOf(state);
    for (const auto& [device, row] : world.assignments) {
      if (row.counter == 0) continue;
      EXPECT_EQ(row.action, "rollback") << device;
    }
  }
}

}  // namespace
}  // namespace ferry::server
