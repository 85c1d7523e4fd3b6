// Programs of two releases on one database: the newer one brings the schema on while the older one
// writes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "cloud-server/store/postgres/migrations.h"
#include "cloud-server/store/postgres/postgres_store.h"
#include "cloud-server/store/postgres/scratch_postgres.h"

namespace ferry::server {
namespace {

constexpr const char* kColumns =
    "SELECT c.relname::TEXT, a.attname::TEXT, t.typname::TEXT FROM pg_class AS c "
    "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "AND a.attidentity <> 'a' AND a.attgenerated = '' "
    "JOIN pg_type AS t ON t.oid = a.atttypid WHERE c.relkind = 'r' "
    "AND c.relnamespace = current_schema()::regnamespace "
    "AND c.relname NOT IN ('cluster', 'ferry_schema', 'server_life', 'node') "
    "ORDER BY c.relname, a.attnum";
constexpr const char* kParents =
    "SELECT DISTINCT child.relname::TEXT, parent.relname::TEXT FROM pg_constraint AS f "
    "JOIN pg_class AS child ON child.oid = f.conrelid "
    "JOIN pg_class AS parent ON parent.oid = f.confrelid "
    "WHERE f.contype = 'f' AND child.oid <> parent.oid";

struct Table {
  std::string name;
  std::string columns, values, same;  // as INSERT and UPDATE take them
};

// What a program of one schema writes: a row of each table, in an order that their keys allow. All
// texts are alike and all numbers are 1, so that every row refers to rows that are there.
class OldProgram {
 public:
  explicit OldProgram(std::unique_ptr<PostgresConnection> sql) : sql_(std::move(sql)) {}

  Status Learn() {
    std::map<std::string, Table> known;
    FERRY_TRY(sql_->Query(kColumns, {}, [&](Row& row) {
      const std::string name = row.NextText(), column = '"' + row.NextText() + '"';
      const std::string type = row.NextText();
      const char* value = type == "text" ? "'1'" : type == "bytea" ? "'\\x31'" : "1";
      Table& table = known[name];
      table.name = name;
      const char* comma = table.columns.empty() ? "" : ", ";
      table.columns += comma + column;
      table.values += std::string(comma) + value;
      table.same += comma + column + " = " + column;
      return OkStatus();
    }));
    std::map<std::string, std::set<std::string>> parents;
    FERRY_TRY(sql_->Query(kParents, {}, [&](Row& row) {
      const std::string child = row.NextText();
      parents[child].insert(row.NextText());
      return OkStatus();
    }));
    std::set<std::string> placed;
    while (placed.size() < known.size()) {
      const size_t before = placed.size();
      for (const auto& [name, table] : known) {
        if (placed.contains(name)) continue;
        const bool ready = std::ranges::all_of(
            parents[name], [&](const std::string& parent) { return placed.contains(parent); });
        if (!ready) continue;
        placed.insert(name);
        tables_.push_back(table);
      }
      if (placed.size() == before) return Status(Code::kInternal, "keys go around in a circle");
    }
    return OkStatus();
  }

  // Takes all rows away and writes them again, changes each, and reads it by its columns.
  Status Work() {
    std::string script = "BEGIN;";
    for (auto table = tables_.rbegin(); table != tables_.rend(); ++table)
      script += fmt::format("DELETE FROM \"{}\";", table->name);
    for (const Table& table : tables_)
      script += fmt::format(
          "INSERT INTO \"{0}\" ({1}) VALUES ({2}) ON CONFLICT DO NOTHING;"
          "UPDATE \"{0}\" SET {3}; DO $$ BEGIN PERFORM {1} FROM \"{0}\"; END $$;",
          table.name, table.columns, table.values, table.same);
    return sql_->Script(script + "COMMIT;");
  }
  Result<int64_t> RowsAtAll() {
    int64_t rows = 0;
    for (const Table& table : tables_) {
      const Result<std::string> count =
          sql_->Ask(fmt::format("SELECT count(*) FROM \"{}\"", table.name));
      if (!count.ok()) return count.status();
      rows += std::strtoll(count->c_str(), nullptr, 10) > 0 ? 1 : 0;
    }
    return rows;
  }
  size_t tables() const { return tables_.size(); }

