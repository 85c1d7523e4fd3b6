// Campaigns over the real rollout and store, on a fleet in one process.
#include "cloud-server/campaign/campaigns.h"

#include <gmock/gmock.h>

#include "cloud-server/rollout/test_rollout.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

class CampaignsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fleet_.registry->PutRoot(publisher_.RootDocument()).ok());
    publisher_.Add("1.0.0", 1, "package one");
    publisher_.Add("2.0.0", 2, "package two", "1.0.0");
    ASSERT_TRUE(fleet_.registry->Publish(publisher_.Make()).ok());
    for (const std::string& device : devices_) fleet_.AddDevice(device, "mid", "1.0.0");
    Restart();
  }
  void Restart() {
    Campaigns::Options options;
    options.store = fleet_.store.get();
    options.rollout = fleet_.rollout.get();
    options.clock = &fleet_.clock;
    campaigns_ = std::make_unique<Campaigns>(options);
  }
  Json Two() {
    const Json stages = {{{"kind", "simulation"}}, {{"kind", "full"}, {"min_reports", 2}}};
    return {{"name", "autumn"},
            {"releases",
             {{{"package", "digits"}, {"version", "1.0.0"}, {"stages", stages}},
              {{"package", "digits"}, {"version", "2.0.0"}, {"stages", stages}}}}};
  }
  Result<CampaignRow> Create(const Json& spec) {
    return campaigns_->Create({spec, "ann", "why not", std::nullopt});
  }
  CampaignRow Get(const std::string& id) {
    CampaignRow row;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(row, tx.campaigns().Get(id));
                      return OkStatus();
                    })
                    .ok());
    return row;
  }
  std::vector<std::string> Kinds(const std::string& id) {
    std::vector<std::string> kinds;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(const auto events, tx.campaigns().Events(id));
                      for (const CampaignEventRow& event : events) kinds.push_back(event.kind);
                      return OkStatus();
                    })
                    .ok());
    return kinds;
  }
  ReleaseRow ReleaseOf(const std::string& id) {
    ReleaseRow row;
    EXPECT_TRUE(fleet_.store
                    ->Read([&](Transaction& tx) -> Status {
                      FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(id));
                      return OkStatus();
                    })
                    .ok());
    return row;
  }
  void Step() {
    fleet_.clock.now_ms += 1'000;
    const Status rollout = fleet_.rollout->Tick();
    EXPECT_TRUE(rollout.ok()) << rollout.ToString();
    const Status ticked = campaigns_->Tick();
    EXPECT_TRUE(ticked.ok()) << ticked.ToString();
  }

  TestFleet fleet_;
  TestPublisher publisher_{fleet_};
  std::vector<std::string> devices_ = {"d1", "d2", "d3"};
  std::unique_ptr<Campaigns> campaigns_;
};

TEST_F(CampaignsTest, ReleasesFollowEachOtherOverRestarts) {
  const auto made = Create(Two());
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->id, "autumn-1");
  EXPECT_EQ(made->state, CampaignState::kRunning);
  ASSERT_EQ(made->releases.size(), 1u);
  EXPECT_EQ(ReleaseOf(made->releases[0]).state, ReleaseState::kFull);
  for (int round = 0; round < 12; ++round) {
    fleet_.AnswerAll(devices_);
    Restart();
    Step();
  }
  const CampaignRow row = Get(made->id);
  EXPECT_EQ(row.state, CampaignState::kComplete) << row.reason;
  ASSERT_EQ(row.releases.size(), 2u);
  EXPECT_EQ(ReleaseOf(row.releases[0]).state, ReleaseState::kSuperseded);
  EXPECT_EQ(ReleaseOf(row.releases[1]).state, ReleaseState::kComplete);
  EXPECT_THAT(Kinds(row.id),
              testing::ElementsAre("created", "started", "release", "release", "complete"));
}

TEST_F(CampaignsTest, TheStartTimeIsWaitedFor) {
  Json spec = Two();
  spec["start"] = "2099-01-01T00:00:00Z";
  const auto made = Create(spec);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  for (int round = 0; round < 5; ++round) Step();
  EXPECT_EQ(Get(made->id).state, CampaignState::kWaiting);
  EXPECT_TRUE(Get(made->id).releases.empty());
  fleet_.clock.now_ms = int64_t{4'070'908'800'000};
  ASSERT_TRUE(campaigns_->Tick().ok());
  EXPECT_EQ(Get(made->id).releases.size(), 1u);
}

