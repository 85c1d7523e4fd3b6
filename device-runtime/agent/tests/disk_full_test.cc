// An install that failed for a full disk is tried again.
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
    const bool hit =
        std::string_view(what) == "append" && path.find("package.fpk.new") != std::string::npos;
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

}  // namespace
}  // namespace ferry::agent