 private:
  std::unique_ptr<PostgresConnection> sql_;
  std::vector<Table> tables_;
};

std::vector<Migration> StepsUpTo(int64_t number) {
  std::vector<Migration> steps = PostgresMigrations();
  steps.resize(static_cast<size_t>(number));
  return steps;
}

// The next release, whose step does `sql` and serves programs from schema `serves` on.
std::vector<Migration> WithStep(const char* sql, int64_t serves) {
  std::vector<Migration> steps = PostgresMigrations();
  steps.push_back({steps.back().number + 1, "next", sql, serves});
  return steps;
}

class SidesTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<ScratchPostgres*> scratch = ScratchPostgres::Get();
    if (scratch.code() == Code::kUnsupported) GTEST_SKIP() << scratch.status().ToString();
    ASSERT_TRUE(scratch.ok()) << scratch.status().ToString();
    scratch_ = *scratch;
  }
  void TearDown() override {
    for (const std::string& url : urls_) EXPECT_TRUE(scratch_->Remove(url).ok());
  }
  std::string Database(int64_t schema) {
    const Result<std::string> url = scratch_->NewDatabase(false);
    EXPECT_TRUE(url.ok()) << url.status().ToString();
    urls_.push_back(*url);
    const Status made = MigratePostgres(*Connect(*url), StepsUpTo(schema));
    EXPECT_TRUE(made.ok()) << made.ToString();
    return *url;
  }
  static std::unique_ptr<PostgresConnection> Connect(const std::string& url) {
    return std::move(*PostgresConnection::Open(url));
  }
  static int64_t Newest() { return PostgresMigrations().back().number; }

  ScratchPostgres* scratch_ = nullptr;
  std::vector<std::string> urls_;
};

TEST_F(SidesTest, EveryReleasedSchemaGoesOnToTheNewestWhileItsProgramsWrite) {
  for (int64_t old = 1; old < Newest(); ++old) {
    SCOPED_TRACE(fmt::format("from schema {}", old));
    // Steps that came out together have no programs of their own.
    const std::vector<Migration>& steps = PostgresMigrations();
    const bool served = std::all_of(steps.begin() + old, steps.end(),
                                    [&](const Migration& step) { return step.serves <= old; });
    if (!served) continue;
    const std::string url = Database(old);
    OldProgram program(Connect(url));
    ASSERT_TRUE(program.Learn().ok());
    ASSERT_GT(program.tables(), 30U);
    const Status first = program.Work();
    ASSERT_TRUE(first.ok()) << first.ToString();
    std::atomic<bool> done = false;
    Status failed;
    int64_t worked = 0;
    std::thread beside([&] {
      while (failed.ok() && (!done || worked < 3)) {
        failed = program.Work();
        ++worked;
      }
    });
    const Status brought = MigratePostgres(*Connect(url));
    done = true;
    beside.join();
    EXPECT_TRUE(brought.ok()) << brought.ToString();
    EXPECT_TRUE(failed.ok()) << failed.ToString();
    const Status after = program.Work();
    EXPECT_TRUE(after.ok()) << after.ToString();
    EXPECT_EQ(program.RowsAtAll().value(), static_cast<int64_t>(program.tables()))
        << "a table lost its row";
    EXPECT_EQ(PostgresSchema(*Connect(url)).value(), Newest());
  }
}

TEST_F(SidesTest, AProgramGoesOnBesideANewerOneThatServesIt) {
  const std::string url = Database(Newest());
  const auto next =
      WithStep("ALTER TABLE device ADD COLUMN later BIGINT NOT NULL DEFAULT 7", Newest());
  auto store = OpenPostgresStore(url);
  ASSERT_TRUE(store.ok());
  const NodeRow here{"run", "here:1", "0.1.0", Newest(), 5};
  ASSERT_TRUE((*store)->Write([&](Transaction& tx) { return tx.nodes().Arrive(here); }).ok());
  const Status brought = MigratePostgres(*Connect(url), next);
  ASSERT_TRUE(brought.ok()) << brought.ToString();
  // Also when it starts anew.
  store = OpenPostgresStore(url);
  ASSERT_TRUE(store.ok()) << store.status().ToString();
  EXPECT_EQ((*store)->schema_version(), Newest() + 1);
  DeviceRow device;
  device.id = "d1";
  const Status put = (*store)->Write([&](Transaction& tx) { return tx.devices().Put(device); });
  EXPECT_TRUE(put.ok()) << put.ToString();
  EXPECT_TRUE(InspectPostgresStore(url)->problems.empty());
}

