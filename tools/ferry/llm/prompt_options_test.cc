#include "tools/ferry/llm/prompt_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/sys/filesystem.h"
#include "tools/ferry/llm/npy.h"

namespace ferry::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PromptOptionsTest, Ids) {
  EXPECT_THAT(*ParseIds("1,2,3"), ElementsAre(1, 2, 3));
  EXPECT_THAT(*ParseIds(" 7 "), ElementsAre(7));
  EXPECT_THAT(*ParseIds("-1, 0"), ElementsAre(-1, 0));  // the vocabulary is checked with the model
  for (const char* bad : {"", ",", "1,", "1,,2", "x", "1 2", "2147483648", "1.5", "0x1"}) {
    EXPECT_EQ(ParseIds(bad).code(), Code::kInvalidArgument) << bad;
  }
}

TEST(SamplingOptionsTest, GreedyUnlessAskedOtherwise) {
  EXPECT_EQ(ResolveSampling({})->options.temperature, 0);
  SamplingOptions seed;
  seed.seed = 5;
  EXPECT_EQ(ResolveSampling(seed)->options.temperature, 1);
  EXPECT_EQ(ResolveSampling(seed)->seed, 5u);
  seed.greedy = true;
  EXPECT_EQ(ResolveSampling(seed)->options.temperature, 0);
  SamplingOptions warm;
  warm.temperature = 0.5;
  EXPECT_NE(ResolveSampling(warm)->seed, ResolveSampling(warm)->seed);
  warm.greedy = true;
  EXPECT_EQ(ResolveSampling(warm).code(), Code::kInvalidArgument);
  SamplingOptions wrong;
  wrong.top_p = 0;
  EXPECT_THAT(ResolveSampling(wrong).status().message(), HasSubstr("top_p"));
}

TEST(NpyTest, AnUnfinishedFileIsRemovedUnlessSomethingWasThere) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string path = testing::TempDir() + "unfinished.npy";
  const std::vector<float> row(4);
  ASSERT_FALSE(sys::Exists(fs, path));
  ASSERT_TRUE((*NpyWriter::Create(fs, path, 2, 4))->Append(row).ok());
  EXPECT_FALSE(sys::Exists(fs, path));
  const std::unique_ptr<NpyWriter> whole = *NpyWriter::Create(fs, path, 1, 4);
  ASSERT_TRUE(whole->Append(row).ok());
  ASSERT_TRUE(whole->Finish().ok());
  ASSERT_TRUE((*NpyWriter::Create(fs, path, 2, 4))->Append(row).ok());
  EXPECT_TRUE(sys::Exists(fs, path));
  EXPECT_TRUE(fs.Remove(path).ok());
}

}  // namespace
}  // namespace ferry::cli
