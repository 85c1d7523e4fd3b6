#include "cloud-server/rollout/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/test_rollout.h"
#include "common/base/json.h"
#include "common/trust/assignment.h"
#include "common/trust/trusted_set.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kDevices = {"d1", "d2", "d3", "d4", "d5", "d6"};

class RolloutTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fleet_.registry->PutRoot(publisher_.RootDocument()).ok());
    publisher_.Add("1.0.0", 1, "package one");
    publisher_.AddExclusive("1.0.0", "calibration.json", "{}");
    publisher_.Add("2.0.0", 2, "package two", "1.0.0");
    publisher_.Add("3.0.0", 3, "package three", "1.0.0");
    ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
    fleet_.AddDevice("d1", "high", "1.4.0", {"beta"});
    fleet_.AddDevice("d2", "mid", "1.4.0");
    fleet_.AddDevice("d3", "mid", "1.4.0");
    fleet_.AddDevice("d4", "high", "1.4.0");
    fleet_.AddDevice("d5", "low", "1.4.0");
    fleet_.AddDevice("d6", "high", "2.1.0");
  }

  NewRelease Plan(const std::string& version) {
    NewRelease release;
    release.package = "digits";
    release.version = version;
    release.salt = "s";
    release.plan = *ParseJson(R"json({"rule":"app_version < \"2.0.0\"","stages":[
        {"kind":"simulation"},{"kind":"beta","who":"tag(\"beta\")","min_reports":1},
        {"kind":"full","min_reports":3}]})json");
    return release;
  }
  Result<ReleaseRow> Release(const NewRelease& plan) {
    FERRY_ASSIGN_OR_RETURN(ReleaseRow row, fleet_.rollout->Create(plan));
    return fleet_.rollout->Do(row.id, command::Start{"ann"});
  }
  ReleaseRow Get(const std::string& id) {
    ReleaseRow row;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(id));
                      return OkStatus();
                    })
                    .ok());
    return row;
  }
  // Ticks and good answers until nothing moves.
  void Settle() {
    for (int round = 0; round < 8; ++round) {
      fleet_.AnswerAll(kDevices);
      fleet_.clock.now_ms += 1000;
      Status status = fleet_.rollout->Tick();
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
  }

  TestFleet fleet_;
  TestPublisher publisher_{fleet_};
};

TEST_F(RolloutTest, AReleaseReachesItsRuleAndNobodyElse) {
  std::vector<std::string> woken;
  auto subscription =
      fleet_.bus->Subscribe("d1", [&](const std::string& id, uint64_t) { woken.push_back(id); });
  NewRelease plan = Plan("1.0.0");
  plan.exclusive = {{"", "digits/1.0.0/exclusive/calibration.json", "d2"}};
  Result<ReleaseRow> release = Release(plan);
  ASSERT_TRUE(release.ok()) << release.status().ToString();
  EXPECT_EQ(fleet_.simulator.runs, 1);
  EXPECT_EQ(Get(release->id).state, ReleaseState::kBeta);
  EXPECT_EQ(woken, std::vector<std::string>{"d1"});
  EXPECT_EQ(fleet_.rollout->Epoch("d1").value(), 2) << "it asks until it has answered";
  EXPECT_EQ(fleet_.rollout->Epoch("d2").value(), 0);
  Settle();
  EXPECT_EQ(Get(release->id).state, ReleaseState::kComplete);
  EXPECT_EQ(fleet_.AssignmentOf("d6").counter, 0);
  EXPECT_EQ(fleet_.AssignmentOf("d2").exclusive.size(), 1u);
  EXPECT_EQ(fleet_.AssignmentOf("d3").exclusive.size(), 0u);
  Result<Rollout::Answer> why = fleet_.rollout->WhyOf("d6", "");
  ASSERT_TRUE(why.ok());
  EXPECT_THAT(why->why.text, HasSubstr("2.1.0"));
}

