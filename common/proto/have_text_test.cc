#include "common/proto/have_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ferry::proto {
namespace {

const std::string kName = "0123456789abcdef01234567";

TEST(HaveText, NameAndBody) {
  const std::string text = "have1." + kName + "00ff";
  EXPECT_EQ(HaveBodyOf(text), kName + "00ff");
  EXPECT_EQ(HaveNameOf(text), kName);
}

TEST(HaveText, OtherFormsHaveNoName) {
  for (const std::string& text :
       {std::string(), std::string("have1."), "have1." + kName, "have1." + kName + "0",
        "have1." + kName + "FF", "have1." + kName + "0g", "have2." + kName + "00",
        " have1." + kName + "00", "have1." + kName + "00\n", "have1." + std::string(1000, '0')})
    EXPECT_EQ(HaveNameOf(text), "") << text;
}

TEST(TakeText, RoundTrip) {
  for (const int64_t within_s : {int64_t{0}, int64_t{1}, int64_t{30}, kMaxTakeS}) {
    const TakeText take{kName, within_s};
    EXPECT_EQ(TakeFromText(ToText(take)).value(), take);
  }
}

TEST(TakeText, WhatNoServerWritesIsMalformed) {
  for (const std::string& text :
       {std::string(), std::string("take1."), "take1.30" + kName, "take1.30." + kName + "0",
        "take1.-1." + kName, "take1.+1." + kName, "take1.030." + kName, "take1. 30." + kName,
        "take1.3601." + kName, "take1.99999999999999999999." + kName, "take1.." + kName,
        "take1.30." + kName.substr(1) + "g", "take1.30." + kName + "\r\nSet-Cookie: a=b"})
    EXPECT_EQ(TakeFromText(text).code(), Code::kMalformed) << text;
}

// Whatever is read is what would be written, and nothing that could end a header gets through.
TEST(TakeText, ChangedTextsAreRefusedOrMeanWhatTheySay) {
  std::mt19937_64 draw(7);
  const std::string good = ToText({kName, 30});
  int read = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = good;
    const int changes = 1 + static_cast<int>(draw() % 3);
    for (int k = 0; k < changes; ++k) {
      const size_t at = draw() % text.size();
      switch (draw() % 3) {
        case 0:
          text[at] = static_cast<char>(draw() % 256);
          break;
        case 1:
          text.erase(at, 1 + draw() % 4);
          break;
        default:
          text.insert(at, 1, "0123456789abcdef.-+ \n"[draw() % 21]);
      }
      if (text.empty()) text = "t";
    }
    const Result<TakeText> take = TakeFromText(text);
    if (!take.ok()) continue;
    ++read;
    ASSERT_EQ(ToText(*take), text);
    ASSERT_TRUE(std::all_of(text.begin(), text.end(),
                            [](char c) { return c == '.' || std::isalnum(c) != 0; }));
  }
  EXPECT_GT(read, 1'000);
}

}  // namespace
}  // namespace ferry::proto
