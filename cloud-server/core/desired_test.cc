// What a device shall have, over several releases and packages.
#include "cloud-server/core/desired.h"

#include <gtest/gtest.h>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/test_rows.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

using trust::DesiredPackage;
using trust::DesiredState;

// One device, and releases of packages that a test puts in any state.
class DesiredTest : public testing::Test {
 protected:
  DesiredTest() {
    view_.device = MakeDevice("d1", "high", "1.4.0");
    view_.device.reads_desired = true;
    catalogue_.tenant = "default";
    catalogue_.packages["digits"] = MakePackage({"1.0.0", "2.0.0", "3.0.0"});
  }

  // Above those that are there.
  ReleaseRow& Release(const std::string& package, const std::string& version, int64_t counter,
                      const std::string& rule = "all") {
    Catalogue::Package& to = catalogue_.packages[package];
    if (!to.versions.contains(version)) to.versions[version] = {{package + "/" + version}, ""};
    ReleaseRow row;
    row.id = package + "-" + version;
    row.package = package;
    row.version = version;
    row.release_counter = counter;
    row.fallback_version = to.versions[version].fallback;
    row.plan_json = WriteJson(Json{{"rule", rule}, {"stages", {{{"kind", "full"}}}}});
    row.salt = "salt";
    row.number = ++number_;
    row.state = ReleaseState::kComplete;
    for (Catalogue::Release& older : to.releases)
      if (older.row.state == ReleaseState::kComplete) older.row.state = ReleaseState::kSuperseded;
    to.releases.insert(to.releases.begin(), {row, *PlanOf(row), {}});
    return to.releases.front().row;
  }
  ReleaseRow& Row(const std::string& package, const std::string& version) {
    for (Catalogue::Release& release : catalogue_.packages[package].releases)
      if (release.row.version == version) return release.row;
    ADD_FAILURE() << package << " " << version;
    return catalogue_.packages[package].releases.front().row;
  }

  // Looks, and keeps what comes of it.
  std::map<std::string, DesiredPackage> LookNow() {
    now_ms_ += 1000;
    const Look look = LookAt(catalogue_, view_, now_ms_);
    for (const MemberRow& member : look.members) view_.members[member.release] = member;
    AddTallies(tallies_, look.tallies);
    if (look.assignment) view_.assignment = *look.assignment;
    news_ = look.news;
    Result<std::map<std::string, DesiredPackage>> packages = PackagesOf(view_.assignment);
    EXPECT_TRUE(packages.ok()) << packages.status().ToString();
    return *packages;
  }
  // The device does what it was told, and says so.
  void Obey() {
    for (const auto& [name, package] : LookNow()) {
      MemberRow& member = view_.members[package.release];
      member.done = true;
      member.step = package.back ? "rolled_back" : "confirmed";
      if (!package.back) member.outcome = Outcome::kHealthy;
      member.step_ms = now_ms_;
      for (auto& [id, other] : view_.members)
        if (other.back && package.back) other.done = true;
      if (package.state == DesiredState::kAbsent) {
        view_.installed.erase(name);
      } else {
        view_.installed[name] = {"d1", name, package.version, package.release, false};
      }
    }
  }

  Catalogue catalogue_;
  DeviceView view_;
  Tallies tallies_;
  bool news_ = false;
  int64_t number_ = 0;
  int64_t now_ms_ = 1'000'000;
};

TEST_F(DesiredTest, AnUnansweredPackageHoldsUpNoOther) {
  Release("silent", "1.0.0", 1);
  Release("other", "1.0.0", 1);
  const auto packages = LookNow();
  EXPECT_EQ(packages.size(), 2u);
  EXPECT_TRUE(news_);
  EXPECT_FALSE(view_.assignment.done);
  // One answers, the other never does: a third comes all the same.
  view_.members["other-1.0.0"].done = true;
  Release("third", "1.0.0", 1);
  EXPECT_EQ(LookNow().size(), 3u);
  EXPECT_TRUE(news_);
}

TEST_F(DesiredTest, NothingNewIsNoNews) {
  Release("digits", "1.0.0", 1);
  LookNow();
  const int64_t counter = view_.assignment.counter;
  Obey();
  LookNow();
  EXPECT_FALSE(news_);
  EXPECT_EQ(view_.assignment.counter, counter);
  EXPECT_TRUE(view_.assignment.done);
}

TEST_F(DesiredTest, RollbackGoesToNothingWhereNothingWas) {
  Release("digits", "2.0.0", 2).state = ReleaseState::kGray;
  Obey();
  Row("digits", "2.0.0").state = ReleaseState::kRollingBack;
  const auto packages = LookNow();
  EXPECT_EQ(packages.at("digits").state, DesiredState::kAbsent);
  EXPECT_TRUE(packages.at("digits").back);
  EXPECT_EQ(packages.at("digits").release, "digits-2.0.0");
}