TEST_F(RolloutTest, HowAReleaseWentIsKeptAsPoints) {
  const auto points = [&](const std::string& id) {
    std::vector<SeriesPoint> found;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(found, tx.series().Points(id));
                      return OkStatus();
                    })
                    .ok());
    return found;
  };
  const std::string id = Release(Plan("1.0.0"))->id;
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  Settle();
  const std::vector<SeriesPoint> went = points(id);
  ASSERT_GE(went.size(), 2U);
  EXPECT_EQ(went.front().healthy, 0);
  EXPECT_EQ(went.back().members, 5);
  EXPECT_EQ(went.back().healthy, 5);
  EXPECT_THAT(went.back().evidence, HasSubstr("\"all\":["));
  for (size_t i = 1; i < went.size(); ++i) {
    EXPECT_GE(went[i].time_ms - went[i - 1].time_ms, kSeriesStepMs);
    SeriesPoint before = went[i - 1];
    before.time_ms = went[i].time_ms;
    EXPECT_FALSE(before == went[i]) << "nothing was new at " << i;
  }
  // What ends between two ticks has a last point, too.
  const std::string second = Release(Plan("2.0.0"))->id;
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  EXPECT_TRUE(fleet_.Report("d1", "failed", "no").ok());
  ASSERT_TRUE(fleet_.rollout->Do(second, command::Halt{"ann", "enough"}).ok());
  fleet_.clock.now_ms += 1;
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  ASSERT_GE(points(second).size(), 2U);
  EXPECT_EQ(points(second).back().failed, 1);
}

TEST_F(RolloutTest, AssignmentsAreSignedForTheirDevice) {
  ASSERT_TRUE(Release(Plan("1.0.0")).ok());
  Bytes document = *fleet_.rollout->SignedAssignment("d1", 0);
  ASSERT_FALSE(document.empty());
  EXPECT_TRUE(fleet_.rollout->SignedAssignment("d1", 1)->empty());
  const Bytes root = publisher_.RootDocument();
  trust::TrustedSet set = *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
  EXPECT_EQ(set.CheckAssignment(document, "d2", fleet_.clock.now_ms).code(), Code::kWrongDevice);
  Result<trust::Assignment> read = set.CheckAssignment(document, "d1", fleet_.clock.now_ms);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->action, trust::Action::kInstall);
  EXPECT_EQ(read->targets, std::vector<std::string>{"digits/1.0.0/full"});
}

TEST_F(RolloutTest, TheSimulationStopsAWrongPackage) {
  fleet_.simulator.failing["2.0.0"] = "case 7: expected 3, got 8";
  Result<ReleaseRow> release = Release(Plan("2.0.0"));
  ASSERT_TRUE(release.ok());
  EXPECT_EQ(Get(release->id).state, ReleaseState::kFailedSimulation);
  EXPECT_THAT(Get(release->id).reason, HasSubstr("expected 3, got 8"));
  Settle();
  for (const std::string& device : kDevices) EXPECT_EQ(fleet_.AssignmentOf(device).counter, 0);
  EXPECT_TRUE(Release(Plan("1.0.0")).ok()) << "an older version is free: no device got 2.0.0";
}

TEST_F(RolloutTest, TheSimulationIsJudgedBesideTheRunningVersion) {
  ASSERT_TRUE(Release(Plan("1.0.0")).ok());
  Settle();
  fleet_.simulator.orders.clear();
  fleet_.simulator.run = [](const SimulationOrder& order) -> Result<SimulationOutcome> {
    SimulationOutcome outcome{true, "1 of 1 cases as expected", "{\"cases\":1,\"failed\":0}"};
    outcome.finished = true;
    outcome.cases = 1;
    outcome.outputs = {{"seven", order.version == "1.0.0" ? "7" : "8", 0}};
    return outcome;
  };
  NewRelease plan = Plan("2.0.0");
  plan.plan["stages"][0]["same_outputs"] = true;
  Result<ReleaseRow> release = Release(plan);
  ASSERT_TRUE(release.ok()) << release.status().ToString();
  EXPECT_EQ(Get(release->id).state, ReleaseState::kFailedSimulation);
  EXPECT_THAT(Get(release->id).reason, HasSubstr("beside 1.0.0: 1 of 1 outputs differ"));
  ASSERT_EQ(fleet_.simulator.orders.size(), 2u);
  EXPECT_EQ(fleet_.simulator.orders[1].version, "1.0.0");
  EXPECT_EQ(fleet_.simulator.orders[1].cases_of, "2.0.0");
  EXPECT_TRUE(Release(Plan("3.0.0")).ok()) << "told, not judged, where the stage does not ask";
  EXPECT_EQ(Get("digits-3.0.0-3").state, ReleaseState::kBeta);
}