TEST_F(CampaignsTest, AStopTakesTheEarlierOnesBackWhereAsked) {
  Json spec = Two();
  spec["on_stop"] = "rollback_all";
  spec["releases"][1]["stages"][1]["hold"] = true;
  const auto made = Create(spec);
  ASSERT_TRUE(made.ok());
  for (int round = 0; round < 4; ++round) {
    fleet_.AnswerAll(devices_);
    Step();
  }
  const CampaignRow row = Get(made->id);
  ASSERT_EQ(row.releases.size(), 2u);
  ASSERT_TRUE(fleet_.rollout->Do(row.releases[1], command::Rollback{"gate", "bad"}).ok());
  for (int round = 0; round < 8; ++round) {
    Step();
    fleet_.AnswerAll(devices_);
  }
  EXPECT_EQ(ReleaseOf(row.releases[0]).state, ReleaseState::kRolledBack);
  EXPECT_EQ(ReleaseOf(row.releases[1]).state, ReleaseState::kRolledBack);
  EXPECT_EQ(Get(made->id).state, CampaignState::kRolledBack) << Get(made->id).reason;
}

TEST_F(CampaignsTest, AFailedSimulationStopsIt) {
  fleet_.simulator.failing["1.0.0"] = "case 3: wrong";
  const auto made = Create(Two());
  ASSERT_TRUE(made.ok());
  Step();
  const CampaignRow row = Get(made->id);
  EXPECT_EQ(row.state, CampaignState::kStopped);
  EXPECT_THAT(row.reason, HasSubstr("case 3: wrong"));
  EXPECT_EQ(row.releases.size(), 1u);
}

TEST_F(CampaignsTest, OrdersReachItsReleases) {
  const auto made = Create(Two());
  ASSERT_TRUE(made.ok());
  const std::string release = made->releases[0];
  (void)fleet_.AssignmentOf("d1");
  ASSERT_TRUE(campaigns_->Do(made->id, Order::kPause, "bob", "lunch").ok());
  EXPECT_EQ(ReleaseOf(release).state, ReleaseState::kPaused);
  EXPECT_THAT(ReleaseOf(release).reason, HasSubstr("lunch"));
  EXPECT_EQ(campaigns_->Do(made->id, Order::kPause, "bob", "").code(), Code::kFailedPrecondition);
  ASSERT_TRUE(campaigns_->Do(made->id, Order::kResume, "bob", "").ok());
  EXPECT_EQ(ReleaseOf(release).state, ReleaseState::kFull);
  EXPECT_EQ(campaigns_->Retry(made->id, "bob", "").code(), Code::kFailedPrecondition);
  ASSERT_TRUE(fleet_.Report("d1", "failed", "no").ok());
  EXPECT_EQ(campaigns_->Retry(made->id, "bob", "again").value(), 1);
  ASSERT_TRUE(campaigns_->Do(made->id, Order::kHalt, "bob", "enough").ok());
  EXPECT_EQ(ReleaseOf(release).state, ReleaseState::kStopped);
  EXPECT_EQ(Get(made->id).state, CampaignState::kHalted);
  ASSERT_TRUE(campaigns_->Do(made->id, Order::kRollback, "bob", "all of it").ok());
  for (int round = 0; round < 4; ++round) {
    fleet_.AnswerAll(devices_);
    Step();
  }
  EXPECT_EQ(Get(made->id).state, CampaignState::kRolledBack);
  EXPECT_THAT(Kinds(made->id),
              testing::ElementsAre("created", "started", "release", "paused", "resumed", "retried",
                                   "halted", "rollback", "rolled_back"));
}

TEST_F(CampaignsTest, ItWaitsForAnotherReleaseOfThePackage) {
  NewRelease other;
  other.package = "digits";
  other.version = "1.0.0";
  const auto draft = fleet_.rollout->Create(other);
  ASSERT_TRUE(draft.ok());
  const auto made = Create(Two());
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->state, CampaignState::kRunning);
  EXPECT_THAT(made->reason, HasSubstr(draft->id + " of digits is draft"));
  const int64_t version = made->row_version;
  Step();
  EXPECT_EQ(Get(made->id).row_version, version) << "nothing is written while it waits";
  ASSERT_TRUE(fleet_.rollout->Do(draft->id, command::Halt{"ann", ""}).ok());
  Step();
  EXPECT_EQ(Get(made->id).releases.size(), 1u);
}

TEST_F(CampaignsTest, WhatIsNotPublishedIsNotStarted) {
  Json spec = Two();
  spec["releases"][1]["version"] = "9.0.0";
  EXPECT_EQ(Create(spec).code(), Code::kNotFound);
  EXPECT_THAT(Create(spec).status().message(), HasSubstr("releases[1]"));
  EXPECT_EQ(campaigns_->Do("nothing", Order::kHalt, "ann", "").code(), Code::kNotFound);
}

}  // namespace
}  // namespace ferry::server