TEST_F(SidesTest, AStepThatLeavesANodeBehindWaitsUntilItIsGone) {
  const std::string url = Database(Newest());
  const auto next = WithStep("ALTER TABLE device DROP COLUMN at_rest", Newest() + 1);
  auto store = OpenPostgresStore(url);
  ASSERT_TRUE(store.ok());
  const auto write = [&](const Store::Body& body) { return (*store)->Write(body); };
  const NodeRow here{"run", "here:1", "0.1.0", Newest(), 5};
  ASSERT_TRUE(write([&](Transaction& tx) { return tx.nodes().Beat(here); }).ok());
  const Status refused = MigratePostgres(*Connect(url), next);
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition) << refused.ToString();
  EXPECT_NE(refused.message().find("node here:1 (0.1.0, schema "), std::string::npos)
      << refused.message();
  EXPECT_EQ(PostgresSchema(*Connect(url)).value(), Newest());

  ASSERT_TRUE(write([&](Transaction& tx) { return tx.nodes().Leave("run"); }).ok());
  ASSERT_TRUE(MigratePostgres(*Connect(url), next).ok());
  // One that was taken for gone hears it with its next beat, and cannot start again.
  int64_t served = 0;
  ASSERT_TRUE(write([&](Transaction& tx) -> Status {
                FERRY_TRY(tx.nodes().Beat(here));
                FERRY_ASSIGN_OR_RETURN(served, tx.nodes().OldestServed());
                return OkStatus();
              }).ok());
  EXPECT_EQ(served, Newest() + 1);
  const auto again = OpenPostgresStore(url);
  EXPECT_EQ(again.code(), Code::kUnsupported);
  EXPECT_NE(again.status().message().find("serves programs that know"), std::string::npos)
      << again.status().message();
  EXPECT_FALSE(InspectPostgresStore(url)->problems.empty());
}

TEST_F(SidesTest, AStepWaitsForALongReadWithoutHoldingOthersUp) {
  const std::string url = Database(Newest());
  const auto reader = Connect(url), other = Connect(url);
  ASSERT_TRUE(reader->Script("BEGIN; SELECT count(*) FROM device").ok());
  Status brought;
  std::thread beside([&] {
    brought = MigratePostgres(*Connect(url),
                              WithStep("ALTER TABLE device ADD COLUMN later BIGINT", Newest()));
  });
  // Whoever comes behind the waiting step gets through when it lets go.
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(2'500);
  int reads = 0;
  while (std::chrono::steady_clock::now() < until) {
    ASSERT_TRUE(other->Script("SELECT count(*) FROM device").ok());
    ++reads;
  }
  EXPECT_GE(reads, 2);
  ASSERT_TRUE(reader->Script("COMMIT").ok());
  beside.join();
  EXPECT_TRUE(brought.ok()) << brought.ToString();
}

TEST_F(SidesTest, ARunOfAHostTakesThePlaceOfTheOneBefore) {
  const std::string url = Database(Newest());
  const auto store = std::move(*OpenPostgresStore(url));
  std::vector<NodeRow> nodes;
  ASSERT_TRUE(store
                  ->Write([&](Transaction& tx) -> Status {
                    FERRY_TRY(tx.nodes().Arrive({"first", "here:1", "0.1.0", 11, 5}));
                    FERRY_TRY(tx.nodes().Arrive({"other", "there:1", "0.1.0", 11, 5}));
                    FERRY_TRY(tx.nodes().Arrive({"second", "here:1", "0.2.0", 12, 6}));
                    FERRY_ASSIGN_OR_RETURN(nodes, tx.nodes().All());
                    return OkStatus();
                  })
                  .ok());
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "second");
  EXPECT_EQ(nodes[0].schema, 12);
  EXPECT_EQ(nodes[1].host, "there:1");
  EXPECT_LT(nodes[1].silent_ms, kNodeGoneMs);
}

}  // namespace
}  // namespace ferry::server