TEST_F(RolloutTest, TwoFailingDevicesTurnItRoundAtOnce) {
  ASSERT_TRUE(Release(Plan("1.0.0")).ok());
  Settle();
  Result<ReleaseRow> third = Release(Plan("3.0.0"));
  ASSERT_TRUE(third.ok()) << third.status().ToString();
  Settle();
  EXPECT_EQ(Get("digits-1.0.0-1").state, ReleaseState::kSuperseded);
  ASSERT_TRUE(fleet_.Report("d2", "task_failed", "KeyError").ok());
  EXPECT_EQ(Get(third->id).state, ReleaseState::kComplete);
  ASSERT_TRUE(fleet_.Report("d3", "task_failed", "KeyError").ok());
  EXPECT_EQ(Get(third->id).state, ReleaseState::kRollingBack);
  for (const char* device : {"d1", "d2", "d3", "d4", "d5"}) {
    EXPECT_EQ(fleet_.AssignmentOf(device).action, "rollback") << device;
    EXPECT_EQ(fleet_.AssignmentOf(device).targets[0], "digits/1.0.0/full");
  }
  Settle();
  EXPECT_EQ(Get(third->id).state, ReleaseState::kRolledBack);
  // A version between the two is free: whoever ran 3.0.0 would refuse it and is not asked.
  NewRelease between = Plan("2.0.0");
  between.plan["stages"].erase(0);
  Result<ReleaseRow> second = Release(between);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_EQ(fleet_.AssignmentOf("d1").targets[0], "digits/1.0.0/full");
  fleet_.AddDevice("d7", "mid", "1.4.0", {"beta"});
  EXPECT_EQ(fleet_.AssignmentOf("d7").release, second->id);
}

TEST_F(RolloutTest, AStepOfTheServersClockIsNoSilenceOfDevices) {
  fleet_.AddDevice("e2", "mid", "1.4.0", {"beta"});
  fleet_.AddDevice("e3", "mid", "1.4.0", {"beta"});
  NewRelease plan = Plan("2.0.0");
  plan.plan["stages"][1]["report_timeout_ms"] = 60'000;
  Result<ReleaseRow> release = Release(plan);
  ASSERT_TRUE(release.ok()) << release.status().ToString();
  for (const char* device : {"d1", "e2", "e3"}) ASSERT_TRUE(fleet_.Report(device, "pulled").ok());
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  for (const int64_t step_ms : {int64_t{7'200'000}, int64_t{-7'200'000}}) {
    fleet_.clock.Step(step_ms);
    ASSERT_TRUE(fleet_.rollout->Tick().ok());
    EXPECT_EQ(Get(release->id).state, ReleaseState::kBeta) << "a step of " << step_ms;
  }
  fleet_.clock.now_ms += 7'200'000;  // the machine slept
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  EXPECT_EQ(Get(release->id).state, ReleaseState::kBeta) << "a suspension";
  for (int i = 0; i < 7; ++i) {
    fleet_.clock.now_ms += 10'000;
    ASSERT_TRUE(fleet_.rollout->Tick().ok());
  }
  EXPECT_EQ(Get(release->id).state, ReleaseState::kRollingBack) << "they could have spoken";
}

TEST_F(RolloutTest, AReleaseReachesTheDevicesThatItsPreviewShowed) {
  Result<Preview> preview = fleet_.rollout->PreviewOf(Plan("1.0.0").plan, "");
  ASSERT_TRUE(preview.ok()) << preview.status().ToString();
  EXPECT_FALSE(preview->salt.empty());
  Result<Preview> other = fleet_.rollout->PreviewOf(Plan("1.0.0").plan, "");
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->salt, preview->salt) << "drawn, not a constant";
  NewRelease plan = Plan("1.0.0");
  plan.salt = preview->salt;
  EXPECT_EQ(Release(plan)->salt, preview->salt);
}

