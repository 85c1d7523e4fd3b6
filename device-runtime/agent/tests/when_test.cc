// Installs that wait for their conditions: the device's own clock, zone and host decide.
#include <gmock/gmock.h>

#include <algorithm>

#include "common/base/json.h"
#include "device-runtime/agent/conditions.h"
#include "device-runtime/agent/pull/held.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr int64_t kHourMs = 3'600'000;

class WhenSet : public testing::Test {
 protected:
  void SetUp() override {
    f.options.conditions = [this] { return host; };
    ASSERT_TRUE(f.Start().ok());
    ASSERT_TRUE(f.Until([&] { return f.agent->connected(); }));
    EXPECT_TRUE(f.gateway.reads_when);
    f.gateway.Publish("1.0.0", 1, "good");
    f.gateway.Publish("2.0.0", 2, "good");
    f.gateway.Sign(int64_t{30} * 86'400'000);
  }
  void Want(const std::string& version, const Json& when, int64_t attempt = 1) {
    trust::DesiredPackage wish = f.gateway.Run("digits", version, "r" + version, attempt);
    wish.when = WriteJson(when);
    f.gateway.Want("digits", wish);
  }
  Json Row() { return f.agent->StatusJson()["desired"]["packages"]["digits"]; }
  std::string Waiting() {
    const Json row = Row();
    return row.contains("waiting") ? row["waiting"].get<std::string>() : "";
  }
  int64_t NowMs() { return f.world.clock().NowUnixMs(); }
  // A window that opens in `minutes` by the device's own time, for an hour.
  Json WindowIn(int64_t minutes) {
    const int64_t at = NowMs() / 60'000 + host.utc_offset_minutes + minutes;
    const auto text = [](int64_t minute) {
      return fmt::format("{:02}:{:02}", minute / 60 % 24, minute % 60);
    };
    return {{"windows", {{{"from", text(at)}, {"to", text(at + 60)}}}}};
  }
  // By its number on the wire.
  int64_t WaitingReports() const {
    return std::count_if(
        f.gateway.reports.begin(), f.gateway.reports.end(),
        [](const proto::Report& report) { return report.step() == proto::Report::WAITING; });
  }
  bool WaitsSoon() {
    return f.Until([&] { return !Waiting().empty(); });
  }

  when::Host host;
  Fixture f;
};

TEST_F(WhenSet, ItIsHeldAndThenInstalledWhenTheWindowOpens) {
  host.utc_offset_minutes = 345;
  const int64_t opens_ms = (NowMs() / 60'000 + 120) * 60'000;
  Want("1.0.0", WindowIn(120));
  ASSERT_TRUE(WaitsSoon());
  EXPECT_THAT(Waiting(), testing::HasSubstr("the window opens at "));
  f.world.RunFor(kHourMs);
  EXPECT_EQ(f.Version(), "");
  EXPECT_EQ(f.gateway.bytes_served, 0u) << "nothing is fetched before it may begin";
  EXPECT_EQ(WaitingReports(), 1);
  EXPECT_EQ(Row()["outcome"], "pending");
  f.world.RunFor(opens_ms - NowMs() - 1'000);
  EXPECT_EQ(f.Version(), "");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  EXPECT_GE(NowMs(), opens_ms);
  EXPECT_LE(NowMs(), opens_ms + 2 * 60'000);
  EXPECT_EQ(Waiting(), "");
}

TEST_F(WhenSet, WhatTheHostIsAtDecides) {
  host.charging = host.unmetered = false;
  Want("1.0.0", {{"charging", true}, {"unmetered", true}});
  ASSERT_TRUE(WaitsSoon());
  EXPECT_EQ(Waiting(), "the device is not charging; the network is metered");
  host.charging = true;
  f.world.RunFor(2 * kHeldCheckMs);
  EXPECT_EQ(Waiting(), "the network is metered");
  EXPECT_EQ(f.Version(), "");
  host.unmetered = true;
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
  // What is there is not held, whatever the host is at.
  host.charging = false;
  Want("1.0.0", {{"charging", true}}, 2);
  ASSERT_TRUE(f.UntilReported("digits", Step::kConfirmed));
}

TEST_F(WhenSet, ARestartHoldsItStillAndSaysSoOnce) {
  host.idle = false;
  Want("1.0.0", {{"idle", true}});
  ASSERT_TRUE(WaitsSoon());
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(WaitsSoon());
  f.world.RunFor(kHourMs);
  EXPECT_EQ(f.Version(), "");
  host.idle = true;
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "1.0.0"));
}

TEST_F(WhenSet, AfterTheDeadlineItDoesNotBegin) {
  host.charging = false;
  Want("1.0.0", {{"charging", true}, {"deadline_ms", NowMs() + kHourMs}});
  ASSERT_TRUE(WaitsSoon());
  f.world.RunFor(kHourMs - 60'000);
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kFailed), 0);
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kDeadlineExceeded));
  EXPECT_EQ(f.gateway.Failure()->release_id(), "r1.0.0");
  EXPECT_EQ(Row()["outcome"], "failed");
  EXPECT_EQ(Waiting(), "");
  host.charging = true;
  f.world.RunFor(kHourMs);
  EXPECT_EQ(f.Version(), "");
  EXPECT_EQ(f.gateway.CountOf("digits", Step::kFailed), 1);
  // The document is done with: a later one goes on.
  Want("2.0.0", Json::object());
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
}

