#include "cloud-server/main/drain/drain.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/world.h"

namespace ferry::server {
namespace {

struct DrainTest : testing::Test {
  DrainTest() {
    EXPECT_TRUE(fs.MakeDirectories("/srv").ok());
    drain.Start();
  }
  ~DrainTest() override { executor.reset(); }
  void Ask(int64_t within_ms) {
    EXPECT_TRUE(WriteOrder(fs, "/srv", {world.clock().NowUnixMs(), within_ms}).ok());
  }
  std::optional<DrainProgress> Progress() { return ReadProgress(fs, "/srv").value(); }

  sys::SimWorld world{1};
  sys::SimFileSystem fs;
  std::unique_ptr<sys::Executor> executor = world.MakeExecutor();
  bool accepting = true;
  size_t devices = 10'000;
  std::vector<size_t> parts;
  size_t transfers = 0;
  Drain drain{{&fs, "/srv", &world.clock(), executor.get(), [this] { accepting = false; },
               [this] { return devices; },
               [this](size_t count) {
                 parts.push_back(count);
                 devices -= count;
               },
               [this] { return transfers; }}};
};

TEST_F(DrainTest, DevicesGoEvenlyOverTheTime) {
  world.RunFor(60'000);
  EXPECT_TRUE(accepting);
  EXPECT_FALSE(drain.draining());
  EXPECT_EQ(Progress(), std::nullopt);
  Ask(600'000);
  world.RunFor(300'000);
  EXPECT_FALSE(accepting);
  EXPECT_TRUE(drain.draining());
  EXPECT_NEAR(static_cast<double>(devices), 5'000, 100);
  world.RunFor(301'000);
  EXPECT_EQ(devices, 0u);
  EXPECT_EQ(Progress()->left, 0);
  EXPECT_EQ(Progress()->devices, 10'000);
  const size_t even = 10'000 / (600'000 / kDrainLookMs);
  for (const size_t part : parts) EXPECT_LE(part, even + 1);
}

TEST_F(DrainTest, ASecondOrderGivesAnotherTimeAndNothingElse) {
  Ask(6'000'000);
  world.RunFor(10'000);
  const size_t before = devices;
  EXPECT_GT(before, 9'900u);
  Ask(10'000);
  world.RunFor(12'000);
  EXPECT_EQ(devices, 0u);
  EXPECT_EQ(Progress()->devices, 10'000);
}

TEST_F(DrainTest, WhoComesInBetweenGoesToo) {
  Ask(1'000);
  world.RunFor(3'000);
  EXPECT_EQ(devices, 0u);
  devices = 3;
  world.RunFor(1'000);
  EXPECT_EQ(devices, 0u);
}

TEST_F(DrainTest, TransfersMayEndUntilTheTimeIsOver) {
  transfers = 2;
  Ask(60'000);
  world.RunFor(30'000);
  EXPECT_FALSE(Progress()->done);
  EXPECT_EQ(Progress()->transfers, 2);
  devices = 0;
  transfers = 0;
  world.RunFor(1'000);
  EXPECT_TRUE(Progress()->done);
  // A new order, and one that does not end.
  transfers = 1;
  Ask(10'000);
  world.RunFor(9'000);
  EXPECT_FALSE(Progress()->done);
  world.RunFor(2'000);
  EXPECT_TRUE(Progress()->done) << "it goes on elsewhere";
  EXPECT_EQ(Progress()->transfers, 1);
}

TEST_F(DrainTest, ANodeThatStartsForgetsWhatWasAskedOfTheOneBefore) {
  Ask(1'000);
  Drain next{{&fs, "/srv", &world.clock(), executor.get(), [] { FAIL(); }, [] { return size_t{1}; },
              [](size_t) { FAIL(); }, [] { return size_t{0}; }}};
  EXPECT_TRUE(ForgetDrain(fs, "/srv").ok());
  EXPECT_TRUE(next.Step().ok());
  EXPECT_FALSE(next.draining());
}

TEST_F(DrainTest, AnOrderThatIsNoneIsSaidAndNotFollowed) {
  for (const char* text : {"", "{}", "[]", R"({"asked_ms":1,"within_ms":-1})",
                           R"({"asked_ms":1,"within_ms":1e99})", R"({"asked_ms":"x"})"}) {
    EXPECT_TRUE(sys::WriteFileAtomically(fs, "/srv/drain.json", AsBytes(std::string(text))).ok());
    EXPECT_FALSE(drain.Step().ok()) << text;
    EXPECT_FALSE(drain.draining());
  }
}

}  // namespace
}  // namespace ferry::server