TEST_F(RolloutTest, AVersionThatWasTakenBackGoesOutAgainOnPurposeOnly) {
  Result<ReleaseRow> release = Release(Plan("2.0.0"));
  ASSERT_TRUE(release.ok()) << release.status().ToString();
  EXPECT_EQ(fleet_.AssignmentOf("d1").release, release->id);
  ASSERT_TRUE(fleet_.rollout->Do(release->id, command::Rollback{"ann", "looks wrong"}).ok());
  Settle();
  ASSERT_EQ(Get(release->id).state, ReleaseState::kRolledBack);
  Result<ReleaseRow> second = Release(Plan("2.0.0"));
  EXPECT_EQ(second.code(), Code::kFailedPrecondition);
  EXPECT_THAT(second.status().message(), HasSubstr("looks wrong"));
  NewRelease again = Plan("2.0.0");
  again.again = true;
  EXPECT_TRUE(Release(again).ok());
}

TEST_F(RolloutTest, ReportsCountOnce) {
  ASSERT_TRUE(Release(Plan("1.0.0")).ok());
  ReportRow report;
  report.device = "d1";
  report.seq = 1;
  report.release = "digits-1.0.0-1";
  report.epoch = 1;
  report.step = "confirmed";
  EXPECT_TRUE(fleet_.rollout->OnReport(report).value());
  fleet_.clock.now_ms += 1000;
  EXPECT_FALSE(fleet_.rollout->OnReport(report).value());
  int64_t seen_ms = 0;
  ASSERT_TRUE(fleet_.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(report.device));
                    seen_ms = row.last_seen_ms;
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(seen_ms, fleet_.clock.now_ms) << "it was there";
  report.seq = 2;
  report.release = "never-heard-of";
  EXPECT_TRUE(fleet_.rollout->OnReport(report).value());
  report.device = "nobody";
  EXPECT_EQ(fleet_.rollout->OnReport(report).code(), Code::kNotFound);
}

TEST_F(RolloutTest, OneReleaseOfAPackageAtATime) {
  ASSERT_TRUE(Release(Plan("1.0.0")).ok());
  Result<ReleaseRow> second = Release(Plan("2.0.0"));
  EXPECT_EQ(second.code(), Code::kFailedPrecondition);
  EXPECT_THAT(second.status().message(), HasSubstr("digits-1.0.0-1"));
  EXPECT_EQ(Release(Plan("9.9.9")).code(), Code::kNotFound);
}

TEST_F(RolloutTest, BadPlansAreRefused) {
  NewRelease plan = Plan("1.0.0");
  plan.plan["rule"] = "app_version <";
  EXPECT_EQ(fleet_.rollout->Create(plan).code(), Code::kBadRule);
  plan = Plan("1.0.0");
  plan.exclusive = {{"", "digits/1.0.0/full", "d2"}};
  EXPECT_EQ(fleet_.rollout->Create(plan).code(), Code::kInvalidArgument);
  plan.exclusive = {{"", "digits/1.0.0/exclusive/calibration.json", "nobody"}};
  EXPECT_EQ(fleet_.rollout->Create(plan).code(), Code::kNotFound);
}

TEST_F(RolloutTest, PreviewSaysWhomAndWhyNot) {
  Result<Preview> preview = fleet_.rollout->PreviewOf(Plan("1.0.0").plan, "s");
  ASSERT_TRUE(preview.ok()) << preview.status().ToString();
  EXPECT_EQ(preview->devices.size(), 5u);
  EXPECT_EQ(preview->stages[1].adds, std::vector<std::string>{"d1"});
  EXPECT_EQ(preview->stages[2].adds.size(), 4u);
  ASSERT_EQ(preview->outside.size(), 1u);
  EXPECT_EQ(preview->outside[0].device, "d6");
  EXPECT_THAT(preview->outside[0].why, HasSubstr("2.1.0"));
  Result<Preview> defaults = fleet_.rollout->PreviewOf(Json(), "s");
  ASSERT_TRUE(defaults.ok()) << defaults.status().ToString();
  EXPECT_EQ(defaults->devices.size(), 6u);
}

