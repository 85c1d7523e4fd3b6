#include <gtest/gtest.h>

#include <set>

#include "common/base/bytes.h"
#include "common/base/json.h"
#include "common/base/memory.h"
#include "common/base/nearest.h"
#include "common/base/status.h"

namespace ferry {
namespace {

Result<int> Half(int value) {
  if (value % 2 != 0) return Status::Of(Code::kInvalidArgument, "{} is odd", value);
  return value / 2;
}

Result<int> Quarter(int value) {
  FERRY_ASSIGN_OR_RETURN(const int half, Half(value).Context("first half"));
  FERRY_TRY(Half(half).Context("second half"));
  return Half(half);
}

TEST(StatusTest, ContextIsPutBeforeTheMessageAndTheCodeStays) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(3).status().ToString(), "invalid_argument: first half: 3 is odd");
  EXPECT_EQ(Quarter(6).status().ToString(), "invalid_argument: second half: 3 is odd");
  EXPECT_EQ(OkStatus().Context("x").ToString(), "ok");
}

TEST(NearestTest, OnlyNearNamesAreNamed) {
  const std::vector<std::string> known = {"list", "release", "threads", "tune"};
  EXPECT_EQ(NearName("relase", known), "release");
  EXPECT_EQ(NearName("lits", known), "list");
  EXPECT_EQ(NearName("thr", known), "threads");
  EXPECT_EQ(NearName("ls", known), std::nullopt);
  EXPECT_EQ(NearName("frobnicate", known), std::nullopt);
  EXPECT_EQ(NearName("", known), std::nullopt);
  EXPECT_EQ(NearName("list", {}), std::nullopt);
}

TEST(ErrorsTest, NumbersAndNamesAreUniqueAndFindTheirCode) {
  std::set<int> numbers;
  std::set<std::string_view> names;
#define FERRY_ERROR(id, name, number, http, text)     \
  EXPECT_TRUE(numbers.insert(number).second) << name; \
  EXPECT_TRUE(names.insert(name).second) << name;     \
  EXPECT_EQ(CodeFromNumber(number), Code::id);        \
  EXPECT_EQ(CodeFromName(name), Code::id);            \
  EXPECT_EQ(InfoOf(Code::id).http_status, http);
#include "common/base/errors.inc"
#undef FERRY_ERROR
  EXPECT_EQ(CodeFromNumber(9999), std::nullopt);
  EXPECT_EQ(InfoOf(static_cast<Code>(9999)).code, Code::kInternal);
}

TEST(BytesTest, HexAndBase64RoundTripEveryLength) {
  Bytes bytes;
  for (int n = 0; n < 40; ++n) {
    EXPECT_EQ(*FromHex(ToHex(bytes)), bytes);
    EXPECT_EQ(*FromBase64(ToBase64(bytes)), bytes);
    bytes.push_back(static_cast<uint8_t>(n * 37 + 5));
  }
  EXPECT_EQ(ToBase64(AsBytes("foobar")), "Zm9vYmFy");  // RFC 4648, section 10
  EXPECT_EQ(ToBase64(AsBytes("fooba")), "Zm9vYmE=");
}

TEST(BytesTest, BadTextIsRefusedWithItsOffset) {
  EXPECT_EQ(FromHex("abc").code(), Code::kMalformed);
  EXPECT_EQ(FromHex("ab0g").status().message(), "not hexadecimal at offset 2");
  for (const char* text : {"Zg", "Zg=a", "Zh==", "Zm9=", "====", "Zm9vYg==Zg=="}) {
    EXPECT_EQ(FromBase64(text).code(), Code::kMalformed) << text;
  }
}

TEST(JsonTest, ErrorsNameTheOffsetOrTheField) {
  EXPECT_EQ(ParseJson("{\"a\":1,}").code(), Code::kMalformed);
  EXPECT_NE(ParseJson("[1 2]").status().message().find("offset 4"), std::string::npos);
  EXPECT_EQ(ParseJson("").code(), Code::kMalformed);
  const auto place = [](std::string_view text) { return ParseJson(text).status().message(); };
  EXPECT_EQ(place("{\n  \"a\": 1,\n  b: 2\n}"), "not JSON at line 3, column 3");
  EXPECT_EQ(place("{\"a\": 1\n \"b\": 2}"), "not JSON at line 2, column 2");
  EXPECT_EQ(place("\n\n[1, 2"), "not JSON at line 3, column 6");
  EXPECT_EQ(place("{\"a\"; 1,\n}"), "not JSON at line 1, column 5");
  EXPECT_EQ(place("\n"), "not JSON at line 2, column 1");
  EXPECT_EQ(ParseJson(std::string(70, '[') + std::string(70, ']')).code(), Code::kLimitExceeded);
  const Json object =
      *ParseJson(R"({"s":"x","i":7,"f":1.5,"big":18446744073709551615,"l":["a",1],"n":null})");
  EXPECT_EQ(*GetString(object, "s"), "x");
  EXPECT_EQ(*GetInt(object, "i"), 7);
  EXPECT_EQ(GetInt(object, "f").status().message(), "field \"f\" is number, wanted an integer");
  EXPECT_EQ(GetInt(object, "big").code(), Code::kMalformed);
  EXPECT_EQ(GetStrings(object, "l").code(), Code::kMalformed);
  EXPECT_EQ(*GetIntOr(object, "n", 3), 3);
  EXPECT_EQ(GetString(object, "gone").code(), Code::kMalformed);
  EXPECT_EQ(GetString(Json(3), "s").code(), Code::kMalformed);
}

TEST(JsonTest, CanonicalFormSortsKeysAndRefusesFloats) {
  EXPECT_EQ(*WriteCanonicalJson(*ParseJson(R"({ "b": 1, "a": [true, "é\n"] })")),
            "{\"a\":[true,\"é\\n\"],\"b\":1}");
  EXPECT_EQ(WriteCanonicalJson(*ParseJson("[0.5]")).code(), Code::kInvalidArgument);
}

TEST(MemoryTest, FailsOnceWhereAskedAndCountsBlocks) {
  const int64_t before = CurrentMemoryUse().blocks;
  {
    FailAllocations fail(2);
    void* first = TryAllocate(10);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % kDefaultAlignment, 0u);
    EXPECT_FALSE(fail.fired());
    EXPECT_EQ(TryAllocate(10), nullptr);
    EXPECT_TRUE(fail.fired());
    void* third = TryAllocate(0);
    EXPECT_NE(third, nullptr);
    EXPECT_EQ(CurrentMemoryUse().blocks, before + 2);
    Deallocate(first);
    Deallocate(third);
  }
  EXPECT_EQ(CurrentMemoryUse().blocks, before);
  EXPECT_EQ(TryAllocate(SIZE_MAX - 3), nullptr);
}

}  // namespace
}  // namespace ferry