TEST_F(DesiredTest, RollbackGoesToWhatWasThere) {
  view_.installed["digits"] = {"d1", "digits", "1.0.0", "", false};  // came with the app
  Release("digits", "3.0.0", 3).state = ReleaseState::kGray;
  Obey();
  Row("digits", "3.0.0").state = ReleaseState::kRollingBack;
  const auto packages = LookNow();
  EXPECT_EQ(packages.at("digits").version, "1.0.0") << "two signed steps back";
  EXPECT_EQ(packages.at("digits").targets, std::vector<std::string>{"digits/1.0.0/full"});
}

TEST_F(DesiredTest, TwoReleasesAreTakenBackOneAfterTheOther) {
  for (const char* version : {"1.0.0", "2.0.0", "3.0.0"}) {
    Release("digits", version, ++number_);
    Obey();
  }
  EXPECT_EQ(view_.installed["digits"].version, "3.0.0");
  Row("digits", "3.0.0").state = ReleaseState::kRollingBack;
  Obey();
  EXPECT_EQ(view_.installed["digits"].version, "2.0.0");
  Row("digits", "3.0.0").state = ReleaseState::kRolledBack;
  LookNow();
  EXPECT_FALSE(news_);
  Row("digits", "2.0.0").state = ReleaseState::kRollingBack;
  const auto packages = LookNow();
  EXPECT_TRUE(news_);
  EXPECT_EQ(packages.at("digits").version, "1.0.0");
  EXPECT_EQ(packages.at("digits").release, "digits-2.0.0") << "whose answer is waited for";
  EXPECT_FALSE(view_.members["digits-2.0.0"].done);
}

// The way back is the one that was answered before, but the answer was not about this release.
TEST_F(DesiredTest, AReleaseTakenBackAfterAnotherIsWaitedForAgain) {
  for (const char* version : {"1.0.0", "2.0.0"}) {
    Release("digits", version, ++number_);
    Obey();
  }
  Row("digits", "2.0.0").state = ReleaseState::kRollingBack;
  Obey();
  Row("digits", "2.0.0").state = ReleaseState::kRolledBack;
  Release("digits", "3.0.0", ++number_);
  Obey();
  ASSERT_EQ(view_.installed["digits"].version, "3.0.0");
  Row("digits", "3.0.0").state = ReleaseState::kRollingBack;
  const auto packages = LookNow();
  EXPECT_TRUE(news_);
  EXPECT_EQ(packages.at("digits").version, "1.0.0");
  EXPECT_FALSE(view_.members["digits-3.0.0"].done);
  EXPECT_FALSE(view_.members[packages.at("digits").release].done) << "whose answer is waited for";
}

TEST_F(DesiredTest, WhoWasBlockedDuringARollbackGoesBackLater) {
  Release("digits", "1.0.0", 1);
  Obey();
  Release("digits", "2.0.0", 2).state = ReleaseState::kGray;
  Obey();
  view_.device.blocked = true;
  Row("digits", "2.0.0").state = ReleaseState::kRolledBack;
  const AssignmentRow before = view_.assignment;
  LookNow();
  EXPECT_EQ(view_.assignment, before);
  view_.device.blocked = false;
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
}

TEST_F(DesiredTest, AfterTheRollbackOfACompleteReleaseLateDevicesGetTheOneBelow) {
  Release("digits", "1.0.0", 1);
  Release("digits", "2.0.0", 2).state = ReleaseState::kRolledBack;
  const auto packages = LookNow();
  EXPECT_EQ(packages.at("digits").version, "1.0.0");
  EXPECT_FALSE(packages.at("digits").back);
}

TEST_F(DesiredTest, AVersionBelowOneThatRanIsNotOffered) {
  Release("digits", "3.0.0", 3);
  Obey();
  Row("digits", "3.0.0").state = ReleaseState::kRolledBack;
  Obey();
  ASSERT_FALSE(view_.installed.contains("digits"));
  Release("digits", "2.0.0", 2);
  LookNow();
  EXPECT_FALSE(view_.members.contains("digits-2.0.0")) << "the device would refuse it";
}

TEST_F(DesiredTest, WithoutASignedWayTheDeviceKeepsWhatItHasAndNobodyWaits) {
  view_.installed["plain"] = {"d1", "plain", "0.9.0", "", false};
  Release("plain", "1.0.0", 1).state = ReleaseState::kGray;
  Obey();
  Row("plain", "1.0.0").state = ReleaseState::kRollingBack;
  EXPECT_FALSE(LookNow().contains("plain"));
  EXPECT_TRUE(view_.members["plain-1.0.0"].back && view_.members["plain-1.0.0"].done);
}