TEST_F(RolloutTest, ACutOffSimulationRunsAgainAfterAStart) {
  Rollout::Options options;
  options.store = fleet_.store.get();
  options.registry = fleet_.registry.get();
  options.bus = fleet_.bus.get();
  options.clock = &fleet_.clock;
  options.random = &fleet_.random;
  options.simulator = &fleet_.simulator;
  {
    Rollout stopped(options);
    Result<ReleaseRow> row = stopped.Create(Plan("1.0.0"));
    ASSERT_TRUE(row.ok());
    // A server that dies between the commit and the run.
    ReleaseRow simulating = *row;
    simulating.state = ReleaseState::kSimulating;
    ASSERT_TRUE(
        fleet_.store->Write([&](Transaction& tx) { return tx.releases().Put(simulating); }).ok());
  }
  EXPECT_EQ(fleet_.simulator.runs, 0);
  Rollout again(options);
  ASSERT_TRUE(again.Start().ok());
  EXPECT_EQ(fleet_.simulator.runs, 1);
  EXPECT_EQ(Get("digits-1.0.0-1").state, ReleaseState::kBeta);
}

TEST_F(RolloutTest, WaitersHearOfChanges) {
  const uint64_t seen = fleet_.rollout->change_count();
  EXPECT_EQ(fleet_.rollout->WaitForChange(seen, 1), seen);
  ASSERT_TRUE(Release(Plan("1.0.0")).ok());
  EXPECT_GT(fleet_.rollout->WaitForChange(seen, 10'000), seen);
}

// However the release was stopped: what a device is told follows from its state.
TEST_F(RolloutTest, AStopTakesOpenOffersBack) {
  Result<ReleaseRow> row = Release(Plan("1.0.0"));
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  ASSERT_EQ(fleet_.AssignmentOf("d1").action, "install");
  ASSERT_TRUE(fleet_.store
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(ReleaseRow stored, tx.releases().Get(row->id));
                    stored.state = ReleaseState::kStopped;
                    return tx.releases().Put(stored);
                  })
                  .ok());
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  EXPECT_EQ(fleet_.AssignmentOf("d1").action, "none");
  const int64_t counter = fleet_.AssignmentOf("d1").counter;
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  EXPECT_EQ(fleet_.AssignmentOf("d1").counter, counter);
}

// The signed document of a device that reads desired state.
TEST_F(RolloutTest, ADeviceThatReadsDesiredStateHearsOfAllPackagesAtOnce) {
  ASSERT_TRUE(fleet_.store
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get("d1"));
                    row.reads_desired = true;
                    return tx.devices().Put(row);
                  })
                  .ok());
  Result<ReleaseRow> release = Release(Plan("1.0.0"));
  ASSERT_TRUE(release.ok());
  const Bytes root = publisher_.RootDocument();
  trust::TrustedSet set = *trust::TrustedSet::FromPinnedRoot(root, crypto::Sha256(root));
  const auto ask = [&](int64_t have, const std::vector<InstalledRow>& installed) {
    const Bytes document = *fleet_.rollout->SignedAssignment("d1", have, &installed);
    return document.empty() ? trust::Desired()
                            : *set.CheckDesired(document, "d1", fleet_.clock.now_ms);
  };
  const trust::Desired desired = ask(0, {});
  ASSERT_EQ(desired.packages.size(), 1u);
  EXPECT_EQ(desired.packages.at("digits").version, "1.0.0");
  EXPECT_EQ(desired.packages.at("digits").release, release->id);
  ASSERT_TRUE(fleet_.Report("d1", "healthy").ok());
  EXPECT_EQ(ask(desired.counter, {{"d1", "digits", "1.0.0", release->id, false}}).counter, 0);
  ASSERT_TRUE(fleet_.rollout->Do(release->id, command::Rollback{"ann", ""}).ok());
  const trust::Desired back = ask(desired.counter, {{"d1", "digits", "1.0.0", "", false}});
  EXPECT_EQ(back.packages.at("digits").state, trust::DesiredState::kAbsent);
  ASSERT_TRUE(fleet_.Report("d1", "rolled_back").ok());
  fleet_.clock.now_ms += 1000;
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  EXPECT_EQ(Get(release->id).state, ReleaseState::kRolledBack);
}

