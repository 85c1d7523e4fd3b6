#include "tools/ferry/serve/stop_filter.h"

#include <gtest/gtest.h>

#include <random>

namespace ferry::cli {
namespace {

TEST(StopFilterTest, WithoutStopsAllPasses) {
  StopFilter filter({});
  EXPECT_EQ(filter.Push("abc"), "abc");
  EXPECT_EQ(filter.Finish(), "");
  EXPECT_FALSE(filter.stopped());
}

TEST(StopFilterTest, HoldsWhatMayBeAStop) {
  StopFilter filter({"END"});
  EXPECT_EQ(filter.Push("one E"), "one ");
  EXPECT_EQ(filter.Push("N"), "");
  EXPECT_EQ(filter.Push("T"), "ENT");
  EXPECT_EQ(filter.Push("two EN"), "two ");
  EXPECT_EQ(filter.Push("D three"), "");
  EXPECT_TRUE(filter.stopped());
  EXPECT_EQ(filter.Push("more"), "");
  EXPECT_EQ(filter.Finish(), "");
}

TEST(StopFilterTest, TheEndGivesWhatWaited) {
  StopFilter filter({"\n\n"});
  EXPECT_EQ(filter.Push("a\n"), "a");
  EXPECT_EQ(filter.Finish(), "\n");
}

TEST(StopFilterTest, TheFirstStopCounts) {
  StopFilter filter({"later", "at"});
  EXPECT_EQ(filter.Push("that is later"), "th");
}

// However the text is cut into pieces, what is shown is the text up to the first stop.
TEST(StopFilterTest, PiecesDoNotMatter) {
  const std::vector<std::string> stops = {"aab", "ba"};
  std::mt19937 random(3);
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    for (int i = 0; i < 12; ++i) text.push_back(static_cast<char>('a' + random() % 3));
    size_t end = text.size();
    for (const std::string& stop : stops) end = std::min(end, text.find(stop));
    StopFilter filter(stops);
    std::string shown;
    for (size_t at = 0; at < text.size();) {
      const size_t size = 1 + random() % 4;
      shown += filter.Push(text.substr(at, size));
      at += size;
    }
    shown += filter.Finish();
    ASSERT_EQ(shown, text.substr(0, end)) << text;
  }
}

}  // namespace
}  // namespace ferry::cli
