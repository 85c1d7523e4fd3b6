#include "common/trust/time.h"

#include <gtest/gtest.h>

namespace ferry::trust {
namespace {

TEST(TimeTest, TextAndMillisecondsRoundTrip) {
  EXPECT_EQ(FormatTime(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(1767225600999), "2026-01-01T00:00:00Z");
  EXPECT_EQ(*ParseTime("2024-02-29T23:59:59Z"), 1709251199000);
  EXPECT_EQ(FormatTime(-5), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(INT64_MAX), "9999-12-31T23:59:59Z");
  for (int64_t ms = 0; ms < 250'000'000'000'000; ms += 7'654'321'000'000) {
    EXPECT_EQ(*ParseTime(FormatTime(ms)), ms / 1000 * 1000);
  }
}

TEST(TimeTest, OtherFormsAreRefused) {
  for (const char* text :
       {"", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00+00:00",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01 00:00:00Z", "2026-1-01T00:00:00Z ",
        "1969-12-31T23:59:59Z", "2026-01-01T00:00:00z", "-026-01-01T00:00:00Z"}) {
    EXPECT_EQ(ParseTime(text).code(), Code::kMalformed) << text;
  }
}

}  // namespace
}  // namespace ferry::trust