// A tick ends the windows of both cohorts, of members that nothing else would look at.
TEST_F(RolloutTest, WindowsOfACohortThatIsHeldBackEnd) {
  NewRelease plan = Plan("1.0.0");
  plan.plan["stages"] = Json::array({Json{{"kind", "full"}, {"control", 50}, {"min_reports", 9}}});
  plan.settings = {{"window_ms", 60'000}};
  const ReleaseRow release = *Release(plan);
  fleet_.AnswerAll(kDevices);
  const auto closed = [&](bool control) {
    int64_t count = -1;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(const Tallies tallies,
                                             tx.releases().TalliesOf(release.id));
                      count = TotalOf(tallies, control).closed;
                      return OkStatus();
                    })
                    .ok());
    return count;
  };
  fleet_.clock.now_ms += 59'000;
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  EXPECT_EQ(closed(false) + closed(true), 0);
  fleet_.clock.now_ms += 1'000;
  ASSERT_TRUE(fleet_.rollout->Tick().ok());
  EXPECT_EQ(closed(false) + closed(true), 5);
  EXPECT_GT(closed(false), 0);
  EXPECT_GT(closed(true), 0);
  EXPECT_TRUE(fleet_.rollout->Recount().ok());
  EXPECT_EQ(closed(false) + closed(true), 5);
}

TEST_F(RolloutTest, CountsAreThoseOfTheMembersAndAreMendedWhereTheyAreNot) {
  Result<ReleaseRow> release = Release(Plan("1.0.0"));
  ASSERT_TRUE(release.ok());
  Settle();
  const auto tallies = [&] {
    Tallies found;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(found, tx.releases().TalliesOf(release->id));
                      return OkStatus();
                    })
                    .ok());
    std::erase_if(found, [](const auto& entry) { return entry.second.counts_nobody(); });
    return found;
  };
  const Tallies before = tallies();
  EXPECT_EQ(TotalOf(before).healthy, 5);
  ASSERT_TRUE(fleet_.store
                  ->Write([&](Transaction& tx) {
                    return tx.releases().AddTallies(
                        {{{release->id, 0, false, "all"}, {7, 0, 0, 0, 0, 0, 0}}});
                  })
                  .ok());
  ASSERT_NE(tallies(), before);
  ASSERT_TRUE(fleet_.rollout->Recount().ok());
  EXPECT_EQ(tallies(), before);
}