TEST_F(DesiredTest, OfSeveralReleasesWithoutAWayBackNoneWaits) {
  view_.device.reads_desired = false;
  Release("digits", "1.0.0", 1);
  Obey();
  Release("digits", "2.0.0", 2);
  Obey();
  Row("digits", "2.0.0").state = ReleaseState::kRollingBack;
  LookNow();
  Row("digits", "1.0.0").state = ReleaseState::kRollingBack;
  LookNow();
  for (const auto& [id, member] : view_.members) EXPECT_TRUE(member.back && member.done) << id;
}

TEST_F(DesiredTest, AnOlderReleaseStaysForThoseThatNoNewerOneTakes) {
  Release("digits", "1.0.0", 1);
  Release("digits", "2.0.0", 2, "os == \"ios\"");
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
}

TEST_F(DesiredTest, AFailedDeviceTriesAgainWithItsNextAttempt) {
  Release("digits", "1.0.0", 1);
  LookNow();
  MemberRow& member = view_.members["digits-1.0.0"];
  member.done = true;
  member.outcome = Outcome::kFailed;
  LookNow();
  EXPECT_FALSE(news_);
  member.attempt = 1;
  EXPECT_EQ(LookNow().at("digits").attempt, 1);
  EXPECT_TRUE(news_);
  EXPECT_FALSE(view_.members["digits-1.0.0"].done);
}

TEST_F(DesiredTest, AHaltedReleaseStaysWhereItIsAndGoesNowhereElse) {
  Release("digits", "1.0.0", 1);
  Obey();
  Release("digits", "2.0.0", 2).state = ReleaseState::kGray;
  Obey();
  Row("digits", "2.0.0").state = ReleaseState::kStopped;
  EXPECT_EQ(LookNow().at("digits").version, "2.0.0");
  view_ = DeviceView{MakeDevice("d2", "high", "1.4.0"), {}, {}, {}};
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
}

TEST_F(DesiredTest, OneThatReadsNoDesiredStateHearsOfOnePackageAtATime) {
  view_.device.reads_desired = false;
  Release("a", "1.0.0", 1);
  Release("b", "1.0.0", 1);
  LookNow();
  EXPECT_EQ(view_.assignment.release, "a-1.0.0");
  view_.members["a-1.0.0"].done = true;
  LookNow();
  EXPECT_TRUE(news_);
  EXPECT_EQ(view_.assignment.release, "b-1.0.0");
  view_.members["b-1.0.0"].done = true;
  LookNow();
  EXPECT_FALSE(news_);
  EXPECT_TRUE(view_.assignment.done);
}

TEST_F(DesiredTest, ExclusiveFilesGoToTheirDeviceAndBackWithTheVersion) {
  Release("digits", "1.0.0", 1);
  catalogue_.packages["digits"].releases[0].exclusive = {{"d1", "digits/1.0.0/exclusive/c"},
                                                         {"d2", "digits/1.0.0/exclusive/x"}};
  Obey();
  EXPECT_EQ(LookNow().at("digits").files, std::vector<std::string>{"digits/1.0.0/exclusive/c"});
  Release("digits", "2.0.0", 2).state = ReleaseState::kGray;
  Obey();
  EXPECT_TRUE(LookNow().at("digits").files.empty());
  Row("digits", "2.0.0").state = ReleaseState::kRollingBack;
  EXPECT_EQ(LookNow().at("digits").files, std::vector<std::string>{"digits/1.0.0/exclusive/c"});
}

TEST_F(DesiredTest, WhoIsHeldBackGetsItWhenTheReleaseIsComplete) {
  Release("digits", "1.0.0", 1);
  ReleaseRow& row = Release("digits", "2.0.0", 2);
  row.state = ReleaseState::kFull;
  Catalogue::Release& release = catalogue_.packages["digits"].releases[0];
  release.plan.stages[0].control = stage::kMaxControl;
  // Nine of ten are: one of them.
  for (int i = 0; stage::IsHeldBack(release.plan.stages[0], view_.device.id, "salt") == false; ++i)
    view_.device.id = fmt::format("d{}", i);
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
  EXPECT_TRUE(news_);
  EXPECT_EQ(LookNow().at("digits").observe, "digits-2.0.0");
  EXPECT_FALSE(news_);
  EXPECT_TRUE(view_.members["digits-2.0.0"].control);
  row.state = ReleaseState::kPaused;
  EXPECT_EQ(LookNow().at("digits").observe, "digits-2.0.0");
  row.state = ReleaseState::kRolledBack;
  EXPECT_EQ(LookNow().at("digits").observe, "") << "there is nothing left to compare with";
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
  EXPECT_EQ(TotalOf(tallies_, true).members(), 1);
  row.state = ReleaseState::kComplete;
  EXPECT_EQ(LookNow().at("digits").version, "2.0.0");
  EXPECT_FALSE(view_.members["digits-2.0.0"].control);
  EXPECT_EQ(TotalOf(tallies_, true).members(), 0);
}

