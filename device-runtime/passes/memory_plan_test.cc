#include "device-runtime/passes/memory_plan.h"

#include <random>

#include <gtest/gtest.h>

namespace ferry::passes {
namespace {

TEST(MemoryPlan, AChainNeedsTwoPieces) {
  std::vector<Lifetime> chain;
  for (int i = 0; i < 10; ++i) chain.push_back({1000, i, i + 1});
  const MemoryPlan plan = PlanMemory(chain);
  EXPECT_EQ(plan.arena_bytes, 2 * 1024);
  EXPECT_EQ(plan.unshared_bytes, 10 * 1024);
}

TEST(MemoryPlan, NothingNeedsNothing) {
  const Lifetime nothing[] = {{0, 0, 5}};
  EXPECT_EQ(PlanMemory(nothing).arena_bytes, 0);
}

TEST(MemoryPlan, NeverOverlaps) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lives(1 + random() % 40);
    for (Lifetime& life : lives) {
      life.bytes = random() % 3 == 0 ? 0 : static_cast<int64_t>(random() % 5000);
      life.first = static_cast<int>(random() % 20);
      life.last = life.first + static_cast<int>(random() % 6);
    }
    const MemoryPlan plan = PlanMemory(lives);
    EXPECT_LE(plan.arena_bytes, plan.unshared_bytes);
    for (size_t i = 0; i < lives.size(); ++i) {
      ASSERT_EQ(plan.offsets[i] % kArenaAlignment, 0);
      ASSERT_LE(plan.offsets[i] + lives[i].bytes, plan.arena_bytes);
      for (size_t j = 0; j < i; ++j) {
        if (lives[i].last < lives[j].first || lives[j].last < lives[i].first) continue;
        ASSERT_TRUE(plan.offsets[i] + lives[i].bytes <= plan.offsets[j] ||
                    plan.offsets[j] + lives[j].bytes <= plan.offsets[i]);
      }
    }
  }
}

}  // namespace
}  // namespace ferry::passes
