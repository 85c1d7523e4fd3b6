#include "cloud-server/core/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cloud-server/core/test_rows.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

constexpr const char* kRule = "os == \"android\" and app_version < \"2.0.0\"";

// A release and what happens to it.
class Story {
 public:
  explicit Story(ReleaseRows rows) : rows_(std::move(rows)) {}

  Changes Do(const Command& command) {
    now_ms_ += 10;
    Result<Changes> changes = Apply(rows_, command, now_ms_);
    EXPECT_TRUE(changes.ok()) << changes.status().ToString();
    if (!changes.ok()) return {};
    Merge(rows_, *changes);
    for (const EventRow& event : changes->events) events_.push_back(event);
    return *changes;
  }
  Code CodeOf(const Command& command) { return Apply(rows_, command, now_ms_).code(); }

  void Report(const std::string& device, const std::string& step, const std::string& error = {},
              Code code = Code::kScriptRaised) {
    ReportRow report;
    report.device = device;
    report.release = rows_.release.id;
    report.step = step;
    report.error_text = error;
    report.error_code = error.empty() ? 0 : static_cast<int64_t>(code);
    for (const AssignmentRow& row : rows_.assignments)
      if (row.device == device) report.epoch = row.counter;
    Do(command::DeviceReport{report});
  }
  const AssignmentRow* AssignmentOf(const std::string& device) const {
    for (const AssignmentRow& row : rows_.assignments)
      if (row.device == device) return &row;
    return nullptr;
  }
  // Starts and passes the simulation.
  void Begin() {
    Do(command::Start{"ann"});
    Do(command::SimulationResult{true, "3 of 3 cases as expected", "{}"});
  }
  ReleaseState state() const { return rows_.release.state; }
  const EventRow* Find(const std::string& kind) const {
    for (const EventRow& event : events_)
      if (event.kind == kind) return &event;
    return nullptr;
  }

  ReleaseRows rows_;
  std::vector<EventRow> events_;
  int64_t now_ms_ = 1'000'000;
};

ReleaseRows Fleet(int64_t reports = 1, int64_t healthy_ms = 0) {
  ReleaseRows rows = MakeRelease(kRule, reports, healthy_ms);
  rows.devices = {MakeDevice("d1", "high", "1.4.0", {"beta"}),
                  MakeDevice("d2", "mid", "1.4.0"),
                  MakeDevice("d3", "mid", "1.4.0"),
                  MakeDevice("d4", "high", "1.4.0"),
                  MakeDevice("d5", "low", "1.4.0"),
                  MakeDevice("d6", "high", "2.1.0")};
  return rows;
}

TEST(Apply, NoDeviceGetsAnythingBeforeTheSimulationPassed) {
  Story story(Fleet());
  Changes changes = story.Do(command::Start{"ann"});
  EXPECT_TRUE(changes.run_simulation);
  EXPECT_EQ(story.state(), ReleaseState::kSimulating);
  story.Do(command::Tick{});
  EXPECT_TRUE(story.rows_.assignments.empty());
  story.Do(command::SimulationResult{false, "case 7: expected 3, got 8", "{\"failed\":1}"});
  EXPECT_EQ(story.state(), ReleaseState::kFailedSimulation);
  EXPECT_THAT(story.rows_.release.reason, HasSubstr("expected 3, got 8"));
  story.Do(command::Tick{});
  EXPECT_TRUE(story.rows_.assignments.empty());
  EXPECT_EQ(story.CodeOf(command::Resume{"ann"}), Code::kFailedPrecondition);
}

TEST(Apply, GoesThroughItsStagesToComplete) {
  Story story(Fleet());
  story.Begin();
  EXPECT_EQ(story.state(), ReleaseState::kBeta);
  ASSERT_EQ(story.rows_.members.size(), 1u);
  EXPECT_EQ(story.rows_.members[0].device, "d1");
  EXPECT_EQ(story.AssignmentOf("d1")->action, "install");
  EXPECT_EQ(story.AssignmentOf("d1")->targets[0], "digits/2.0.0/full");
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; i < story.rows_.members.size(); ++i)
      if (!story.rows_.members[i].done) story.Report(story.rows_.members[i].device, "healthy");
    story.Do(command::Tick{});
  }
  EXPECT_EQ(story.state(), ReleaseState::kComplete);
  EXPECT_EQ(story.rows_.members.size(), 5u);
  EXPECT_EQ(story.AssignmentOf("d6"), nullptr);
  EXPECT_NE(story.Find("passed"), nullptr);
  Result<Why> why = Explain(story.rows_.release, story.rows_.devices[5], nullptr);
  ASSERT_TRUE(why.ok());
  EXPECT_FALSE(why->matches_rule);
  EXPECT_THAT(why->text, HasSubstr("2.1.0"));
  EXPECT_THAT(why->text, HasSubstr("2.0.0"));
}