TEST_F(WhenSet, OneThatWaitsHoldsUpNoOther) {
  host.charging = false;
  f.gateway.publishing = "alpha";
  f.gateway.Publish("1.0.0", 1, "good");
  f.gateway.Sign(int64_t{30} * 86'400'000);
  f.gateway.desired.packages["alpha"] = f.gateway.Run("alpha", "1.0.0", "ra");
  Want("1.0.0", {{"charging", true}});
  ASSERT_TRUE(f.UntilReported("alpha", Step::kConfirmed));
  EXPECT_EQ(f.VersionOf("digits"), "");
  EXPECT_EQ(Waiting(), "the device is not charging");
  // Taken back while it waits: nothing was there, nothing is.
  trust::DesiredPackage gone;
  gone.state = trust::DesiredState::kAbsent;
  gone.release = "r1.0.0";
  gone.attempt = 1;
  gone.back = true;
  f.gateway.Want("digits", gone);
  ASSERT_TRUE(f.UntilReported("digits", Step::kRolledBack));
  EXPECT_EQ(Waiting(), "");
}

TEST_F(WhenSet, ConditionsOfAnotherFormFailByName) {
  Want("1.0.0", {{"windows", 3}});
  ASSERT_TRUE(f.UntilReported("digits", Step::kFailed));
  EXPECT_EQ(f.gateway.Failure()->error_code(), static_cast<int>(Code::kMalformed));
  EXPECT_EQ(f.Version(), "");
  Want("2.0.0", {{"moon", "full"}});  // a newer server's
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
}

TEST(Conditions, AreReadFromTheMachineAndAFile) {
  sys::SimFileSystem disk;
  const auto put = [&](const std::string& path, const std::string& text) {
    ASSERT_TRUE(disk.MakeDirectories(path.substr(0, path.rfind('/'))).ok());
    ASSERT_TRUE(sys::WriteFileAtomically(disk, path, AsBytes(text)).ok());
  };
  const auto read = [&] { return ReadConditions(disk, "/power", "/conditions.json", 0); };
  EXPECT_TRUE(read().charging) << "no battery";
  put("/power/BAT0/type", "Battery\n");
  put("/power/BAT0/status", "Discharging\n");
  EXPECT_FALSE(read().charging);
  put("/power/AC/type", "Mains\n");
  put("/power/AC/online", "1\n");
  EXPECT_TRUE(read().charging);
  put("/power/AC/online", "0\n");
  put("/power/BAT0/status", "Full\n");
  EXPECT_TRUE(read().charging);
  EXPECT_TRUE(read().idle);
  EXPECT_TRUE(read().unmetered);
  put("/conditions.json", R"({"idle":false,"charging":false,"utc_offset_minutes":-90})");
  EXPECT_FALSE(read().idle);
  EXPECT_FALSE(read().charging);
  EXPECT_TRUE(read().unmetered);
  EXPECT_EQ(read().utc_offset_minutes, -90);
  for (const char* wrong : {"{", R"({"idle":3})", R"({"utc_offset_minutes":100000})"}) {
    put("/conditions.json", wrong);
    EXPECT_FALSE(read().idle || read().charging || read().unmetered) << wrong;
  }
}

}  // namespace
}  // namespace ferry::agent
