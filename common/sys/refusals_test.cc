#include "common/sys/refusals.h"

#include <gtest/gtest.h>

#include "common/sys/sim/world.h"

namespace ferry::sys {
namespace {

TEST(RefusalLogTest, OnceAMinuteForEachKindAndPeer) {
  SimWorld world(1);
  RefusalLog log("test", world.clock());
  EXPECT_TRUE(log.Note("frame", "10.0.0.1", "a frame of 5 bytes, at most 4"));
  EXPECT_FALSE(log.Note("frame", "10.0.0.1", "a frame of 6 bytes, at most 4"));
  EXPECT_TRUE(log.Note("connection", "10.0.0.1", "a connection: 2 are open"));
  EXPECT_TRUE(log.Note("frame", "10.0.0.2", "a frame of 5 bytes, at most 4"));
  world.RunFor(kRefusalPauseMs - 1);
  EXPECT_FALSE(log.Note("frame", "10.0.0.1", "a frame of 5 bytes, at most 4"));
  world.RunFor(1);
  EXPECT_TRUE(log.Note("frame", "10.0.0.1", "a frame of 5 bytes, at most 4"));
}

// However many addresses an attack has: so many lines a minute, no more.
TEST(RefusalLogTest, ManyPeersAreCountedOnly) {
  SimWorld world(1);
  RefusalLog log("test", world.clock());
  size_t said = 0;
  for (size_t i = 0; i < 3 * kMaxRefusalPeers; ++i) {
    said += log.Note("connection", std::to_string(i), "a connection") ? 1 : 0;
  }
  EXPECT_EQ(said, kMaxRefusalPeers);
  world.RunFor(kRefusalPauseMs);
  EXPECT_TRUE(log.Note("connection", "another", "a connection"));
}

}  // namespace
}  // namespace ferry::sys