// It hears of one package at a time, to be installed or taken back, and of nothing else.
TEST_F(DesiredTest, WhoCannotStopAPackageGoesBackFromWhatIsKilled) {
  view_.device.reads_desired = false;
  Release("digits", "1.0.0", 1);
  Obey();
  ReleaseRow& row = Release("digits", "2.0.0", 2);
  Obey();
  EXPECT_EQ(view_.assignment.action, "install");
  row.state = ReleaseState::kKilled;
  LookNow();
  EXPECT_TRUE(news_);
  EXPECT_EQ(view_.assignment.action, "rollback");
  EXPECT_EQ(view_.assignment.targets, std::vector<std::string>{"digits/1.0.0/full"});
  EXPECT_EQ(view_.assignment.release, "digits-2.0.0");
  Obey();
  LookNow();
  EXPECT_FALSE(news_);
}

TEST_F(DesiredTest, WhoCannotStopAPackageKeepsItWhereNoWayLeadsBack) {
  view_.device.reads_desired = false;
  ReleaseRow& row = Release("digits", "1.0.0", 1);
  Obey();
  LookNow();
  row.state = ReleaseState::kKilled;
  LookNow();
  EXPECT_FALSE(news_);
  EXPECT_EQ(view_.members["digits-1.0.0"].told, "keep");
  EXPECT_NE(Explain(row, view_.device, &view_.members["digits-1.0.0"])->text.find("no signed way"),
            std::string::npos);
}

// Its runtime would find targets in bins empty, and nothing of a release among them.
TEST_F(DesiredTest, WhoFetchesNoBinsIsOfferedNothingWhileTargetsLieInSome) {
  ReleaseRow& row = Release("digits", "1.0.0", 1);
  row.plan_json = WriteJson(stage::PlanToJson(catalogue_.packages["digits"].releases[0].plan));
  catalogue_.in_bins = true;
  EXPECT_FALSE(LookNow().contains("digits"));
  EXPECT_NE(Explain(row, view_.device, nullptr, true)->text.find("lie in bins"), std::string::npos);
  EXPECT_EQ(Explain(row, view_.device, nullptr, false)->text.find("bins"), std::string::npos);
  view_.device.reads_bins = true;
  EXPECT_EQ(Explain(row, view_.device, nullptr, true)->text.find("bins"), std::string::npos);
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
  // What it has stays its own when the targets are spread again.
  view_.device.reads_bins = false;
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
}

// An older runtime would tell failures of one cohort only.
TEST_F(DesiredTest, WhoDoesNotObserveIsInNoCohort) {
  view_.device.observes = false;
  Release("digits", "1.0.0", 1);
  ReleaseRow& row = Release("digits", "2.0.0", 2);
  row.state = ReleaseState::kFull;
  stage::Stage& stage = catalogue_.packages["digits"].releases[0].plan.stages[0];
  stage.control = stage::kMaxControl;
  for (int i = 0; i < 20; ++i) {
    view_.device.id = fmt::format("d{}", i);
    EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
    EXPECT_FALSE(view_.members.contains("digits-2.0.0"));
  }
  row.plan_json = WriteJson(stage::PlanToJson(catalogue_.packages["digits"].releases[0].plan));
  EXPECT_NE(Explain(row, view_.device, nullptr)->text.find("does not report"), std::string::npos);
  row.state = ReleaseState::kComplete;
  EXPECT_EQ(LookNow().at("digits").version, "2.0.0");
}

TEST_F(DesiredTest, WhoIsOfAStoppedSliceGoesBackAndStaysThere) {
  Release("digits", "1.0.0", 1);
  Obey();
  ReleaseRow& row = Release("digits", "2.0.0", 2);
  Obey();
  row.stopped_slices = {"device_class=high"};
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
  EXPECT_TRUE(LookNow().at("digits").back);
  Obey();
  // Being of another slice by now changes nothing for who ran it: the fault was seen there.
  view_.device.device_class = "low";
  EXPECT_EQ(LookNow().at("digits").version, "1.0.0");
  Release("digits", "3.0.0", 3);
  EXPECT_EQ(LookNow().at("digits").version, "3.0.0");
}

TEST_F(DesiredTest, CountsAreThoseOfTheMembers) {
  Release("digits", "1.0.0", 1);
  LookNow();
  Release("digits", "2.0.0", 2).state = ReleaseState::kRollingBack;
  LookNow();
  Tallies counted;
  for (const auto& [release, member] : view_.members) CountMember(counted, member, 1);
  std::erase_if(tallies_, [](const auto& entry) { return entry.second.counts_nobody(); });
  EXPECT_EQ(tallies_, counted);
}

}  // namespace
}  // namespace ferry::server
