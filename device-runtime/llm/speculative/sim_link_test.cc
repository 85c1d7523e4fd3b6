#include "device-runtime/llm/speculative/sim_link.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "common/sys/sim/world.h"

namespace ferry::llm {
namespace {

struct SimLinkTest : ::testing::Test {
  void Start() {
    link.server().Start({.on_frame =
                             [this](ByteView frame) {
                               arrived.push_back(frame[0]);
                               at_ms.push_back(NowMs());
                             },
                         .on_state = [this](bool up) { states.push_back(up); }});
  }
  int64_t NowMs() { return world.clock().MonotonicNs() / 1'000'000; }
  void SendMany(int count) {
    for (int i = 0; i < count; ++i) link.device().Send(Bytes{static_cast<uint8_t>(i)});
  }

  sys::SimWorld world{5};
  std::unique_ptr<sys::Executor> executor = world.MakeExecutor();
  SimLink link{*executor, *executor, world.random()};
  std::vector<int> arrived;
  std::vector<int64_t> at_ms;
  std::vector<bool> states;
};

TEST_F(SimLinkTest, HalfOfARoundTripEachWayAndBytesWithLengths) {
  link.SetOptions({.round_trip_ms = 31});
  Start();
  int64_t answer_ms = -1;
  link.device().Start({.on_frame = [&](ByteView) { answer_ms = NowMs(); }, .on_state = {}});
  link.device().Send(Bytes(200));
  link.server().Send(Bytes(3));
  world.RunFor(100);
  EXPECT_EQ(at_ms, std::vector<int64_t>{15});
  EXPECT_EQ(answer_ms, 16);
  EXPECT_EQ(link.device().bytes_sent(), 202);
  EXPECT_EQ(link.server().bytes_received(), 202);
  EXPECT_EQ(link.server().bytes_sent(), 4);
  EXPECT_EQ(link.device().bytes_received(), 4);
}

TEST_F(SimLinkTest, LosesDoublesAndReorders) {
  link.SetOptions({.round_trip_ms = 10, .jitter_ms = 20, .loss = 0.3, .duplicate = 0.3});
  Start();
  SendMany(200);
  world.RunFor(100);
  const std::set<int> different(arrived.begin(), arrived.end());
  EXPECT_NEAR(static_cast<double>(different.size()), 140, 30);
  EXPECT_GT(arrived.size(), different.size() + 15);
  EXPECT_FALSE(std::is_sorted(arrived.begin(), arrived.end()));
}

TEST_F(SimLinkTest, DamageFlipsBits) {
  link.SetOptions({.damage = 1});
  Start();
  link.device().Send(Bytes{7});
  world.RunFor(10);
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_NE(arrived[0], 7);
}

TEST_F(SimLinkTest, ACutLosesWhatIsUnderWay) {
  link.SetOptions({.round_trip_ms = 20});
  Start();
  SendMany(3);
  world.RunFor(5);
  link.SetCut(true, true);
  SendMany(3);
  world.RunFor(1);
  link.SetCut(false, false);
  link.device().Send(Bytes{9});
  world.RunFor(100);
  EXPECT_EQ(arrived, std::vector<int>{9});
  EXPECT_EQ(states, std::vector<bool>{false});
}

}  // namespace
}  // namespace ferry::llm
