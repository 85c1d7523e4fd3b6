// An install that failed for a full disk is tried again.
#include "common/base/json.h"
#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/tests/fixture.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kLargeDisk = 64 << 20;

void WaitWithFirstVersion(Fixture* f) {
  ASSERT_TRUE(f->Start().ok());
  ASSERT_TRUE(f->Until([&] { return f->agent->connected(); }));
  f->gateway.Publish("1.0.0", 1, "good");
  f->gateway.Publish("2.0.0", 2, "good", "", "1.0.0");
  f->gateway.Sign();
  f->gateway.Assign("1.0.0");
  ASSERT_TRUE(f->UntilStep(Step::kConfirmed, "1.0.0"));
}

TEST(DiskFull, TriedAtOnceWhenThereIsRoom) {
  Fixture f;
  WaitWithFirstVersion(&f);
  f.disk.SetCapacity(120'000);
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kFailed, "2.0.0"));
  f.world.RunFor(int64_t{6} * 3600 * 1000);
  EXPECT_EQ(f.gateway.Count(Step::kFailed, "2.0.0"), 1) << "reported once";
  f.disk.SetCapacity(kLargeDisk);
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0", 30'000));
  EXPECT_EQ(f.Version(), "2.0.0");
}

TEST(DiskFull, TriedAgainWithBackOff) {
  Fixture f;
  WaitWithFirstVersion(&f);
  int hits = 0;
  f.disk.SetFault([&](const char* what, const std::string& path) {
    const bool hit = std::string_view(what) == "append" && path.ends_with(".plain");
    hits += hit;
    return hit ? Status::Of(Code::kDiskFull, "{}: no space left", path) : OkStatus();
  });
  f.gateway.Assign("2.0.0");
  ASSERT_TRUE(f.UntilStep(Step::kFailed, "2.0.0"));
  f.world.RunFor(int64_t{3600} * 1000);
  EXPECT_GT(hits, 1);
  EXPECT_LT(hits, 40) << "an hour of a disk that looks free and is not";
  EXPECT_EQ(f.gateway.Count(Step::kFailed, "2.0.0"), 1) << "reported once";
  f.disk.SetFault(nullptr);
  ASSERT_TRUE(f.UntilStep(Step::kConfirmed, "2.0.0", 3600 * 1000));
}

// A report that the full disk did not take is on it soon after there is room, without another one.
TEST(DiskFull, ReportsAreWrittenOnceThereIsRoom) {
  Fixture f;
  WaitWithFirstVersion(&f);
  ASSERT_TRUE(f.Until([&] { return f.agent->StatusJson()["reports"]["queued"] == 0; }));
  f.network.SetReachable("server", false);
  ASSERT_TRUE(f.Until([&] { return !f.agent->connected(); }));
  f.disk.SetFault([&](const char* what, const std::string& path) {
    const bool hit =
        std::string_view(what) == "append" && path.find("journal.json") != std::string::npos;
    return hit ? Status::Of(Code::kDiskFull, "{}: no space left", path) : OkStatus();
  });
  f.Event();
  f.world.RunFor(60'000);
  EXPECT_EQ(f.agent->StatusJson()["reports"]["queued"], 1);
  f.disk.SetFault(nullptr);
  f.world.RunFor(kRoomCheckMs + 1'000);
  f.Kill();
  ASSERT_TRUE(f.Start().ok());
  f.network.SetReachable("server", true);
  ASSERT_TRUE(f.UntilStep(Step::kHealthy, "1.0.0"));
}

}  // namespace
}  // namespace ferry::agent
