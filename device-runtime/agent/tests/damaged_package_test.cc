// An installed package's file is damaged on the disk: the device fetches it again, and no release
// is blamed.
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

// 1.0.0 and, where `two`, 2.0.0 after it; the device is stopped.
void InstallAndStop(Fixture* f, bool two) {
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
  f->Kill();
  f->gateway.reports.clear();
}

// Flips one bit of the file that runs, so that it does not load.
void DamageRunning(Fixture* f) {
  const Slots slots(f->disk, kState);
  const std::string path = slots.PackageFile("digits", (*slots.Read("digits"))->now.slot);
  Bytes bytes = sys::ReadFile(f->disk, path).value();
  bytes[0] ^= 1;
  ASSERT_TRUE(sys::WriteFileAtomically(f->disk, path, bytes).ok());
}

void ExpectFetchedAgain(Fixture* f, const std::string& version) {
  ASSERT_TRUE(f->Until([&] { return f->Version() == version && f->gateway.Failure(); }));
  const proto::Report* failure = f->gateway.Failure();
  ASSERT_NE(failure, nullptr);
  EXPECT_EQ(failure->release_id(), "") << "evidence against nobody";
  EXPECT_EQ(failure->error_code(), static_cast<int>(Code::kCorruptContent));
  EXPECT_NE(failure->error_text().find("fetched again"), std::string::npos);
  // For good: the next process starts it from the disk.
  f->Kill();
  f->network.SetReachable("server", false);
  ASSERT_TRUE(f->Start().ok());
  ASSERT_TRUE(f->Until([&] { return f->Version() == version; }));
}

TEST(DamagedPackage, TheOnlyVersionIsFetchedAgain) {
  Fixture f;
  InstallAndStop(&f, false);
  DamageRunning(&f);
  ASSERT_TRUE(f.Start().ok());
  ExpectFetchedAgain(&f, "1.0.0");
}

TEST(DamagedPackage, TheVersionBeforeRunsUntilItIsThere) {
  Fixture f;
  InstallAndStop(&f, true);
  DamageRunning(&f);
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Start().ok());
  ASSERT_TRUE(f.Until([&] { return f.Version() == "1.0.0"; }));
  f.network.SetReachable("server", true);
  ExpectFetchedAgain(&f, "2.0.0");
}

}  // namespace
}  // namespace ferry::agent