// Whichever release is named, if any: what tasks did is added up once for each report.
TEST_F(RolloutTest, WhatTasksDidIsAddedUpOnce) {
  Result<ReleaseRow> release = Release(Plan("1.0.0"));
  ASSERT_TRUE(release.ok()) << release.status().ToString();
  Settle();
  ReportRow report;
  report.step = "measured";
  report.package = release->package;
  report.version = release->version;
  report.received_ms = 20'000 * int64_t{86'400'000} + 5;
  report.use = {100, 4, 1, 3};
  for (const char* device : {"d1", "d1", "d2"}) {
    report.device = device;
    report.seq = ++fleet_.seq[device];
    ASSERT_TRUE(fleet_.rollout->OnReport(report).ok());
    ASSERT_FALSE(*fleet_.rollout->OnReport(report)) << "twice with one number";
  }
  report.package = "made up";
  report.seq = ++fleet_.seq["d2"];
  ASSERT_TRUE(fleet_.rollout->OnReport(report).ok());
  std::vector<TaskDayRow> days;
  ASSERT_TRUE(fleet_.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(days, tx.use().SumTasks(20'000));
                    return OkStatus();
                  })
                  .ok());
  EXPECT_EQ(
      days,
      (std::vector<TaskDayRow>{{20'000, release->package, release->version, 2, {300, 12, 3, 9}}}));
}

TEST_F(RolloutTest, MeasurementsAreCountedOnceAndAsTheirMembersSay) {
  NewRelease asked = Plan("1.0.0");
  asked.settings = {{"metrics", {{{"name", "latency_ms"}, {"limit", 50}}}}};
  Result<ReleaseRow> release = Release(asked);
  ASSERT_TRUE(release.ok()) << release.status().ToString();
  Settle();
  ReportRow report;
  report.device = "d1";
  report.release = release->id;
  report.step = "measured";
  report.package = release->package;
  report.version = release->version;
  report.metrics = {{"latency_ms", 80}};
  for (const double value : {80.0, 80.0, 10.0}) {
    report.seq = ++fleet_.seq["d1"];
    report.metrics["latency_ms"] = value;
    ASSERT_TRUE(fleet_.rollout->OnReport(report).ok());
    ASSERT_TRUE(*fleet_.rollout->OnReport(report) == false) << "twice with one number";
  }
  const auto measured = [&] {
    Measured found;
    std::optional<MemberRow> member;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(found, tx.releases().MeasuredOf(release->id));
                      FERRY_ASSIGN_OR_RETURN(member, tx.releases().Member(release->id, "d1"));
                      return OkStatus();
                    })
                    .ok());
    EXPECT_EQ(member->metrics.at("latency_ms"), 80);
    std::erase_if(found.tallies, [](const auto& entry) { return entry.second == MetricTally(); });
    return found.tallies;
  };
  const MetricTallies before = measured();
  const int64_t stage = before.begin()->first.who.stage;
  const MetricKey all = {{release->id, stage, false, "all"}, "latency_ms"};
  EXPECT_EQ(before.at(all), (MetricTally{1, -1}));
  ASSERT_TRUE(fleet_.store
                  ->Write([&](Transaction& tx) {
                    return tx.releases().AddMetricTallies({{all, {7, 2}}});
                  })
                  .ok());
  ASSERT_NE(measured(), before);
  ASSERT_TRUE(fleet_.rollout->Recount().ok());
  EXPECT_EQ(measured(), before);
}

TEST_F(RolloutTest, ABaselineIsFixedOnceFromWhoIsHeldBackFirst) {
  NewRelease asked = Plan("1.0.0");
  asked.plan = *ParseJson(R"json({"rule":"os == \"android\"","stages":[
      {"kind":"full","min_reports":500,"control":50}]})json");
  asked.settings = {{"metrics", {{{"name", "latency_ms"}, {"worse", "higher"}}}}};
  Result<ReleaseRow> release = Release(asked);
  ASSERT_TRUE(release.ok()) << release.status().ToString();
  std::vector<std::string> ids;
  for (int i = 0; i < 120; ++i) {
    ids.push_back("late" + std::to_string(100 + i));
    fleet_.AddDevice(ids.back(), "mid", "1.4.0");
    fleet_.clock.now_ms += 10;
    (void)fleet_.AssignmentOf(ids.back());
  }
  const auto read = [&](const std::function<Status(Transaction&)>& what) {
    EXPECT_TRUE(fleet_.store->Read(what).ok());
  };
  std::vector<MemberRow> first;
  read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(first, tx.releases().FirstControl(release->id, 0, kBaselineCandidates));
    return OkStatus();
  });
  ASSERT_EQ(first.size(), kBaselineCandidates);
  Measured measured;
  const auto measure = [&](const std::string& device, double value) {
    ReportRow report;
    report.device = device;
    report.seq = ++fleet_.seq[device];
    report.step = "measured";
    report.package = release->package;
    report.release = release->id;
    report.version = "0.9.0";
    report.metrics = {{"latency_ms", value}};
    EXPECT_TRUE(fleet_.rollout->OnReport(report).ok());
    read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(measured, tx.releases().MeasuredOf(release->id));
      return OkStatus();
    });
  };
  for (size_t i = 0; i + 1 < gate::kBaselineDevices; ++i)
    measure(first[i].device, 10.25 + static_cast<double>(i));
  EXPECT_TRUE(measured.baselines.empty());
  measure(first.back().device, 1000);
  ASSERT_EQ(measured.baselines.size(), 1U);
  const BaselineRow fixed = measured.baselines[0];
  EXPECT_EQ(fixed.after_ms, first.back().offered_ms);
  // One of the two in the middle of 10.25, 11.25, .., 28.25, 1000, or between them.
  EXPECT_GE(fixed.threshold, 19.25);
  EXPECT_LE(fixed.threshold, 20.25);
  std::vector<MemberRow> members;
  read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(members, tx.releases().Members(release->id));
    return OkStatus();
  });
  int64_t past = 0;
  for (const MemberRow& member : members) {
    if (!member.control || !member.metrics.empty()) continue;
    measure(member.device, 50);
    past += member.offered_ms > fixed.after_ms;
  }
  EXPECT_GT(past, 0);
  EXPECT_EQ(measured.baselines, std::vector<BaselineRow>{fixed});
  const MetricTallies before = measured.tallies;
  EXPECT_EQ(before.at({{release->id, 0, true, "all"}, "latency_ms"}), (MetricTally{past, 0}));
  ASSERT_TRUE(fleet_.rollout->Recount().ok());
  read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(measured, tx.releases().MeasuredOf(release->id));
    return OkStatus();
  });
  EXPECT_EQ(measured.tallies, before);
}

