#include "tools/ferry/split/checks.h"

#include <gtest/gtest.h>

#include <string>

namespace ferry::cli {
namespace {

bool Takes(const CLI::Validator& check, std::string text) {
  return check(text).empty();
}

TEST(ChecksTest, NumberWithin) {
  const CLI::Validator check = NumberWithin(0, 0.9);
  for (const char* good : {"0", "0.9", "0.25", "1e-3"}) EXPECT_TRUE(Takes(check, good)) << good;
  for (const char* bad : {"", "-0.1", "0.91", "nan", "inf", "x", "0.5x"})
    EXPECT_FALSE(Takes(check, bad)) << bad;
  std::string text = "1";
  EXPECT_EQ(check(text), "1 is no number from 0 to 0.9");
}

TEST(ChecksTest, WholeNumber) {
  for (const char* good : {"0", "7", "18446744073709551615"})
    EXPECT_TRUE(Takes(WholeNumber(), good)) << good;
  for (const char* bad : {"", "-1", "18446744073709551616", "1.5", "x", "7x"})
    EXPECT_FALSE(Takes(WholeNumber(), bad)) << bad;
}

}  // namespace
}  // namespace ferry::cli