TEST(Apply, SecondFailingDeviceOfASliceStopsAndEveryoneGoesBack) {
  Story story(Fleet());
  story.Begin();
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; i < story.rows_.members.size(); ++i)
      if (!story.rows_.members[i].done) story.Report(story.rows_.members[i].device, "healthy");
    story.Do(command::Tick{});
    if (story.rows_.members.size() == 5) break;
  }
  ASSERT_EQ(story.rows_.members.size(), 5u);
  story.Report("d2", "task_failed", "KeyError: 'dpi'");
  EXPECT_FALSE(story.state() == ReleaseState::kRollingBack) << "one device is no evidence";
  story.Report("d2", "task_failed", "KeyError: 'dpi'");
  EXPECT_FALSE(story.state() == ReleaseState::kRollingBack) << "the same device counts once";
  story.Report("d3", "task_failed", "KeyError: 'dpi'");
  ASSERT_EQ(story.state(), ReleaseState::kRollingBack);
  ASSERT_NE(story.Find("stopped"), nullptr);
  EXPECT_THAT(story.Find("stopped")->numbers_json, HasSubstr("threshold"));
  story.Do(command::Tick{});
  for (const MemberRow& member : story.rows_.members) {
    EXPECT_TRUE(member.back) << member.device;
    const AssignmentRow* assignment = story.AssignmentOf(member.device);
    EXPECT_EQ(assignment->action, "rollback");
    EXPECT_EQ(assignment->targets, std::vector<std::string>{"digits/1.0.0/full"});
  }
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack);
  for (const char* device : {"d1", "d2", "d3", "d4", "d5"}) story.Report(device, "rolled_back");
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kRolledBack);
}

TEST(Apply, AReportAboutTheOldAssignmentIsNoAnswerToARollback) {
  Story story(Fleet());
  story.Begin();
  story.Report("d1", "healthy");
  story.Do(command::Rollback{"ann", "looks wrong"});
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack);
  ReportRow late;
  late.device = "d1";
  late.release = story.rows_.release.id;
  late.step = "healthy";
  late.epoch = 1;
  story.Do(command::DeviceReport{late});
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack);
  story.Report("d1", "rolled_back");
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kRolledBack);
}

TEST(Apply, WithoutAFallbackItStopsAndTakesOpenOffersBack) {
  ReleaseRows rows = Fleet();
  rows.release.fallback_version.clear();
  rows.fallback_targets.clear();
  Story story(rows);
  story.Begin();
  story.Do(command::Rollback{"ann", ""});
  EXPECT_EQ(story.state(), ReleaseState::kStopped);
  EXPECT_EQ(story.AssignmentOf("d1")->action, "none");
  EXPECT_NE(story.Find("no_fallback"), nullptr);
}

TEST(Apply, PauseStopsIntakeAndTheClock) {
  Story story(Fleet(1, 1000));
  story.Begin();
  story.Report("d1", "healthy");
  story.Do(command::Pause{"ann", "lunch"});
  EXPECT_THAT(story.rows_.release.reason, HasSubstr("lunch"));
  story.now_ms_ += 5000;
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kPaused);
  EXPECT_EQ(story.CodeOf(command::Pause{"ann", ""}), Code::kFailedPrecondition);
  story.Do(command::Resume{"ann"});
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kBeta) << "the pause does not count as healthy time";
  story.now_ms_ += 1000;
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kGray);
}

TEST(Apply, ExclusiveFilesGoToTheirDeviceOnly) {
  ReleaseRows rows = Fleet();
  rows.exclusive = {{rows.release.id, "digits/2.0.0/exclusive/calibration.json", "d2"}};
  Story story(rows);
  story.Begin();
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; i < story.rows_.members.size(); ++i)
      if (!story.rows_.members[i].done) story.Report(story.rows_.members[i].device, "healthy");
    story.Do(command::Tick{});
  }
  for (const AssignmentRow& row : story.rows_.assignments)
    EXPECT_EQ(row.exclusive.size(), row.device == "d2" ? 1u : 0u) << row.device;
}

