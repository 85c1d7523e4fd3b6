// What devices measured, in the gates of a release.
#include "cloud-server/core/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/test_rows.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// A release of one stage, with half of it held back where `control` says so.
ReleaseRows OneStage(const std::string& settings, bool control) {
  ReleaseRows rows = MakeRelease("os == \"android\"", 1'000);
  Json stage = {{"kind", "full"}, {"min_reports", 1'000}, {"min_healthy_ms", 1'000}};
  if (control) stage["control"] = 50;
  rows.release.plan_json =
      WriteJson(Json{{"rule", "os == \"android\""}, {"stages", Json::array({stage})}});
  rows.release.settings_json = settings;
  rows.stages = {{rows.release.id, 0}};
  return rows;
}

class MeasuredFleet : public TestWorld {
 public:
  MeasuredFleet(const std::string& settings, bool control)
      : TestWorld(OneStage(settings, control)) {
    Do(command::Start{"ann"});
  }

  void Do(const Command& command) {
    now_ms_ += 10;
    const Result<Changes> changes = TestWorld::Do(command, now_ms_);
    EXPECT_TRUE(changes.ok()) << changes.status().ToString();
    EXPECT_EQ(WithoutEmpty(), CountedMetrics());
  }

  // Devices come one after another: each is taken at a moment of its own.
  void Join(int count, const std::string& device_class = "mid") {
    for (int i = 0; i < count; ++i) {
      devices.push_back(MakeDevice("d" + std::to_string(devices.size()), device_class, "1.4.0"));
      LookAtAll(now_ms_ += 10);
    }
  }

  void Measure(const std::string& device, const std::string& metric, double value) {
    const MemberRow* member = MemberOf(device);
    ASSERT_NE(member, nullptr);
    ReportRow report;
    report.device = device;
    report.step = kMeasuredStep;
    report.package = "digits";
    report.version = member->control ? "1.0.0" : "2.0.0";
    report.release = rows.release.id;
    report.metrics = {{metric, value}, {"other", 7}};
    const bool control = member->control;
    const int64_t stage = member->stage;
    Do(command::DeviceReports{{report}});
    if (control) FixBaselines(stage, now_ms_);
    EXPECT_EQ(WithoutEmpty(), CountedMetrics());
  }

  MetricTallies WithoutEmpty() const {
    MetricTallies tallies = rows.measured.tallies;
    DropEmpty(tallies);
    return tallies;
  }

  gate::MetricCounts Counted(const std::string& metric, const std::string& slice = "all") const {
    const Measured seen = {MetricsWithoutSlices(rows.measured.tallies, rows.release.stopped_slices),
                           rows.measured.baselines};
    const Tallies members = WithoutSlices(rows.tallies, rows.release.stopped_slices);
    const auto found = members.find({rows.release.id, 0, false, slice});
    const int64_t treated = found == members.end() ? 0 : found->second.members();
    for (const auto& counts : MetricsOfSlice(Rules(), seen, rows.release.id, 0, slice, treated))
      if (counts.metric == metric) return counts;
    return {};
  }

  int64_t now_ms_ = 1'000'000;
};

constexpr char kLimit[] =
    R"({"metrics":[{"name":"latency_ms","worse":"higher","limit":50,"tolerated_rate":0.05}]})";
constexpr char kNoLimit[] = R"({"metrics":[{"name":"latency_ms","worse":"higher"}]})";

TEST(Metrics, SlowerThanTheLimitStopsAndSaysWhy) {
  MeasuredFleet fleet(kLimit, false);
  fleet.Join(40);
  for (int i = 0; i < 40 && fleet.rows.release.state == ReleaseState::kFull; ++i)
    fleet.Measure("d" + std::to_string(i), "latency_ms", 80);
  EXPECT_EQ(fleet.rows.release.state, ReleaseState::kRollingBack);
  EXPECT_THAT(fleet.rows.release.reason, HasSubstr("latency_ms"));
}

TEST(Metrics, WithinTheLimitStopsNothing) {
  MeasuredFleet fleet(kLimit, false);
  fleet.Join(40);
  for (int i = 0; i < 40; ++i)
    fleet.Measure("d" + std::to_string(i), "latency_ms", i == 7 ? 51 : 50);
  EXPECT_EQ(fleet.rows.release.state, ReleaseState::kFull);
  EXPECT_EQ(fleet.Counted("latency_ms").past, 1);
  EXPECT_EQ(fleet.Counted("latency_ms").within, 39);
}

TEST(Metrics, TheFirstMeasurementCountsAndOfTheReleaseAlone) {
  MeasuredFleet fleet(kLimit, false);
  fleet.Join(2);
  fleet.Measure("d0", "latency_ms", 60);
  fleet.Measure("d0", "latency_ms", 60);
  fleet.Measure("d0", "latency_ms", 10);
  EXPECT_EQ(fleet.Counted("latency_ms").past, 1);
  // Of another version, or brought by another release: nothing.
  ReportRow report;
  report.device = "d1";
  report.step = kMeasuredStep;
  report.package = "digits";
  report.version = "1.0.0";
  report.release = fleet.rows.release.id;
  report.metrics = {{"latency_ms", 60}};
  fleet.Do(command::DeviceReports{{report}});
  report.version = "2.0.0";
  report.release = "digits-2.0.0-0";
  fleet.Do(command::DeviceReports{{report}});
  EXPECT_TRUE(fleet.MemberOf("d1")->metrics.empty());
  EXPECT_EQ(fleet.Counted("latency_ms").past, 1);
  EXPECT_EQ(fleet.Counted("latency_ms").within, 1) << "who sent none is within";
}

TEST(Metrics, AMeasurementIsNoStepOnTheWay) {
  MeasuredFleet fleet(kLimit, false);
  fleet.Join(1);
  ReportRow report;
  report.device = "d0";
  report.release = fleet.rows.release.id;
  report.step = "confirmed";
  fleet.Do(command::DeviceReports{{report}});
  const MemberRow before = *fleet.MemberOf("d0");
  fleet.Measure("d0", "latency_ms", 10);
  MemberRow after = *fleet.MemberOf("d0");
  after.metrics.clear();
  EXPECT_EQ(after, before);
}

// Measures the first candidates of the control cohort around 10, then all devices that come after
// with `slower` times what those have.
void MeasureAgainstControl(MeasuredFleet& fleet, double slower) {
  fleet.Join(700);
  size_t control = 0;
  for (const MemberRow& member : std::vector<MemberRow>(fleet.rows.members))
    if (member.control && ++control <= kBaselineCandidates)
      fleet.Measure(member.device, "latency_ms", 10 + static_cast<double>(control % 5));
  ASSERT_EQ(fleet.rows.measured.baselines.size(), 1U);
  EXPECT_EQ(fleet.rows.measured.baselines[0].threshold, 12);
  int i = 0;
  for (const MemberRow& member : std::vector<MemberRow>(fleet.rows.members)) {
    if (fleet.rows.release.state != ReleaseState::kFull) return;
    const double value = 10 + static_cast<double>(++i % 5);
    fleet.Measure(member.device, "latency_ms", member.control ? value : value * slower);
  }
}

TEST(Metrics, WithoutALimitSlowerThanTheControlStops) {
  MeasuredFleet fleet(kNoLimit, true);
  MeasureAgainstControl(fleet, 3);
  EXPECT_EQ(fleet.rows.release.state, ReleaseState::kRollingBack);
  EXPECT_THAT(fleet.rows.release.reason, HasSubstr("latency_ms"));
}

TEST(Metrics, WithoutALimitAsFastAsTheControlStopsNothing) {
  MeasuredFleet fleet(kNoLimit, true);
  MeasureAgainstControl(fleet, 1);
  EXPECT_EQ(fleet.rows.release.state, ReleaseState::kFull);
  // Only devices that were taken after the candidates count, in both cohorts.
  const int64_t after_ms = fleet.rows.measured.baselines[0].after_ms;
  int64_t treated = 0, control = 0;
  for (const MemberRow& member : fleet.rows.members)
    if (member.offered_ms > after_ms) ++(member.control ? control : treated);
  const gate::MetricCounts counts = fleet.Counted("latency_ms");
  EXPECT_EQ(counts.past + counts.within, treated);
  EXPECT_EQ(counts.control_past + counts.control_within, control);
  EXPECT_GT(control, 200);
}

TEST(Metrics, WithoutABaselineNothingIsJudged) {
  MeasuredFleet fleet(kNoLimit, true);
  fleet.Join(60);
  for (const MemberRow& member : std::vector<MemberRow>(fleet.rows.members))
    if (!member.control) fleet.Measure(member.device, "latency_ms", 1e9);
  EXPECT_TRUE(fleet.rows.measured.tallies.empty());
  EXPECT_EQ(fleet.rows.release.state, ReleaseState::kFull);
}

TEST(Metrics, AStoppedSliceLeavesTheCounts) {
  MeasuredFleet fleet(kLimit, false);
  fleet.Join(10, "mid");
  fleet.Join(10, "low");
  for (const char* device : {"d0", "d1", "d12"}) fleet.Measure(device, "latency_ms", 80);
  EXPECT_EQ(fleet.Counted("latency_ms").past, 3);
  fleet.rows.release.stopped_slices = {"device_class=mid"};
  EXPECT_EQ(fleet.Counted("latency_ms").past, 1);
  EXPECT_EQ(fleet.Counted("latency_ms").within, 9);
  EXPECT_EQ(fleet.Counted("latency_ms", "device_class=mid").past, 0);
  EXPECT_EQ(fleet.Counted("latency_ms", "device_class=low").past, 1);
}

TEST(Metrics, WhoIsHeldBackNoLongerLeavesTheCounts) {
  MeasuredFleet fleet(kLimit, true);
  fleet.Join(20);
  for (const MemberRow& member : std::vector<MemberRow>(fleet.rows.members))
    if (member.control) fleet.Measure(member.device, "latency_ms", 80);
  EXPECT_GT(fleet.Counted("latency_ms").control_past, 0);
  fleet.Do(command::Promote{"ann", ""});
  ASSERT_EQ(fleet.rows.release.state, ReleaseState::kComplete);
  fleet.Do(command::Tick{});
  EXPECT_EQ(fleet.Counted("latency_ms").control_past, 0);
  EXPECT_EQ(fleet.Counted("latency_ms").within, 20);
}

}  // namespace
}  // namespace ferry::server