TEST_F(RolloutTest, WhoFailedTriesAgain) {
  Result<ReleaseRow> release = Release(Plan("1.0.0"));
  ASSERT_TRUE(release.ok());
  EXPECT_EQ(fleet_.AssignmentOf("d1").action, "install");
  ASSERT_TRUE(fleet_.Report("d1", "failed", "no room").ok());
  const int64_t counter = fleet_.AssignmentOf("d1").counter;
  fleet_.clock.now_ms += 1000;
  ASSERT_TRUE(fleet_.rollout->Retry(release->id, "d2", "ann", "").ok());
  EXPECT_TRUE(fleet_.AssignmentOf("d1").done);
  ASSERT_TRUE(fleet_.rollout->Retry(release->id, "", "ann", "mended").ok());
  EXPECT_FALSE(fleet_.AssignmentOf("d1").done);
  EXPECT_GT(fleet_.AssignmentOf("d1").counter, counter);
}

TEST_F(RolloutTest, ADeviceThatFailsBeforeItKnowsTheReleaseIsShownThere) {
  Result<ReleaseRow> release = Release(Plan("1.0.0"));
  ASSERT_TRUE(release.ok());
  EXPECT_EQ(fleet_.AssignmentOf("d1").action, "install");
  ReportRow report;
  report.device = "d1";
  report.seq = ++fleet_.seq["d1"];
  report.step = "failed";
  report.error_code = static_cast<int64_t>(Code::kDiskFull);
  report.error_text = "root metadata: no space left";
  report.received_ms = fleet_.clock.now_ms;
  ASSERT_TRUE(fleet_.rollout->OnReport(report).ok());
  MemberRow member;
  const auto read = [&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members,
                           tx.releases().MembersOfDevice("d1"));
    EXPECT_EQ(members.size(), 1u);
    member = members.at(0);
    return OkStatus();
  };
  ASSERT_TRUE(fleet_.store->Read(read).ok());
  EXPECT_EQ(member.outcome, Outcome::kDeviceCause) << "and no evidence";
  EXPECT_EQ(member.error_code, static_cast<int64_t>(Code::kDiskFull));
  report.seq = ++fleet_.seq["d1"];
  report.release = release->id;
  report.package = "digits";
  report.version = "1.0.0";
  report.step = "healthy";
  report.error_code = 0;
  report.error_text.clear();
  ASSERT_TRUE(fleet_.rollout->OnReport(report).ok());
  ASSERT_TRUE(fleet_.store->Read(read).ok());
  EXPECT_EQ(member.outcome, Outcome::kHealthy) << "there was room again";
}

}  // namespace
}  // namespace ferry::server
