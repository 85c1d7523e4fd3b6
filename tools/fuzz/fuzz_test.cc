#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tools/fuzz/mutate.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

class FuzzTargetTest : public ::testing::TestWithParam<std::string_view> {};

// The same inputs on every run; `tools/dev fuzz` looks further.
TEST_P(FuzzTargetTest, SurvivesMutatedSeeds) {
  const Target& target = *FindTarget(GetParam());
  const std::vector<Bytes> seeds = target.seeds();
  ASSERT_FALSE(seeds.empty());
  std::mt19937 random(5);
  for (const Bytes& seed : seeds) {
    ASSERT_FALSE(seed.empty());
    target.run(seed);
    for (size_t size = 0; size < std::min<size_t>(seed.size(), 256); size += target.stride) {
      target.run(ByteView(seed).first(size));
    }
  }
  for (size_t round = 0; round < 400 / target.stride; ++round) {
    target.run(Mutate(seeds[random() % seeds.size()], seeds, 16 << 10, random));
  }
}

std::vector<std::string_view> Names() {
  std::vector<std::string_view> names;
  for (const Target& target : Targets()) names.push_back(target.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzTargetTest, ::testing::ValuesIn(Names()),
                         [](const auto& info) { return std::string(info.param); });

TEST(FuzzTargets, AreSortedAndFound) {
  const std::vector<std::string_view> names = Names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  ASSERT_NE(FindTarget("onnx"), nullptr);
  EXPECT_EQ(FindTarget("onnx")->run, kOnnxTarget.run);
  EXPECT_EQ(FindTarget("none"), nullptr);
}

TEST(Mutate, IsDeterministicBoundedAndChangesThings) {
  const std::vector<Bytes> seeds = {ToBytes(std::string_view("some text to change"))};
  std::mt19937 a(3), b(3);
  int changed = 0;
  for (int i = 0; i < 200; ++i) {
    const Bytes one = Mutate(seeds[0], seeds, 32, a);
    EXPECT_EQ(one, Mutate(seeds[0], seeds, 32, b));
    EXPECT_LE(one.size(), 32u);
    changed += one != seeds[0];
  }
  EXPECT_GT(changed, 150);
}

}  // namespace
}  // namespace ferry::fuzz
