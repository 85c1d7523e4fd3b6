// Tables of tasks through the C and C++ interfaces.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "common/base/json.h"
#include "common/sys/random.h"
#include "device-runtime/api/ferry.hpp"
#include "pipeline/store/outbox.h"

namespace ferry::api {
namespace {

using testing::HasSubstr;

class TablesApiTest : public testing::Test {
 protected:
  // An outbox in which a task has declared a table.
  void SetUp() override {
    path_ = testing::TempDir() + "ferry_tables_" + std::to_string(getpid()) + ".db";
    auto outbox = store::OpenOutbox(path_, sys::SystemRandom());
    ASSERT_TRUE(outbox.ok()) << outbox.status().ToString();
    const auto items = table::DefinitionFromJson(*ParseJson(
        R"({"name":"items","key":["shop","item"],
            "columns":{"shop":"text","item":"int","price":"float"}})"));
    ASSERT_TRUE((*outbox)->tables().Declare(*items).ok());
    options_.size = sizeof(options_);
    options_.outbox_path = path_.c_str();
  }
  void TearDown() override {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + end);
  }

  std::string path_;
  ferry_options options_{};
};

TEST_F(TablesApiTest, WritesAreSeenAndOutliveTheRuntime) {
  {
    Runtime runtime({}, &options_);
    EXPECT_EQ(runtime.GetRow("", "items", R"(["a",1])"), "null") << Runtime::error();
    ASSERT_TRUE(runtime.PutRow("", "items", R"({"shop":"a","item":1,"price":2})"))
        << Runtime::error();
    ASSERT_TRUE(runtime.PutRow("", "items", R"({"shop":"a","item":2})"));
    ASSERT_TRUE(runtime.PutRow("", "items", R"({"shop":"b","item":1})"));
    ASSERT_TRUE(runtime.DeleteRow("", "items", R"(["b",1])"));
    EXPECT_EQ(runtime.GetRow("", "items", R"(["a",1])"), R"({"item":1,"price":2.0,"shop":"a"})");
  }
  Runtime runtime({}, &options_);
  EXPECT_EQ(runtime.RangeOfRows("", "items"),
            R"([{"item":1,"price":2.0,"shop":"a"},{"item":2,"price":null,"shop":"a"}])");
  EXPECT_EQ(runtime.RangeOfRows("", "items", R"({"prefix":["a"],"limit":1,"descending":true})"),
            R"([{"item":2,"price":null,"shop":"a"}])");
  EXPECT_EQ(runtime.RangeOfRows("", "items", R"({"prefix":["b"]})"), "[]");
}

TEST_F(TablesApiTest, ErrorsNameThePlace) {
  Runtime runtime({}, &options_);
  const auto fails = [&](int code, bool done) {
    EXPECT_FALSE(done);
    EXPECT_EQ(Runtime::code(), code);
    return Runtime::error();
  };
  EXPECT_THAT(fails(FERRY_kNotFound, runtime.PutRow("", "none", "{}")), HasSubstr("none"));
  EXPECT_THAT(fails(FERRY_kNotFound, runtime.PutRow("shop", "items", "{}")), HasSubstr("shop"));
  EXPECT_THAT(fails(FERRY_kInvalidArgument,
                    runtime.PutRow("", "items", R"({"shop":"a","item":1,"price":"x"})")),
              HasSubstr("price"));
  EXPECT_THAT(fails(FERRY_kMalformed, runtime.PutRow("", "items", "{")), HasSubstr("row_json"));
  EXPECT_THAT(fails(FERRY_kMalformed, runtime.DeleteRow("", "items", "{}")), HasSubstr("key_json"));
  EXPECT_THAT(fails(FERRY_kInvalidArgument, runtime.DeleteRow("", "items", R"(["a"])")),
              HasSubstr("1 values for a key of 2"));
  EXPECT_THAT(
      fails(FERRY_kMalformed, runtime.RangeOfRows("", "items", R"({"limits":1})").has_value()),
      HasSubstr("limits"));
  fails(FERRY_kInvalidArgument, runtime.RangeOfRows("", "items", R"({"limit":-1})").has_value());
  Runtime bare;
  fails(FERRY_kUnavailable, bare.PutRow("", "items", "{}"));
}

TEST_F(TablesApiTest, NullArgumentsAreErrors) {
  char* text = nullptr;
  EXPECT_EQ(ferry_table_get(nullptr, "", "t", "[]", &text), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_table_get(nullptr, "", "t", "[]", nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_table_put(nullptr, "", "t", "{}"), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_table_delete(nullptr, "", "t", "[]"), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_table_range(nullptr, "", "t", nullptr, &text), FERRY_kInvalidArgument);
  ferry_runtime* runtime = nullptr;
  ASSERT_EQ(ferry_runtime_create(&options_, nullptr, nullptr, &runtime), FERRY_kOk);
  EXPECT_EQ(ferry_table_get(runtime, nullptr, nullptr, "[]", &text), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_table_get(runtime, nullptr, "items", nullptr, &text), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_table_put(runtime, nullptr, "items", nullptr), FERRY_kInvalidArgument);
  EXPECT_EQ(ferry_table_range(runtime, nullptr, "items", nullptr, &text), FERRY_kOk);
  EXPECT_STREQ(text, "[]");
  ferry_string_free(text);
  ferry_runtime_destroy(runtime);
}

}  // namespace
}  // namespace ferry::api
