// Stores for tests: each test of the store runs in memory, in a file and on PostgreSQL.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "cloud-server/store/postgres/scratch_postgres.h"
#include "cloud-server/store/sqlite/sqlite_store.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

enum class StorePlace { kMemory, kFile, kPostgres };

inline std::string NameOfPlace(const testing::TestParamInfo<StorePlace>& info) {
  switch (info.param) {
    case StorePlace::kMemory:
      return "Memory";
    case StorePlace::kFile:
      return "File";
    case StorePlace::kPostgres:
      break;
  }
  return "Postgres";
}

class StoreTest : public testing::TestWithParam<StorePlace> {
 protected:
  void SetUp() override {
    if (GetParam() == StorePlace::kMemory) {
      Result<std::unique_ptr<Store>> opened = OpenMemoryStore();
      ASSERT_TRUE(opened.ok()) << opened.status().ToString();
      store_ = std::move(*opened);
      return;
    }
    if (GetParam() == StorePlace::kFile) {
      folder_ = testing::TempDir() + "ferry_store_" + std::to_string(getpid());
      ASSERT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok());
      ASSERT_TRUE(sys::SystemFileSystem().MakeDirectories(folder_).ok());
    } else {
      const Result<ScratchPostgres*> scratch = ScratchPostgres::Get();
      if (scratch.code() == Code::kUnsupported) GTEST_SKIP() << scratch.status().ToString();
      ASSERT_TRUE(scratch.ok()) << scratch.status().ToString();
      scratch_ = *scratch;
      const Result<std::string> made = scratch_->NewDatabase();
      ASSERT_TRUE(made.ok()) << made.status().ToString();
      url_ = *made;
    }
    Reopen();
  }
  void TearDown() override {
    store_.reset();
    if (!folder_.empty()) {
      EXPECT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok());
    }
    if (!url_.empty()) {
      EXPECT_TRUE(scratch_->Remove(url_).ok());
    }
  }
  // What is in a file or on a server, in another object.
  Result<std::unique_ptr<Store>> OpenAgain(PostgresOptions options = {}) {
    return url_.empty() ? OpenSqliteStore(folder_ + "/ferry.db") : OpenPostgresStore(url_, options);
  }
  void Reopen() {
    store_.reset();
    Result<std::unique_ptr<Store>> opened = OpenAgain();
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = std::move(*opened);
  }
  std::string folder_;  // of a file
  ScratchPostgres* scratch_ = nullptr;
  std::string url_;  // on PostgreSQL
  std::unique_ptr<Store> store_;
};

}  // namespace ferry::server
