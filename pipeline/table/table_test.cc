// Tables beside a plain map; types, limits, retention, changed definitions.
#include "pipeline/table/tables.h"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <random>

#include "pipeline/sqlite/sqlite.h"

namespace ferry::table {
namespace {

using testing::HasSubstr;

Definition Make(const char* json) {
  auto definition = DefinitionFromJson(*ParseJson(json));
  EXPECT_TRUE(definition.ok()) << definition.status().ToString();
  return *definition;
}

constexpr char kItems[] =
    R"({"name":"items","key":["shop","item"],"columns":{"shop":"text","item":"int",
        "price":"float","new":"bool","more":"json"}})";

class TableTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK);
    Reopen();
  }
  void TearDown() override {
    tables_ = nullptr;
    sqlite3_close_v2(db_);
  }
  void Reopen() {
    tables_ = std::make_unique<Tables>();
    ASSERT_TRUE(tables_->Load(db_, &lock_).ok());
  }
  Status Commit(Batch& batch, int64_t now_ms = 0, bool fail = false) {
    Batch* const batches[] = {&batch};
    const Status status = sqlite::Transact(db_, [&]() -> Status {
      FERRY_TRY(tables_->Apply(batches, now_ms));
      return fail ? Status(Code::kInternal, "injected") : OkStatus();
    });
    tables_->Settle(status.ok());
    return status;
  }

  sqlite3* db_ = nullptr;
  std::recursive_mutex lock_;
  std::unique_ptr<Tables> tables_;
};

TEST_F(TableTest, ABatchSeesItsOwnWritesAndOthersSeeThemAfterTheCommit) {
  ASSERT_TRUE(tables_->Declare(Make(kItems)).ok());
  Batch batch(*tables_), other(*tables_);
  const Json row = *ParseJson(R"({"shop":"a","item":1,"price":2,"more":[1,"x"]})");
  ASSERT_TRUE(batch.Put("items", row).ok());
  const Json whole = *ParseJson(R"({"shop":"a","item":1,"price":2.0,"new":null,"more":[1,"x"]})");
  EXPECT_EQ(*batch.Get("items", {"a", 1}), whole);
  EXPECT_TRUE(other.Get("items", {"a", 1})->is_null());
  EXPECT_FALSE(Commit(batch, 0, true).ok());
  EXPECT_TRUE(other.Get("items", {"a", 1})->is_null());
  EXPECT_EQ(tables_->stats()[0].rows, 0);
  ASSERT_TRUE(Commit(batch).ok());
  EXPECT_EQ(*other.Get("items", {"a", 1}), whole);
  ASSERT_TRUE(other.Delete("items", {"a", 1}).ok());
  EXPECT_TRUE(other.Get("items", {"a", 1})->is_null());
  EXPECT_TRUE(other.Range("items", {})->empty());
  ASSERT_TRUE(Commit(other).ok());
  EXPECT_EQ(tables_->bytes(), 0);
}

TEST_F(TableTest, AgreesWithAMap) {
  ASSERT_TRUE(tables_->Declare(Make(kItems)).ok());
  std::mt19937 random(3);
  std::map<std::pair<std::string, int64_t>, double> model;
  const std::vector<std::string> shops = {"", "a", std::string("a\0", 2), "a\x01", "b", "\xc3\xa9"};
  for (int round = 0; round < 300; ++round) {
    Batch batch(*tables_);
    auto next = model;
    for (uint32_t k = random() % 6; k > 0; --k) {
      const std::string shop = shops[random() % shops.size()];
      const int64_t item = static_cast<int64_t>(random() % 7) - 3;
      if (random() % 3 == 0) {
        ASSERT_TRUE(batch.Delete("items", {shop, item}).ok());
        next.erase({shop, item});
      } else {
        const double price = random() % 100 / 4.0;
        ASSERT_TRUE(batch.Put("items", {{"shop", shop}, {"item", item}, {"price", price}}).ok());
        next[{shop, item}] = price;
      }
    }
    const std::string shop = shops[random() % shops.size()];
    const bool all = random() % 3 == 0;
    const RangeQuery query = {.prefix = all ? std::vector<Json>() : std::vector<Json>{shop},
                              .limit = random() % 9,
                              .descending = random() % 2 == 0};
    std::vector<Json> expected;
    for (const auto& [key, price] : next)
      if (all || key.first == shop) expected.push_back({key.first, key.second, price});
    if (query.descending) std::reverse(expected.begin(), expected.end());
    if (expected.size() > query.limit) expected.resize(query.limit);
    const auto rows = batch.Range("items", query);
    ASSERT_TRUE(rows.ok());
    std::vector<Json> got;
    for (const Json& row : *rows) got.push_back({row["shop"], row["item"], row["price"]});
    ASSERT_EQ(got, expected) << round;
    if (random() % 4 == 0) continue;  // the run failed: its batch is dropped
    ASSERT_TRUE(Commit(batch).ok());
    model = std::move(next);
    if (random() % 20 == 0) Reopen();
    ASSERT_EQ(tables_->stats()[0].rows, static_cast<int64_t>(model.size()));
  }
}

