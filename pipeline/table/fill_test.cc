// Tables that packages fill, beside a map that remembers who wrote each row.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <random>

#include "pipeline/sqlite/sqlite.h"
#include "pipeline/table/tables.h"

namespace ferry::table {
namespace {

using testing::HasSubstr;

class FillTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sqlite3_open(":memory:", &db_), SQLITE_OK);
    Reopen();
    Declare(R"({"name":"t","key":["k"],"columns":{"k":"int","v":"int"}})");
  }
  void TearDown() override {
    tables_ = nullptr;
    sqlite3_close_v2(db_);
  }
  void Reopen() {
    tables_ = std::make_unique<Tables>();
    ASSERT_TRUE(tables_->Load(db_, &lock_).ok());
  }
  void Declare(const char* json) {
    const auto definition = DefinitionFromJson(*ParseJson(json));
    ASSERT_TRUE(definition.ok() && tables_->Declare(*definition).ok());
  }
  void Write(int64_t key, std::optional<int64_t> value) {
    Batch batch(*tables_);
    ASSERT_TRUE(
        (value ? batch.Put("t", {{"k", key}, {"v", *value}}) : batch.Delete("t", {key})).ok());
    Batch* const batches[] = {&batch};
    ASSERT_TRUE(sqlite::Transact(db_, [&] { return tables_->Apply(batches, 0); }).ok());
    tables_->Settle(true);
  }
  std::map<int64_t, int64_t> Rows() {
    Batch batch(*tables_);
    std::map<int64_t, int64_t> out;
    const auto rows = batch.Range("t", {});
    EXPECT_TRUE(rows.ok());
    for (const Json& row : *rows) out[row["k"]] = row["v"];
    EXPECT_EQ(tables_->stats()[0].rows, static_cast<int64_t>(out.size()));
    return out;
  }
  static std::vector<Json> Make(const std::map<int64_t, int64_t>& rows) {
    std::vector<Json> out;
    for (const auto& [key, value] : rows) out.push_back({{"k", key}, {"v", value}});
    return out;
  }

  using Map = std::map<int64_t, int64_t>;
  sqlite3* db_ = nullptr;
  std::recursive_mutex lock_;
  std::unique_ptr<Tables> tables_;
};

TEST_F(FillTest, ANewVersionReplacesWhatTheOldOneBroughtAndNothingElse) {
  Write(9, 90);
  auto counts = tables_->Fill("t", "p", "one", Make({{1, 1}, {2, 2}, {3, 3}, {9, 9}}), 0);
  ASSERT_TRUE(counts.ok()) << counts.status().ToString();
  EXPECT_EQ(counts->brought, 3);
  EXPECT_EQ(counts->kept, 1);
  EXPECT_EQ(Rows(), (Map{{1, 1}, {2, 2}, {3, 3}, {9, 90}}));
  Write(2, 20);            // now the user's
  Write(3, std::nullopt);  // taken away: comes back with the next version
  counts = tables_->Fill("t", "p", "one", Make({{1, 1}}), 0);
  ASSERT_TRUE(counts.ok() && counts->same);
  EXPECT_EQ(Rows(), (Map{{1, 1}, {2, 20}, {9, 90}}));
  counts = tables_->Fill("t", "p", "two", Make({{2, 5}, {3, 5}, {4, 5}}), 0);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->removed, 1);
  EXPECT_EQ(Rows(), (Map{{2, 20}, {3, 5}, {4, 5}, {9, 90}}));
  ASSERT_TRUE(tables_->Fill("t", "p", "three", {}, 0).ok());
  EXPECT_EQ(Rows(), (Map{{2, 20}, {9, 90}}));
}

TEST_F(FillTest, AgreesWithAMap) {
  struct Owned {
    int64_t value = 0;
    bool brought = false;
  };
  std::mt19937 random(5);
  std::map<int64_t, Owned> model;
  for (int round = 0; round < 400; ++round) {
    const int64_t key = random() % 12, value = random() % 1000;
    switch (random() % 4) {
      case 0:
        Write(key, std::nullopt);
        model.erase(key);
        break;
      case 1:
        Write(key, value);
        model[key] = {value, false};
        break;
      case 2:
        Reopen();
        break;
      default: {
        Map rows;
        for (uint32_t k = random() % 8; k > 0; --k) rows[random() % 12] = random() % 1000;
        const auto counts = tables_->Fill("t", "p", std::to_string(round), Make(rows), 0);
        ASSERT_TRUE(counts.ok()) << counts.status().ToString();
        std::erase_if(model, [](const auto& one) { return one.second.brought; });
        for (const auto& [at, what] : rows) model.insert({at, {what, true}});
      }
    }
    Map expected;
    for (const auto& [at, one] : model) expected[at] = one.value;
    ASSERT_EQ(Rows(), expected) << round;
  }
}

