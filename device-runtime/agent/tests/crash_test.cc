// A version that ends its process again and again gives way to the one before, by itself.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr int kManyStarts = 10;

// 1.0.0 and then, unless it shall have nothing to go back to, 2.0.0; the server is away.
void InstallVersions(Fixture* f, bool two) {
  ASSERT_TRUE(f->Start().ok());
  ASSERT_TRUE(f->Until([&] { return f->agent->connected(); }));
  f->gateway.Publish("1.0.0", 1, "good");
  f->gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
  f->gateway.Sign();
  f->gateway.Assign("1.0.0");
  ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "1.0.0"));
  if (two) {
    f->gateway.Assign("2.0.0");
    ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "2.0.0"));
  }
  f->gateway.reports.clear();
  f->network.SetReachable("server", false);
}

// The process dies `life_ms` after its start, when events were delivered and before they ran where
// `at_event`.
void DieAgainAndAgain(Fixture* f, int64_t life_ms, bool at_event, const std::string& until) {
  for (int start = 0; start < kManyStarts && f->Version() != until; ++start) {
    f->Kill();
    ASSERT_TRUE(f->Start().ok());
    f->world.RunFor(life_ms);
    if (at_event) f->Event();
  }
}

TEST(Crash, VersionThatKillsItsProcessGivesWay) {
  Fixture f;
  InstallVersions(&f, true);
  DieAgainAndAgain(&f, 100, false, "1.0.0");
  EXPECT_EQ(f.Version(), "1.0.0");
  EXPECT_EQ(f.LastErrorName(), "crash_loop");
  f.network.SetReachable("server", true);
  ASSERT_TRUE(f.UntilStep(Step::kFailed, "2.0.0"));
  EXPECT_EQ(f.gateway.Failure()->previous_version(), "1.0.0");
  EXPECT_EQ((*Slots(f.disk, kState).Read("digits"))->now.running.highest_counter, 2);
}

TEST(Crash, FirstEventAfterAQuietTimeCountsToo) {
  Fixture f;
  InstallVersions(&f, true);
  DieAgainAndAgain(&f, 300'000, true, "1.0.0");
  EXPECT_EQ(f.Version(), "1.0.0");
  EXPECT_EQ(f.LastErrorName(), "crash_loop");
}

TEST(Crash, TimeClearsTheCount) {
  Fixture f;
  InstallVersions(&f, true);
  DieAgainAndAgain(&f, 300'000, false, "1.0.0");
  EXPECT_EQ(f.Version(), "2.0.0");
}

TEST(Crash, GoodRunsClearTheCount) {
  Fixture f;
  InstallVersions(&f, true);
  for (int start = 0; start < kManyStarts; ++start) {
    f.Kill();
    ASSERT_TRUE(f.Start().ok());
    f.world.RunFor(100);
    for (int run = 0; run < 5; ++run) f.Event();
    f.world.RunFor(100);
  }
  EXPECT_EQ(f.Version(), "2.0.0");
}

TEST(Crash, OrderlyStopIsNoCrash) {
  Fixture f;
  InstallVersions(&f, true);
  for (int start = 0; start < kManyStarts; ++start) {
    bool stopped = false;
    f.agent->Stop([&] { stopped = true; });
    ASSERT_TRUE(f.Until([&] { return stopped; }));
    f.Kill();
    ASSERT_TRUE(f.Start().ok());
    f.world.RunFor(100);
  }
  EXPECT_EQ(f.Version(), "2.0.0");
}

TEST(Crash, WithNothingToGoBackToTheDeviceStaysReachable) {
  Fixture f;
  InstallVersions(&f, false);
  DieAgainAndAgain(&f, 100, false, "");
  EXPECT_EQ(f.Version(), "") << "left out, so that the process lives";
  EXPECT_EQ(f.LastErrorName(), "crash_loop");
  f.network.SetReachable("server", true);
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0"));
  EXPECT_EQ(f.Version(), "2.0.0");
}

}  // namespace
}  // namespace ferry::agent
