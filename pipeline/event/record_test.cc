#include "pipeline/event/record.h"

#include <gmock/gmock.h>

#include <string>

#include "common/base/json_fwd.h"

namespace ferry::event {
namespace {

using testing::HasSubstr;

std::string Nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

TEST(CheckRecord, TakesOneJsonValueOfAnyKind) {
  for (const char* json : {"{}", "1", "null", R"("text")", "[1,2.5e300]", R"({"a":{"b":[]}})"})
    EXPECT_TRUE(CheckRecord("digits.window", json).ok()) << json;
}

TEST(CheckRecord, LimitsAreExact) {
  EXPECT_TRUE(CheckRecord("s", Nested(kMaxJsonDepth)).ok());
  EXPECT_EQ(CheckRecord("s", Nested(kMaxJsonDepth + 1)).code(), Code::kLimitExceeded);
  const std::string most(kMaxRecordBytes - 3, 'x');
  EXPECT_TRUE(CheckRecord("s", '"' + most + '"').ok());
  const Status large = CheckRecord("st", '"' + most + '"');
  EXPECT_EQ(large.code(), Code::kLimitExceeded);
  EXPECT_THAT(large.message(), HasSubstr("65537 bytes, the limit is 65536"));
}

TEST(CheckRecord, RefusesWhatIsNoJsonOrNoName) {
  for (const std::string json : {"", "{", "{} {}", "\"\xff\"", "\"\xed\xa0\x80\"", "NaN", "1e400"})
    EXPECT_EQ(CheckRecord("s", json).code(), Code::kMalformed) << json;
  EXPECT_EQ(CheckRecord("s", std::string("{}\0", 3)).code(), Code::kMalformed);
  EXPECT_THAT(CheckRecord("a b", "{}").message(), HasSubstr("stream has the byte 0x20"));
  EXPECT_EQ(CheckRecord("", "{}").code(), Code::kMalformed);
  EXPECT_EQ(CheckRecord(std::string(129, 's'), "{}").code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::event