TEST_F(TableTest, ErrorsNameTheColumn) {
  ASSERT_TRUE(tables_->Declare(Make(kItems)).ok());
  Batch batch(*tables_);
  const auto refused = [&](const Json& row, const char* text) {
    const Status status = batch.Put("items", row);
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(text));
  };
  refused({{"shop", "a"}, {"item", "1"}}, "items, column item: int is expected, not string");
  refused({{"shop", "a"}, {"item", 1.0}}, "column item");
  refused({{"shop", "a"}, {"item", UINT64_MAX}}, "column item");
  refused({{"shop", nullptr}, {"item", 1}}, "column shop");
  refused({{"shop", "a"}}, "column item");
  refused({{"shop", "a"}, {"item", 1}, {"prize", 1}}, "no column prize");
  refused({{"shop", "a"}, {"item", 1}, {"new", 1}}, "column new: bool");
  EXPECT_EQ(batch.Put("none", {}).code(), Code::kNotFound);
  EXPECT_EQ(batch.Get("items", {"a"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(batch.Range("items", {.prefix = {1}}).code(), Code::kInvalidArgument);
  EXPECT_TRUE(batch.empty());
}

TEST_F(TableTest, BadDefinitions) {
  for (const char* json :
       {R"({"name":"t","key":["a"],"columns":{}})",
        R"({"name":"t","key":[],"columns":{"a":"int"}})",
        R"({"name":"t","key":["b"],"columns":{"a":"int"}})",
        R"({"name":"t","key":["a","a"],"columns":{"a":"int"}})",
        R"({"name":"t","key":["a"],"columns":{"a":"json"}})",
        R"({"name":"t","key":["a"],"columns":{"a":"number"}})",
        R"({"name":"t x","key":["a"],"columns":{"a":"int"}})",
        R"({"name":"t","key":["a"],"columns":{"a":"int"},"retain":{}})",
        R"({"name":"t","key":["a"],"columns":{"a":"int"},"retention":{"row":1}})",
        R"({"name":"t","key":["a"],"columns":{"a":"int"},"retention":{"rows":0}})", "[]"})
    EXPECT_FALSE(DefinitionFromJson(*ParseJson(json)).ok()) << json;
  const Definition items = Make(kItems);
  EXPECT_EQ(DefinitionToJson(*DefinitionFromJson(DefinitionToJson(items))),
            DefinitionToJson(items));
}

TEST_F(TableTest, RetentionDropsWhatWasWrittenFirst) {
  ASSERT_TRUE(tables_
                  ->Declare(Make(R"({"name":"t","key":["k"],"columns":{"k":"int"},
      "retention":{"rows":3,"age_ms":100}})"))
                  .ok());
  Batch batch(*tables_);
  const auto put = [&](std::initializer_list<int> keys, int64_t now_ms) {
    for (const int key : keys) {
      batch.Clear();
      ASSERT_TRUE(batch.Put("t", {{"k", key}}).ok());
      ASSERT_TRUE(Commit(batch, now_ms).ok());
    }
    batch.Clear();
  };
  put({9, 1, 2, 9, 3}, 10);  // 9 was written again
  std::vector<int> keys;
  const std::vector<Json> rows = *batch.Range("t", {});
  for (const Json& row : rows) keys.push_back(row["k"].get<int>());
  EXPECT_THAT(keys, testing::ElementsAre(2, 3, 9));
  put({4}, 111);
  EXPECT_EQ(batch.Range("t", {})->size(), 1u);
  EXPECT_EQ(tables_->stats()[0].expired, 4);
}

TEST_F(TableTest, AddedColumnsKeepRowsOtherChangesDoNot) {
  const auto declare = [&](const char* columns, const char* key) {
    return *tables_->Declare(
        Make((std::string(R"({"name":"t","key":[")") + key + R"("],"columns":{)" + columns + "}}")
                 .c_str()));
  };
  EXPECT_FALSE(declare(R"("a":"int")", "a"));
  Batch batch(*tables_);
  ASSERT_TRUE(batch.Put("t", {{"a", 1}}).ok());
  ASSERT_TRUE(Commit(batch).ok());
  batch.Clear();
  EXPECT_FALSE(declare(R"("a":"int","b":"text")", "a"));
  Reopen();
  Batch later(*tables_);
  EXPECT_EQ(*later.Get("t", {1}), Json({{"a", 1}, {"b", nullptr}}));
  EXPECT_TRUE(declare(R"("a":"int","b":"int")", "a"));
  EXPECT_TRUE(later.Get("t", {1})->is_null());
  EXPECT_TRUE(declare(R"("a":"int","b":"int")", "b"));
  EXPECT_EQ(tables_->stats()[0].resets, 2);
  ASSERT_TRUE(tables_->Drop("t").ok());
  EXPECT_EQ(tables_->Drop("t").code(), Code::kNotFound);
}

TEST_F(TableTest, Limits) {
  ASSERT_TRUE(tables_
                  ->Declare(Make(R"({"name":"t","key":["k"],
      "columns":{"k":"text","v":"text"}})"))
                  .ok());
  Batch batch(*tables_);
  const std::string key(kMaxKeyBytes - 2, 'k');  // two bytes end it
  EXPECT_TRUE(batch.Put("t", {{"k", key}}).ok());
  EXPECT_EQ(batch.Put("t", {{"k", key + "k"}}).code(), Code::kLimitExceeded);
  const std::string value(kMaxTableRowBytes - std::string(R"({"k":"a","v":""})").size(), 'v');
  EXPECT_TRUE(batch.Put("t", {{"k", "a"}, {"v", value}}).ok());
  EXPECT_EQ(batch.Put("t", {{"k", "a"}, {"v", value + "v"}}).code(), Code::kLimitExceeded);
  Status status;
  while ((status = batch.Put("t", {{"k", "a"}, {"v", value}})).ok()) {
  }
  EXPECT_EQ(status.code(), Code::kLimitExceeded);
  EXPECT_LE(batch.bytes(), kMaxBatchBytes);
  for (size_t k = 1; k < kMaxTables; ++k) {
    Definition one = Make(R"({"name":"t","key":["k"],"columns":{"k":"int"}})");
    one.name += std::to_string(k);
    ASSERT_TRUE(tables_->Declare(one).ok());
  }
  EXPECT_EQ(tables_->Declare(Make(R"({"name":"u","key":["k"],"columns":{"k":"int"}})")).code(),
            Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::table