// A number of a write is not given twice, also when the row that had the highest is gone.
TEST_F(FillTest, AUsersRowInThePlaceOfADeletedOneStaysAfterARestart) {
  ASSERT_TRUE(tables_->Fill("t", "p", "one", Make({{1, 1}}), 0).ok());
  Write(1, std::nullopt);
  Reopen();
  Write(1, 10);
  ASSERT_TRUE(tables_->Fill("t", "p", "two", {}, 0).ok());
  EXPECT_EQ(Rows(), (Map{{1, 10}}));
}

TEST_F(FillTest, PackagesTakeNothingFromEachOther) {
  ASSERT_TRUE(tables_->Fill("t", "p", "one", Make({{1, 1}, {2, 1}}), 0).ok());
  ASSERT_TRUE(tables_->Fill("t", "q", "one", Make({{2, 2}, {3, 2}}), 0).ok());
  EXPECT_EQ(Rows(), (Map{{1, 1}, {2, 1}, {3, 2}}));
  EXPECT_TRUE(*tables_->IsFilled("t", "p", "one"));
  EXPECT_FALSE(*tables_->IsFilled("t", "q", "two"));
  ASSERT_TRUE(tables_->Fill("t", "p", "two", {}, 0).ok());
  EXPECT_EQ(Rows(), (Map{{3, 2}}));
}

TEST_F(FillTest, ATableThatBeganAnewIsFilledAgain) {
  ASSERT_TRUE(tables_->Fill("t", "p", "one", Make({{1, 1}}), 0).ok());
  Declare(R"({"name":"t","key":["k"],"columns":{"k":"int","v":"float"}})");
  EXPECT_TRUE(Rows().empty());
  const auto counts = tables_->Fill("t", "p", "one", Make({{1, 1}}), 0);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->brought, 1);
  ASSERT_TRUE(tables_->Drop("t").ok());
  Declare(R"({"name":"t","key":["k"],"columns":{"k":"int","v":"int"}})");
  EXPECT_FALSE(tables_->Fill("t", "p", "one", Make({{1, 1}}), 0)->same);
}

TEST_F(FillTest, AnErrorLeavesEverythingAsItWas) {
  ASSERT_TRUE(tables_->Fill("t", "p", "one", Make({{1, 1}}), 0).ok());
  const std::vector<Json> bad = {{{"k", 2}, {"v", 2}}, {{"k", 3}, {"v", "x"}}};
  EXPECT_THAT(tables_->Fill("t", "p", "two", bad, 0).status().message(), HasSubstr("column v"));
  EXPECT_EQ(tables_->Fill("none", "p", "two", {}, 0).code(), Code::kNotFound);
  EXPECT_EQ(Rows(), (Map{{1, 1}}));
  Declare(R"({"name":"t","key":["k"],"columns":{"k":"int","v":"int"},"retention":{"rows":2}})");
  EXPECT_EQ(tables_->Fill("t", "p", "two", Make({{1, 1}, {2, 2}, {3, 3}}), 0).code(),
            Code::kLimitExceeded);
  EXPECT_EQ(Rows(), (Map{{1, 1}}));
  ASSERT_TRUE(sqlite::Execute(db_,
                              "CREATE TRIGGER no BEFORE INSERT ON collective_fill "
                              "BEGIN SELECT RAISE(ABORT, 'no'); END")
                  .ok());
  EXPECT_FALSE(tables_->Fill("t", "p", "two", Make({{5, 5}}), 0).ok());
  EXPECT_EQ(Rows(), (Map{{1, 1}}));
  ASSERT_TRUE(sqlite::Execute(db_, "DROP TRIGGER no").ok());
  ASSERT_TRUE(tables_->Fill("t", "p", "two", Make({{5, 5}}), 0).ok());
  EXPECT_EQ(Rows(), (Map{{5, 5}}));
}

}  // namespace
}  // namespace ferry::table
