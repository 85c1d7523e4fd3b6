#include "device-runtime/passes/memory/memory_plan.h"

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

// x -> y by one dense map over 1000 floats.
ir::Step MapStep(ir::BufferId x, ir::BufferId other, ir::BufferId y) {
  ir::MapPrim map;
  map.rank = 1;
  map.size = {1000};
  map.strides = {{1}, {0}};
  map.code = {{ir::MapFunction::kAdd, ir::MapType::kF32, {0, 1, -1}}};
  map.results = {2};
  return {map, {x, other}, {y}, "n"};
}

ir::Program ProgramOf(size_t buffers) {
  ir::Program program;
  for (size_t i = 0; i < buffers; ++i)
    program.buffers.push_back({ir::DType::kF32, ir::Shape({1000})});
  program.buffers[0].input = 0;
  return program;
}

TEST(ShareInPlace, AChainOfMapsNeedsOnePiece) {
  ir::Program program = ProgramOf(5);
  for (ir::BufferId i = 0; i < 4; ++i) program.steps.push_back(MapStep(i, 0, i + 1));
  program.steps[0].inputs[1] = 0;
  program.outputs = {4};
  const auto memory = ShareInPlace(program);
  EXPECT_EQ(memory, (std::vector<ir::BufferId>{0, 1, 1, 1, 1}));  // the input is never written
  const MemoryPlan plan = PlanMemory(LifetimesOf(program, memory));
  EXPECT_EQ(plan.arena_bytes, 4032);
}

TEST(ShareInPlace, NotWhileTheInputIsStillRead) {
  ir::Program program = ProgramOf(4);
  program.steps = {MapStep(0, 0, 1), MapStep(1, 0, 2), MapStep(2, 1, 3)};
  program.outputs = {3};
  EXPECT_EQ(ShareInPlace(program), (std::vector<ir::BufferId>{0, 1, 2, 2}));
  program.outputs = {3, 1};
  EXPECT_EQ(ShareInPlace(program), (std::vector<ir::BufferId>{0, 1, 2, 2}));
  program.steps[2].inputs = {2, 2};  // in another order too
  EXPECT_EQ(ShareInPlace(program), (std::vector<ir::BufferId>{0, 1, 2, 3}));
}

TEST(ShareInPlace, NotWhatIsReadInAnotherOrder) {
  ir::Program program = ProgramOf(3);
  program.steps = {MapStep(0, 0, 1), MapStep(1, 0, 2)};
  std::get<ir::MapPrim>(program.steps[1].primitive).strides[0] = {0};
  program.outputs = {2};
  EXPECT_EQ(ShareInPlace(program), (std::vector<ir::BufferId>{0, 1, 2}));
}

TEST(ShareInPlace, NotOtherTypes) {
  ir::Program program = ProgramOf(3);
  program.buffers[2].dtype = ir::DType::kI32;
  program.steps = {MapStep(0, 0, 1), MapStep(1, 0, 2)};
  program.outputs = {2};
  EXPECT_EQ(ShareInPlace(program), (std::vector<ir::BufferId>{0, 1, 2}));
}

}  // namespace
}  // namespace ferry::passes
