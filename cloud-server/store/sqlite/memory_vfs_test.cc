#include "cloud-server/store/sqlite/memory_vfs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>

namespace ferry::server {
namespace {

class MemoryVfsTest : public ::testing::Test {
 protected:
  MemoryVfsTest() {
    EXPECT_EQ(sqlite3_open_v2("memory", &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                              MemoryVfs()),
              SQLITE_OK);
  }
  ~MemoryVfsTest() override { sqlite3_close(handle_); }

  void Run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(handle_);
  }
  std::string Ask(const std::string& sql) {
    std::string answer;
    const auto take = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0] != nullptr ? values[0] : "";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(handle_, sql.c_str(), take, &answer, nullptr), SQLITE_OK) << sql;
    return answer;
  }

  sqlite3* handle_ = nullptr;
};

TEST_F(MemoryVfsTest, RowsSpanBlocksAndFilesShrinkAndGrowAgain) {
  // Pages leave a cache of 20 at once.
  Run("PRAGMA journal_mode = MEMORY; PRAGMA cache_size = 20; CREATE TABLE t (n INTEGER, b BLOB)");
  const std::string fill =
      "WITH RECURSIVE c (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 4000) "
      "INSERT INTO t SELECT n, CAST(printf('%01000d', n) AS BLOB) FROM c";
  Run(fill);
  EXPECT_GT(std::stoll(Ask("PRAGMA page_count")) * 4096, 3 << 20);
  EXPECT_EQ(Ask("PRAGMA integrity_check"), "ok");
  Run("DELETE FROM t WHERE n > 10; VACUUM");
  EXPECT_LT(std::stoll(Ask("PRAGMA page_count")), 20);
  Run(fill);
  EXPECT_EQ(Ask("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(Ask("SELECT sum(CAST(CAST(b AS TEXT) AS INTEGER) = n) FROM t"), "4010");
}

TEST_F(MemoryVfsTest, WhatWasRolledBackIsGone) {
  Run("PRAGMA journal_mode = MEMORY; CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)");
  Run("BEGIN; INSERT INTO t VALUES (2); ROLLBACK");
  EXPECT_EQ(Ask("SELECT group_concat(n) FROM t"), "1");
}

TEST_F(MemoryVfsTest, EachConnectionHasAFileOfItsOwn) {
  Run("CREATE TABLE t (n INTEGER)");
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open_v2("memory", &other, SQLITE_OPEN_READWRITE, MemoryVfs()), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(other, "SELECT * FROM t", nullptr, nullptr, nullptr), SQLITE_ERROR);
  sqlite3_close(other);
}

}  // namespace
}  // namespace ferry::server
