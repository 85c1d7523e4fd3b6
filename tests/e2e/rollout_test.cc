#include "cloud-server/rollout/rollout.h"

#include <algorithm>

#include "cloud-server/rollout/deltas/delta_maker.h"

#include "tests/e2e/fleet.h"

namespace ferry::e2e {
namespace {

using server::ReleaseState;

std::vector<server::RecordRow> RecordsOf(Fleet& fleet, const std::string& device) {
  std::vector<server::RecordRow> records;
  EXPECT_TRUE(fleet.server.store
                  ->Read([&](server::Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(
                        records, tx.records().List("digits.result", device, 0, 10'000, nullptr));
                    return OkStatus();
                  })
                  .ok());
  return records;
}

TEST(EndToEnd, StagesReachTheFiveAndLeaveTheSixthOut) {
  Fleet fleet;
  fleet.AddSix();
  fleet.publisher.Publish("1.0.0", "good");
  const std::string release = fleet.Start("1.0.0");
  // Beta first: only the tagged device.
  ASSERT_TRUE(fleet.Until([&] { return fleet["beta"].Version() == "1.0.0"; }));
  EXPECT_EQ(fleet.Running("1.0.0"), 1);
  ASSERT_TRUE(fleet.UntilState(release, ReleaseState::kComplete));
  EXPECT_EQ(fleet.Running("1.0.0"), 5);
  EXPECT_EQ(fleet["old"].Version(), "");
  const auto why = fleet.server.rollout->WhyOf(fleet["old"].id(), release);
  ASSERT_TRUE(why.ok());
  EXPECT_FALSE(why->why.matches_rule);
  EXPECT_NE(why->why.text.find("app_version"), std::string::npos) << why->why.text;
}

// The publisher sends full packages alone; devices pull what the server makes of them.
TEST(EndToEnd, DevicesTakeTheDeltaThatTheServerMade) {
  Fleet fleet;
  fleet.AddSix();
  fleet.publisher.Publish("1.0.0", "good");
  ASSERT_TRUE(fleet.UntilState(fleet.Start("1.0.0"), ReleaseState::kComplete));
  fleet.publisher.Publish("2.0.0", "good", "", "1.0.0");
  server::DeltaMaker maker({fleet.server.store.get(), fleet.server.registry.get(),
                            &fleet.server.disk, "/scratch-deltas"});
  EXPECT_EQ(*maker.Pass(), 1);
  const std::string release = fleet.Start("2.0.0");
  ASSERT_TRUE(fleet.UntilState(release, ReleaseState::kComplete));
  EXPECT_EQ(fleet.Running("2.0.0"), 5);
  std::vector<server::MemberRow> members;
  ASSERT_TRUE(fleet.server.store
                  ->Read([&](server::Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(members, tx.releases().Members(release));
                    return OkStatus();
                  })
                  .ok());
  ASSERT_EQ(members.size(), 5u);
  for (const server::MemberRow& member : members) {
    EXPECT_TRUE(member.was_delta) << member.device;
    EXPECT_LT(member.bytes_pulled, 3000u);
  }
}

TEST(EndToEnd, AnotherTenantIsServedAsTheDefaultOneIs) {
  Fleet fleet(1, "acme");
  fleet.AddSix();
  fleet.publisher.Publish("1.0.0", "good");
  const auto preview =
      fleet.server.rollout->PreviewOf(Json{{"rule", "os in (\"android\", \"ios\")"}}, "salt");
  ASSERT_TRUE(preview.ok()) << preview.status().ToString();
  EXPECT_EQ(preview->devices.size(), 6u);
  const std::string release = fleet.Start("1.0.0");
  ASSERT_TRUE(fleet.UntilState(release, ReleaseState::kComplete));
  EXPECT_EQ(fleet.server.Release(release).tenant, "acme");
  EXPECT_EQ(fleet.Running("1.0.0"), 5);
}

TEST(EndToEnd, SimulationStopsABadVersionBeforeAnyDevice) {
  Fleet fleet;
  fleet.AddSix();
  fleet.publisher.Publish("1.0.0", "good");
  fleet.simulator.failures["1.0.0"] = "case \"image 25\": digit: expected 4, got 9";
  const std::string release = fleet.Start("1.0.0");
  ASSERT_TRUE(fleet.UntilState(release, ReleaseState::kFailedSimulation));
  EXPECT_NE(fleet.server.Release(release).reason.find("expected 4, got 9"), std::string::npos);
  fleet.world.RunFor(60'000);
  EXPECT_EQ(fleet.Running(""), 6);
}

TEST(EndToEnd, SecondFailingDeviceOfAClassStopsAndRollsBackByItself) {
  Fleet fleet;
  fleet.AddSix();
  fleet.publisher.Publish("1.0.0", "good");
  ASSERT_TRUE(fleet.UntilState(fleet.Start("1.0.0"), ReleaseState::kComplete));
  fleet.publisher.Publish("2.0.0", "raise low", "1.0.0", "1.0.0");
  const std::string release = fleet.Start("2.0.0");
  for (int i = 0; i < 300 && fleet.server.Release(release).state != ReleaseState::kRolledBack;
       ++i) {
    fleet.ImagesEverywhere();
  }
  ASSERT_EQ(fleet.server.Release(release).state, ReleaseState::kRolledBack)
      << fleet.server.Release(release).reason;
  EXPECT_EQ(fleet.Running("1.0.0"), 5);
  EXPECT_EQ(fleet.Running("2.0.0"), 0);
  int failed = 0;
  for (const auto& event : fleet.server.Events(release)) {
    if (event.kind == "device_failed") ++failed;
  }
  EXPECT_EQ(failed, 2) << "stops at the second device, not later";
  EXPECT_NE(fleet.server.Release(release).reason.find("2"), std::string::npos);
  // A good version follows, as a delta.
  fleet.publisher.Publish("3.0.0", "good", "1.0.0", "1.0.0");
  ASSERT_TRUE(fleet.UntilState(fleet.Start("3.0.0"), ReleaseState::kComplete));
  EXPECT_EQ(fleet.Running("3.0.0"), 5);
  const Json bytes = fleet["mid"].agent->StatusJson()["bytes"];
  EXPECT_GT(bytes["delta"].get<int>(), 0);
  EXPECT_LT(bytes["delta"].get<int>() * 3, bytes["full"].get<int>());
}

TEST(EndToEnd, ServerAwayLosesNothingAndDoublesNothing) {
  Fleet fleet;
  fleet.AddSix();
  fleet.publisher.Publish("1.0.0", "good");
  ASSERT_TRUE(fleet.UntilState(fleet.Start("1.0.0"), ReleaseState::kComplete));
  ASSERT_TRUE(fleet.Until([&] { return fleet.Running("1.0.0") == 5; }));
  const auto all_sent = [&] {
    return std::ranges::all_of(fleet.devices, [](const auto& device) {
      return device.second->outbox->stats().waiting == 0;
    });
  };
  for (int i = 0; i < 5; ++i) fleet.ImagesEverywhere();
  ASSERT_TRUE(fleet.Until(all_sent));
  fleet.network.SetReachable("server", false);
  for (int i = 0; i < 20; ++i) fleet.ImagesEverywhere();
  EXPECT_FALSE(fleet["mid"].agent->connected());
  EXPECT_EQ(fleet["mid"].outbox->stats().waiting, 20);
  fleet.network.SetReachable("server", true);
  ASSERT_TRUE(fleet.Until(all_sent));
  for (const char* name : {"beta", "high", "low1", "low2", "mid"}) {
    const auto records = RecordsOf(fleet, fleet[name].id());
    ASSERT_EQ(records.size(), 25u) << name;
    for (size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i].time_ms, int64_t(i) + 1);
  }
}

TEST(EndToEnd, LinesThatBreakOnlyDelay) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Fleet fleet(seed);
    sys::SimLine line;
    line.cut_per_frame = 0.02;
    line.cut_per_piece = 0.1;
    fleet.network.SetLine(line);
    fleet.Add({"beta", "android", "1.4.0", "high", {"beta"}});
    fleet.Add({"high", "ios", "1.3.0", "high", {}});
    fleet.Add({"low1", "android", "1.4.0", "low", {}, false});
    fleet.publisher.Publish("1.0.0", "good");
    const std::string release = fleet.Start("1.0.0");
    ASSERT_TRUE(fleet.UntilState(release, ReleaseState::kComplete, 3'600'000))
        << "seed " << seed << ": " << fleet.server.Release(release).reason;
    EXPECT_TRUE(fleet.Until([&] { return fleet.Running("1.0.0") == 3; }, 3'600'000));
    fleet.publisher.Publish("2.0.0", "good", "1.0.0", "1.0.0");
    ASSERT_TRUE(fleet.UntilState(fleet.Start("2.0.0"), ReleaseState::kComplete, 3'600'000));
    EXPECT_TRUE(fleet.Until([&] { return fleet.Running("2.0.0") == 3; }, 3'600'000));
  }
}

}  // namespace
}  // namespace ferry::e2e