TEST(Apply, ADeviceThatIsBusyWithAnotherPackageWaits) {
  ReleaseRows rows = Fleet();
  rows.assignments = {{"d1", 7, "other-1.0.0-1", "install", {"other/1.0.0/full"}, {}, false}};
  Story story(rows);
  story.Begin();
  EXPECT_EQ(story.AssignmentOf("d1")->counter, 7);
  story.rows_.assignments[0].done = true;
  story.Do(command::Tick{});
  EXPECT_EQ(story.AssignmentOf("d1")->counter, 8);
  EXPECT_EQ(story.AssignmentOf("d1")->release, story.rows_.release.id);
}

TEST(Apply, TwoPackagesOnTheirWayBackDoNotTakeTheDeviceFromEachOther) {
  Story story(Fleet());
  story.Begin();
  ASSERT_EQ(story.rows_.assignments.size(), 1u);
  story.rows_.assignments = {
      {"d1", 7, "other-1.0.0-1", "rollback", {"other/1.0.0/full"}, {}, false}};
  story.Do(command::Rollback{"ann", ""});
  story.Do(command::Tick{});
  EXPECT_EQ(story.AssignmentOf("d1")->counter, 7);
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack);
  story.rows_.assignments[0].done = true;
  story.Do(command::Tick{});
  EXPECT_EQ(story.AssignmentOf("d1")->counter, 8);
  EXPECT_EQ(story.AssignmentOf("d1")->action, "rollback");
  story.Report("d1", "rolled_back");
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kRolledBack);
}

TEST(Apply, AWayBackComesBeforeAnotherPackagesInstall) {
  Story story(Fleet());
  story.Begin();
  story.rows_.assignments = {
      {"d1", 7, "other-1.0.0-1", "install", {"other/1.0.0/full"}, {}, false}};
  story.Do(command::Rollback{"ann", ""});
  EXPECT_EQ(story.AssignmentOf("d1")->counter, 8);
  EXPECT_EQ(story.AssignmentOf("d1")->release, story.rows_.release.id);
}

TEST(Apply, EvidenceStaysANumber) {
  const ReleaseRows rows = Fleet();
  Result<std::vector<GateNumbers>> gates =
      GatesOf(rows.release, {{rows.release.id, "all", 100'000, 0, 0, 0}});
  ASSERT_TRUE(gates.ok());
  EXPECT_TRUE(std::isfinite((*gates)[0].evidence));
  EXPECT_TRUE((*gates)[0].stop);
}

TEST(Apply, DevicesOfANewerReleaseAreLeftAlone) {
  ReleaseRows rows = Fleet();
  rows.newer = {"d1"};
  Story story(rows);
  story.Begin();
  EXPECT_TRUE(story.rows_.members.empty());
}

TEST(Apply, CausesThatLieWithTheDeviceAreNoEvidence) {
  Story story(Fleet());
  story.Begin();
  story.Report("d1", "healthy");
  while (story.rows_.members.size() < 5) {
    for (const MemberRow& member : std::vector<MemberRow>(story.rows_.members))
      if (!member.done) story.Report(member.device, "healthy");
    story.Do(command::Tick{});
  }
  story.Report("d2", "failed", "the timestamp is past its expiry", Code::kExpired);
  story.Report("d3", "failed", "12 bytes are free", Code::kDiskFull);
  story.Report("d4", "failed", "reading failed", Code::kIo);
  story.Report("d5", "failed", "another authority", Code::kUntrustedServer);
  story.Do(command::Tick{});
  EXPECT_TRUE(TakesDevices(story.state())) << story.rows_.release.reason;
  for (const SliceRow& slice : story.rows_.slices) EXPECT_EQ(slice.failed, 0) << slice.slice;
  ASSERT_NE(story.Find("device_cause"), nullptr);
  EXPECT_THAT(story.Find("device_cause")->text, HasSubstr("is past its expiry"));
  EXPECT_EQ(story.Find("device_failed"), nullptr);
}

TEST(Apply, ConfirmedAloneIsNotHealthy) {
  Story story(Fleet());
  story.Begin();
  story.Report("d1", "confirmed");
  story.rows_.devices[0].last_seen_ms = story.now_ms_;
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows_.members[0].outcome, Outcome::kOpen);
  EXPECT_EQ(story.state(), ReleaseState::kBeta);
  story.rows_.devices[0].last_seen_ms = story.now_ms_;
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows_.members[0].outcome, Outcome::kHealthy) << "it spoke after it confirmed";
  EXPECT_EQ(story.state(), ReleaseState::kGray);
}

TEST(Apply, AnOpenLineIsALaterWordThanConfirmed) {
  Story story(Fleet(1, 1000));
  story.Begin();
  story.rows_.listening = {"d1"};
  story.Report("d1", "confirmed");
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows_.members[0].outcome, Outcome::kOpen) << "too soon";
  story.now_ms_ += 1000;
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows_.members[0].outcome, Outcome::kHealthy);
}

