#include "cloud-server/admin/interface/errors.h"

#include <gtest/gtest.h>

#include "common/base/json.h"

namespace ferry::server {
namespace {

std::string PlaceText(const std::string& message, const char* given) {
  return WriteJson(PlaceOf(message, *ParseJson(given)));
}

TEST(Errors, ContextsOfAMessageAreItsPlace) {
  EXPECT_EQ(PlaceText("rule: line 1, column 9: \"next\" is no semantic version", R"({"rule":""})"),
            R"({"column":9,"field":"rule","line":1})");
  EXPECT_EQ(PlaceText("stage 2: who: line 3, column 12: no", R"({"stages":[]})"),
            R"({"column":12,"field":"stages[1].who","line":3})");
  EXPECT_EQ(PlaceText("releases[0].rule: line 1, column 1: no", R"({"releases":[]})"),
            R"({"column":1,"field":"releases[0].rule","line":1})");
  EXPECT_EQ(PlaceText("rate: per_minute 0 is not from 1", R"({"rate":{}})"), R"({"field":"rate"})");
  EXPECT_EQ(PlaceText("?limit=x: not a number from 0", R"({"limit":"x"})"), R"({"field":"limit"})");
  EXPECT_EQ(PlaceText("field \"package\" is missing, wanted string", "{}"),
            R"({"field":"package"})");
  EXPECT_EQ(PlaceText("keys[3]: field \"enc\" is null, wanted string", R"({"keys":[]})"),
            R"({"field":"keys[3].enc"})");
  EXPECT_EQ(PlaceText("line 2, column 7: expected a condition, found the end", "{}"),
            R"({"column":7,"line":2})");
}

TEST(Errors, WordsThatAreNoFieldsAreNone) {
  EXPECT_EQ(PlaceText("digits: it is withdrawn", R"({"package":"digits"})"), "{}");
  EXPECT_EQ(PlaceText("rule", R"({"rule":""})"), "{}");
  EXPECT_EQ(PlaceText("plan of release x: rule: line 1, column 1: no", R"({"rule":""})"), "{}");
  EXPECT_EQ(PlaceText("rule: line 0, column 1: no", R"({"rule":""})"), R"({"field":"rule"})");
  EXPECT_EQ(PlaceText("rule: line 1, column 99999999999: no", R"({"rule":""})"),
            R"({"field":"rule"})");
  EXPECT_EQ(PlaceText("stage two: who: x", R"({"stages":[]})"), "{}");
  EXPECT_EQ(PlaceText("", "{}"), "{}");
}

}  // namespace
}  // namespace ferry::server
