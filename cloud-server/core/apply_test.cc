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

// Not what the device calls itself: what the operator calls it, at the offer and at the key.
TEST(TrustedOnly, OwnTagsAndExtraAreNotHeard) {
  ReleaseRows rows = MakeRelease("tag(\"vip\") and os == \"android\"");
  Json plan = *ParseJson(rows.release.plan_json);
  plan["stages"] = Json::array({Json{{"kind", "full"}}});
  rows.release.plan_json = WriteJson(plan);
  rows.stages = {{rows.release.id, 0}};
  DeviceRow stranger = MakeDevice("d1", "high", "1.0.0", {"vip"});
  DeviceRow known = MakeDevice("d2", "high", "1.0.0");
  known.operator_tags = {"vip"};
  const auto taken = [&] {
    std::vector<std::string> ids;
    TestWorld world(rows, {stranger, known});
    EXPECT_TRUE(world.Do(command::Start{"ann"}, 1'000).ok());
    for (const MemberRow& row : world.rows.members) ids.push_back(row.device);
    return ids;
  };
  EXPECT_EQ(taken(), (std::vector<std::string>{"d1", "d2"}));
  EXPECT_TRUE(CheckKeyFor(rows.release, stranger).ok());

  plan["trusted_only"] = true;
  rows.release.plan_json = WriteJson(stage::PlanToJson(*stage::PlanFromJson(plan)));
  EXPECT_EQ(taken(), std::vector<std::string>{"d2"});
  EXPECT_THAT(Explain(rows.release, stranger, nullptr)->text, HasSubstr("has no tags"));
  EXPECT_EQ(CheckKeyFor(rows.release, stranger).code(), Code::kPermissionDenied);
  EXPECT_TRUE(CheckKeyFor(rows.release, known).ok());
  // The operator's word is taken back: no more keys, although the device is a member.
  known.operator_tags.clear();
  EXPECT_EQ(CheckKeyFor(rows.release, known).code(), Code::kPermissionDenied);
}

TEST(OperatorTags, AreASetWithinLimits) {
  EXPECT_EQ(*OperatorTagsFrom({"b", "a", "b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(OperatorTagsFrom({})->empty());
  EXPECT_EQ(OperatorTagsFrom({""}).code(), Code::kInvalidArgument);
  EXPECT_EQ(OperatorTagsFrom({std::string(257, 'x')}).code(), Code::kLimitExceeded);
  std::vector<std::string> many;
  for (int i = 0; i < 65; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(OperatorTagsFrom(many).code(), Code::kLimitExceeded);
}

// A release and what happens to it.
class Story : public TestWorld {
 public:
  using TestWorld::TestWorld;

  Changes Do(const Command& command) {
    now_ms_ += 10;
    Result<Changes> changes = TestWorld::Do(command, now_ms_);
    EXPECT_TRUE(changes.ok()) << changes.status().ToString();
    if (!changes.ok()) return {};
    for (const EventRow& event : changes->events) events_.push_back(event);
    return *changes;
  }
  Code CodeOf(const Command& command) { return Apply(rows, command, now_ms_).code(); }

  void Report(const std::string& device, const std::string& step, const std::string& error = {},
              Code code = Code::kScriptRaised) {
    ReportRow report;
    report.device = device;
    report.release = rows.release.id;
    report.step = step;
    report.error_text = error;
    report.error_code = error.empty() ? 0 : static_cast<int64_t>(code);
    report.epoch = assignments[device].counter;
    Do(command::DeviceReports{{report}});
  }
  // A device that is held back says how what it runs does.
  void Observe(const std::string& device, const std::string& step,
               const std::string& version = "1.0.0") {
    ReportRow report;
    report.device = device;
    report.release = rows.release.id;
    report.package = "digits";
    report.version = version;
    report.step = step;
    Do(command::DeviceReports{{report}});
  }
  const AssignmentRow* AssignmentOf(const std::string& device) const {
    const auto found = assignments.find(device);
    return found == assignments.end() || found->second.counter == 0 ? nullptr : &found->second;
  }
  // Starts and passes the simulation.
  void Begin() {
    Do(command::Start{"ann"});
    Do(command::SimulationResult{true, "3 of 3 cases as expected", "{}"});
  }
  // Everybody answers well, `rounds` times.
  void GoOn(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      for (const MemberRow& member : std::vector<MemberRow>(rows.members))
        if (!member.done) Report(member.device, "healthy");
      Do(command::Tick{});
    }
  }
  ReleaseState state() const { return rows.release.state; }
  const EventRow* Find(const std::string& kind) const {
    for (const EventRow& event : events_)
      if (event.kind == kind) return &event;
    return nullptr;
  }

  std::vector<EventRow> events_;
  int64_t now_ms_ = 1'000'000;
};

std::vector<DeviceRow> SixDevices() {
  return {MakeDevice("d1", "high", "1.4.0", {"beta"}),
          MakeDevice("d2", "mid", "1.4.0"),
          MakeDevice("d3", "mid", "1.4.0"),
          MakeDevice("d4", "high", "1.4.0"),
          MakeDevice("d5", "low", "1.4.0"),
          MakeDevice("d6", "high", "2.1.0")};
}

Story Fleet(int64_t reports = 1, int64_t healthy_ms = 0) {
  return Story(MakeRelease(kRule, reports, healthy_ms), SixDevices());
}

TEST(Apply, NoDeviceGetsAnythingBeforeTheSimulationPassed) {
  Story story = Fleet();
  Changes changes = story.Do(command::Start{"ann"});
  EXPECT_TRUE(changes.run_simulation);
  EXPECT_EQ(story.state(), ReleaseState::kSimulating);
  story.Do(command::Tick{});
  EXPECT_TRUE(story.woken.empty());
  story.Do(command::SimulationResult{false, "case 7: expected 3, got 8", "{\"failed\":1}"});
  EXPECT_EQ(story.state(), ReleaseState::kFailedSimulation);
  EXPECT_THAT(story.rows.release.reason, HasSubstr("expected 3, got 8"));
  story.Do(command::Tick{});
  EXPECT_TRUE(story.woken.empty());
  EXPECT_EQ(story.CodeOf(command::Resume{"ann"}), Code::kFailedPrecondition);
}

TEST(Apply, GoesThroughItsStagesToComplete) {
  Story story = Fleet();
  story.Begin();
  EXPECT_EQ(story.state(), ReleaseState::kBeta);
  ASSERT_EQ(story.rows.members.size(), 1u);
  EXPECT_EQ(story.rows.members[0].device, "d1");
  EXPECT_EQ(story.AssignmentOf("d1")->action, "install");
  EXPECT_EQ(story.AssignmentOf("d1")->targets[0], "digits/2.0.0/full");
  story.GoOn(10);
  EXPECT_EQ(story.state(), ReleaseState::kComplete);
  EXPECT_EQ(story.rows.members.size(), 5u);
  EXPECT_EQ(story.AssignmentOf("d6"), nullptr);
  EXPECT_NE(story.Find("passed"), nullptr);
  Result<Why> why = Explain(story.rows.release, story.devices[5], nullptr);
  ASSERT_TRUE(why.ok());
  EXPECT_FALSE(why->matches_rule);
  EXPECT_THAT(why->text, HasSubstr("2.1.0"));
  EXPECT_THAT(why->text, HasSubstr("2.0.0"));
}

TEST(Apply, SecondFailingDeviceOfASliceStopsAndEveryoneGoesBack) {
  Story story = Fleet();
  story.Begin();
  while (story.rows.members.size() < 5) story.GoOn(1);
  ASSERT_EQ(story.rows.members.size(), 5u);
  story.Report("d2", "task_failed", "KeyError: 'dpi'");
  EXPECT_FALSE(story.state() == ReleaseState::kRollingBack) << "one device is no evidence";
  story.Report("d2", "task_failed", "KeyError: 'dpi'");
  EXPECT_FALSE(story.state() == ReleaseState::kRollingBack) << "the same device counts once";
  story.Report("d3", "task_failed", "KeyError: 'dpi'");
  ASSERT_EQ(story.state(), ReleaseState::kRollingBack);
  ASSERT_NE(story.Find("stopped"), nullptr);
  EXPECT_THAT(story.Find("stopped")->numbers_json, HasSubstr("threshold"));
  story.Do(command::Tick{});
  for (const MemberRow& member : story.rows.members) {
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

// Thirty of sixty devices are held back. Those that have the version fail as often as told.
Story HeldBack(bool fails, bool control_fails) {
  ReleaseRows rows = MakeRelease("all");
  Json stage = {{"kind", "full"}, {"control", 50}, {"min_reports", 1'000'000}};
  rows.release.plan_json = WriteJson(Json{{"rule", "all"}, {"stages", Json::array({stage})}});
  rows.release.settings_json =
      R"({"window_ms":60000,"max_failed_min_devices":1000,"tolerated_rate":0.012})";
  rows.stages = {{rows.release.id, 0}};
  std::vector<DeviceRow> fleet;
  for (int i = 0; i < 60; ++i) fleet.push_back(MakeDevice(fmt::format("d{}", i), "high", "1.0.0"));
  Story story(rows, fleet);
  story.Do(command::Start{"ann"});
  for (const MemberRow& member : std::vector<MemberRow>(story.rows.members)) {
    if (member.control) {
      story.Observe(member.device, "observing");
      story.Observe(member.device, control_fails ? "task_failed" : "healthy");
    } else {
      story.Report(member.device, fails ? "task_failed" : "healthy", fails ? "KeyError" : "");
    }
  }
  return story;
}

TEST(Apply, CohortsAreComparedOverEqualWindows) {
  for (const bool fails : {true, false}) {
    for (const bool control_fails : {true, false}) {
      Story story = HeldBack(fails, control_fails);
      EXPECT_GT(TotalOf(story.rows.tallies, true).members(), 20);
      story.Do(command::Tick{});
      EXPECT_EQ(story.state(), ReleaseState::kFull) << "no window is over";
      EXPECT_EQ(TotalOf(story.rows.tallies).closed, 0);
      story.now_ms_ += 60'000;
      story.Do(command::Tick{});
      const Counts counts = TotalOf(story.rows.tallies);
      EXPECT_EQ(counts.closed, counts.members());
      EXPECT_EQ(counts.closed_failed, fails ? counts.members() : 0);
      const bool stops = fails && !control_fails;
      EXPECT_EQ(story.state(), stops ? ReleaseState::kRollingBack : ReleaseState::kFull)
          << fails << control_fails << story.rows.release.reason;
    }
  }
}

// One device of each cohort, in a stage that waits a minute for reports.
struct TwoCohorts {
  Story story;
  std::string treated, control;

  TwoCohorts() : story(MakeRelease("all")) {
    ReleaseRows& rows = story.rows;
    Json stage = {{"kind", "full"}, {"control", 50}, {"min_reports", 1'000'000}};
    stage["report_timeout_ms"] = 60'000;
    stage["min_healthy_ms"] = 1000;
    rows.release.plan_json = WriteJson(Json{{"rule", "all"}, {"stages", Json::array({stage})}});
    rows.stages = {{rows.release.id, 0}};
    for (int i = 0; i < 20; ++i)
      story.devices.push_back(MakeDevice(fmt::format("d{}", i), "high", "1.0.0"));
    story.Do(command::Start{"ann"});
    for (const MemberRow& member : rows.members)
      (member.control ? control : treated) = member.device;
  }
  const MemberRow& Member(const std::string& device) const { return *story.MemberOf(device); }
};

TEST(Apply, WhoIsHeldBackIsSilentAsSoonAsTheOthers) {
  TwoCohorts two;
  two.story.Report(two.treated, "confirmed");
  two.story.Observe(two.control, "observing");
  two.story.now_ms_ += 59'000;
  two.story.Do(command::Tick{});
  EXPECT_FALSE(two.Member(two.treated).overdue || two.Member(two.control).overdue);
  two.story.now_ms_ += 2'000;
  two.story.Do(command::Tick{});
  EXPECT_TRUE(two.Member(two.treated).overdue);
  EXPECT_TRUE(two.Member(two.control).overdue);
  EXPECT_EQ(TotalOf(two.story.rows.tallies, true).overdue, 1);
  two.story.Observe(two.control, "healthy");
  EXPECT_EQ(two.Member(two.control).outcome, Outcome::kHealthy);
  EXPECT_FALSE(two.Member(two.control).overdue);
}

TEST(Apply, WhoIsHeldBackAndHeardOfIsWellAsTheOthers) {
  TwoCohorts two;
  two.story.Report(two.treated, "confirmed");
  two.story.Observe(two.control, "observing");
  two.story.now_ms_ += 2'000;
  for (DeviceRow& device : two.story.devices) device.last_seen_ms = two.story.now_ms_;
  two.story.Do(command::Tick{});
  EXPECT_EQ(two.Member(two.treated).outcome, Outcome::kHealthy);
  EXPECT_EQ(two.Member(two.control).outcome, Outcome::kHealthy);
}

TEST(Apply, OfWhoIsHeldBackOnlyWhatRunsInsteadCounts) {
  TwoCohorts two;
  two.story.Observe(two.control, "task_failed", "2.0.0");
  EXPECT_EQ(two.Member(two.control).outcome, Outcome::kOpen) << "it cannot have that";
  for (const char* step : {"confirmed", "failed", "rolled_back"})
    two.story.Observe(two.control, step);
  EXPECT_EQ(two.Member(two.control).step, "");
  two.story.Observe(two.control, "task_failed");
  EXPECT_EQ(two.Member(two.control).outcome, Outcome::kFailed);
  EXPECT_TRUE(two.Member(two.control).done) << "nobody waits for it";
  two.story.Observe(two.control, "healthy");
  EXPECT_EQ(two.Member(two.control).outcome, Outcome::kFailed);
}

// One failure and no more: what is looked at between two reports must not matter.
TEST(Apply, ReportsThatComeTogetherChangeWhatTheyChangeOneByOne) {
  Story alone = Fleet(5, 1'000'000), together = Fleet(5, 1'000'000);
  for (Story* story : {&alone, &together}) {
    story->Begin();
    story->Do(command::Promote{"ann", ""});
    story->Do(command::Promote{"ann", ""});
  }
  ASSERT_EQ(alone.rows.members.size(), 5u);
  const char* steps[] = {"woken", "pulled", "confirmed", "healthy", "device", "failed"};
  command::DeviceReports all;
  for (int i = 0; i < 60; ++i) {
    ReportRow report;
    report.device = fmt::format("d{}", 1 + i * 7 % 6);  // d6 is no member
    report.release = alone.rows.release.id;
    report.step = steps[i * 11 % (report.device == "d3" ? 6 : 4)];
    report.bytes_pulled = static_cast<uint64_t>(i);
    report.epoch = 1;
    all.reports.push_back(report);
  }
  alone.now_ms_ = together.now_ms_ = 2'000'000;
  for (const ReportRow& report : all.reports) {
    alone.now_ms_ = 2'000'000;
    alone.Do(command::DeviceReports{{report}});
  }
  together.Do(all);
  EXPECT_EQ(alone.rows.members, together.rows.members);
  EXPECT_EQ(alone.rows.tallies, together.rows.tallies);
  EXPECT_EQ(alone.state(), together.state());
}

TEST(Apply, ASliceMayStopAlone) {
  Story story = Fleet();
  story.rows.release.settings_json = R"({"stop_slices_alone":true})";
  story.Begin();
  while (story.rows.members.size() < 5) story.GoOn(1);
  story.Report("d2", "task_failed", "KeyError: 'dpi'");
  story.Report("d3", "task_failed", "KeyError: 'dpi'");
  story.Do(command::Tick{});
  ASSERT_NE(story.Find("slice_stopped"), nullptr);
  EXPECT_THAT(story.Find("slice_stopped")->text, HasSubstr("device_class=mid"));
  EXPECT_EQ(story.rows.release.stopped_slices, std::vector<std::string>{"device_class=mid"});
  for (const char* device : {"d2", "d3"}) {
    EXPECT_TRUE(story.MemberOf(device)->back);
    EXPECT_EQ(story.AssignmentOf(device)->action, "rollback");
    story.Report(device, "rolled_back");
  }
  for (const char* device : {"d1", "d4", "d5"}) EXPECT_FALSE(story.MemberOf(device)->back);
  // One of the slice that comes late is not offered it, others are.
  story.devices.push_back(MakeDevice("d7", "mid", "1.4.0"));
  story.devices.push_back(MakeDevice("d8", "low", "1.4.0"));
  story.GoOn(10);
  EXPECT_EQ(story.state(), ReleaseState::kComplete);
  EXPECT_EQ(story.MemberOf("d7"), nullptr);
  EXPECT_NE(story.MemberOf("d8"), nullptr);
  const Result<Why> why = Explain(story.rows.release, story.devices[6], nullptr);
  EXPECT_THAT(why->text, HasSubstr("stopped alone: device_class=mid"));
  // The gates see the others alone; when more than a slice of these fails, the release stops.
  const auto gates = GatesOf(story.rows.release, story.rows.stages, story.rows.tallies);
  ASSERT_TRUE(gates.ok());
  for (const GateNumbers& row : *gates) EXPECT_EQ(row.failed, 0) << row.slice;
  for (const char* device : {"d1", "d4", "d5", "d8"})
    story.Report(device, "task_failed", "KeyError: 'dpi'");
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack);
}

TEST(Apply, AReportAboutTheOldAssignmentIsNoAnswerToARollback) {
  Story story = Fleet();
  story.Begin();
  story.Report("d1", "healthy");
  story.Do(command::Rollback{"ann", "looks wrong"});
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack);
  ReportRow late;
  late.device = "d1";
  late.release = story.rows.release.id;
  late.step = "healthy";
  late.epoch = 1;
  story.Do(command::DeviceReports{{late}});
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kRollingBack);
  story.Report("d1", "rolled_back");
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kRolledBack);
}

TEST(Apply, OrdersOfAPersonAreFourDifferentThings) {
  Story promoted = Fleet(1, 1'000'000);
  promoted.Begin();
  promoted.Do(command::Promote{"ann", "seen enough"});
  EXPECT_EQ(promoted.state(), ReleaseState::kGray);
  EXPECT_THAT(promoted.Find("promoted")->text, HasSubstr("seen enough"));

  Story halted = Fleet();
  halted.Begin();
  halted.Report("d1", "healthy");
  halted.Do(command::Halt{"ann", "enough"});
  EXPECT_EQ(halted.state(), ReleaseState::kStopped);
  halted.GoOn(3);
  EXPECT_EQ(halted.rows.members.size(), 1u);
  EXPECT_EQ(halted.AssignmentOf("d1")->action, "install") << "who has it keeps it";
  EXPECT_EQ(halted.CodeOf(command::Halt{"ann", ""}), Code::kFailedPrecondition);

  Story killed = Fleet();
  killed.devices[0].reads_desired = true;
  killed.Begin();
  killed.Report("d1", "healthy");
  killed.Do(command::Kill{"ann", "it burns"});
  EXPECT_EQ(killed.state(), ReleaseState::kKilled);
  EXPECT_THAT(killed.rows.release.reason, testing::Not(HasSubstr("cannot stop")));
  const auto packages = PackagesOf(*killed.AssignmentOf("d1"));
  ASSERT_TRUE(packages.ok());
  EXPECT_EQ(packages->at("digits").state, trust::DesiredState::kDisabled);
  EXPECT_EQ(packages->at("digits").version, "2.0.0");
  killed.Do(command::Rollback{"ann", ""});
  EXPECT_EQ(killed.state(), ReleaseState::kRollingBack);
}

TEST(Apply, PauseStopsIntakeAndTheClock) {
  Story story = Fleet(1, 1000);
  story.Begin();
  story.Report("d1", "healthy");
  story.Do(command::Pause{"ann", "lunch"});
  EXPECT_THAT(story.rows.release.reason, HasSubstr("lunch"));
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

TEST(Apply, EvidenceStaysANumber) {
  const ReleaseRows rows = MakeRelease(kRule);
  Tallies tallies;
  tallies[{rows.release.id, 1, false, "all"}].failed = 100'000;
  ReleaseRow release = rows.release;
  release.stage = 1;
  Result<std::vector<GateNumbers>> gates = GatesOf(release, rows.stages, tallies);
  ASSERT_TRUE(gates.ok()) << gates.status().ToString();
  ASSERT_FALSE(gates->empty());
  EXPECT_TRUE(std::isfinite((*gates)[0].evidence));
  EXPECT_TRUE((*gates)[0].stop);
}

TEST(Apply, CausesThatLieWithTheDeviceAreNoEvidence) {
  Story story = Fleet();
  story.Begin();
  story.Report("d1", "healthy");
  while (story.rows.members.size() < 5) story.GoOn(1);
  story.Report("d2", "failed", "the timestamp is past its expiry", Code::kExpired);
  story.Report("d3", "failed", "12 bytes are free", Code::kDiskFull);
  story.Report("d4", "failed", "reading failed", Code::kIo);
  story.Report("d5", "failed", "another authority", Code::kUntrustedServer);
  story.Do(command::Tick{});
  EXPECT_TRUE(TakesDevices(story.state())) << story.rows.release.reason;
  for (const SliceRow& slice : SlicesOf(story.rows.tallies))
    EXPECT_EQ(slice.failed, 0) << slice.slice;
  ASSERT_NE(story.Find("device_cause"), nullptr);
  EXPECT_THAT(story.Find("device_cause")->text, HasSubstr("is past its expiry"));
  EXPECT_EQ(story.Find("device_failed"), nullptr);
}

TEST(Apply, ConfirmedAloneIsNotHealthy) {
  Story story = Fleet();
  story.Begin();
  story.Report("d1", "confirmed");
  story.devices[0].last_seen_ms = story.now_ms_;
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows.members[0].outcome, Outcome::kOpen);
  EXPECT_EQ(story.state(), ReleaseState::kBeta);
  story.devices[0].last_seen_ms = story.now_ms_;
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows.members[0].outcome, Outcome::kHealthy) << "it spoke after it confirmed";
  EXPECT_EQ(story.state(), ReleaseState::kGray);
}

TEST(Apply, AnOpenLineIsALaterWordThanConfirmed) {
  Story story = Fleet(1, 1000);
  story.Begin();
  story.rows.listening = {"d1"};
  story.Report("d1", "confirmed");
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows.members[0].outcome, Outcome::kOpen) << "too soon";
  story.now_ms_ += 1000;
  story.Do(command::Tick{});
  EXPECT_EQ(story.rows.members[0].outcome, Outcome::kHealthy);
}

TEST(Apply, WhoConfirmedAndWentDarkIsEvidence) {
  Story story = Fleet();
  for (DeviceRow& device : story.devices) device.tags = {"beta"};
  story.devices.resize(3);
  story.Begin();
  ASSERT_EQ(story.rows.members.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    story.Report(story.devices[i].id, "confirmed");
    story.devices[i].last_seen_ms = story.now_ms_;
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
  ReleaseRows rows = MakeRelease(kRule);
  Result<Json> plan = ParseJson(rows.release.plan_json);
  for (size_t i = 1; i < 4; ++i) (*plan)["stages"][i]["report_timeout_ms"] = 1000;
  rows.release.plan_json = WriteJson(*plan);
  Story story(rows, SixDevices());
  story.Begin();
  story.now_ms_ += 5000;
  story.Do(command::Tick{});
  EXPECT_FALSE(story.rows.members[0].overdue) << "it never began: it may be off";
  story.Report("d1", "pulled");
  story.now_ms_ += 5000;
  story.Do(command::Tick{});
  EXPECT_TRUE(story.rows.members[0].overdue);
  Result<std::vector<GateNumbers>> gates =
      GatesOf(story.rows.release, story.rows.stages, story.rows.tallies);
  ASSERT_TRUE(gates.ok());
  for (const GateNumbers& gate : *gates) EXPECT_EQ(gate.failed, 1) << gate.slice;
  story.Report("d1", "confirmed");
  EXPECT_FALSE(story.rows.members[0].overdue);
}

TEST(Apply, AHeldStageWaitsForAPerson) {
  ReleaseRows rows = MakeRelease(kRule);
  Result<Json> plan = ParseJson(rows.release.plan_json);
  (*plan)["stages"][1]["hold"] = true;
  rows.release.plan_json = WriteJson(*plan);
  Story story(rows, SixDevices());
  story.Begin();
  story.Report("d1", "healthy");
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kBeta);
  story.Do(command::Resume{"ann"});
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kGray);
}

TEST(Apply, ApprovalEndsNoPause) {
  ReleaseRows rows = MakeRelease(kRule);
  Result<Json> plan = ParseJson(rows.release.plan_json);
  (*plan)["stages"][1]["hold"] = true;
  rows.release.plan_json = WriteJson(*plan);
  Story story(rows, SixDevices());
  story.Begin();
  story.Report("d1", "healthy");
  story.Do(command::Pause{"bob", "lunch"});
  EXPECT_EQ(story.CodeOf(command::Approve{"ann", ""}), Code::kFailedPrecondition);
  story.Do(command::Resume{"bob"});
  story.Do(command::Approve{"ann", "looks good"});
  EXPECT_THAT(story.Find("approved")->text, HasSubstr("by ann: looks good"));
  EXPECT_EQ(story.CodeOf(command::Approve{"ann", ""}), Code::kFailedPrecondition);
  story.Do(command::Tick{});
  EXPECT_EQ(story.state(), ReleaseState::kGray);
}

TEST(Apply, StatesHaveNamesBothWays) {
  for (int i = 0; i <= static_cast<int>(ReleaseState::kKilled); ++i) {
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