TEST(Apply, WhoConfirmedAndWentDarkIsEvidence) {
  ReleaseRows rows = Fleet();
  for (DeviceRow& device : rows.devices) device.tags = {"beta"};
  rows.devices.resize(3);
  Story story(rows);
  story.Begin();
  ASSERT_EQ(story.rows_.members.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    story.Report(story.rows_.devices[i].id, "confirmed");
    story.rows_.devices[i].last_seen_ms = story.now_ms_;
  }
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kBeta);
  story.now_ms_ += 24 * int64_t{3'600'000};
  story.Do(command::Tick{story.now_ms_ - 1000});
  EXPECT_EQ(story.state(), ReleaseState::kBeta) << "nobody could have heard them: no evidence";
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack) << "3 of 3 died as soon as they ran it";
}

TEST(Apply, SilenceAfterTheFirstStepCountsAsFailed) {
  ReleaseRows rows = Fleet();
  Result<Json> plan = ParseJson(rows.release.plan_json);
  for (size_t i = 1; i < 4; ++i) (*plan)["stages"][i]["report_timeout_ms"] = 1000;
  rows.release.plan_json = WriteJson(*plan);
  Story story(rows);
  story.Begin();
  story.now_ms_ += 5000;
  story.Do(command::Tick{});
  EXPECT_FALSE(story.rows_.members[0].overdue) << "it never began: it may be off";
  story.Report("d1", "pulled");
  story.now_ms_ += 5000;
  story.Do(command::Tick{});
  EXPECT_TRUE(story.rows_.members[0].overdue);
  Result<std::vector<GateNumbers>> gates = GatesOf(story.rows_.release, story.rows_.slices);
  ASSERT_TRUE(gates.ok());
  for (const GateNumbers& gate : *gates) EXPECT_EQ(gate.failed, 1) << gate.slice;
  story.Report("d1", "confirmed");
  EXPECT_FALSE(story.rows_.members[0].overdue);
}

TEST(Apply, AHeldStageWaitsForAPerson) {
  ReleaseRows rows = Fleet();
  Result<Json> plan = ParseJson(rows.release.plan_json);
  (*plan)["stages"][1]["hold"] = true;
  rows.release.plan_json = WriteJson(*plan);
  Story story(rows);
  story.Begin();
  story.Report("d1", "healthy");
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kBeta);
  story.Do(command::Resume{"ann"});
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kGray);
}

TEST(Apply, StatesHaveNamesBothWays) {
  for (int i = 0; i <= static_cast<int>(ReleaseState::kSuperseded); ++i) {
    const auto state = static_cast<ReleaseState>(i);
    Result<ReleaseState> back = ReleaseStateFromName(NameOf(state));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, state);
  }
  EXPECT_EQ(ReleaseStateFromName("flying").code(), Code::kMalformed);
  EXPECT_EQ(OutcomeFromName("maybe").code(), Code::kMalformed);
}

TEST(CheckRelease, NamesWhatIsWrong) {
  ReleaseRow release = MakeRelease(kRule).release;
  EXPECT_TRUE(CheckRelease(release).ok());
  release.salt.clear();
  EXPECT_EQ(CheckRelease(release).code(), Code::kInvalidArgument);
  release.salt = std::string(kMaxSaltBytes, 's');
  EXPECT_TRUE(CheckRelease(release).ok());
  release.salt += "s";
  EXPECT_EQ(CheckRelease(release).code(), Code::kInvalidArgument);
  release.salt = "s";
  release.plan_json = R"({"rule":"app_version <","stages":[{"kind":"full"}]})";
  EXPECT_EQ(CheckRelease(release).code(), Code::kBadRule);
  release.plan_json = R"({"rule":"all","stages":[]})";
  EXPECT_FALSE(CheckRelease(release).ok());
}

}  // namespace
}  // namespace ferry::server
