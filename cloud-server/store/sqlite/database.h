// One connection to SQLite: the only file that sees its C interface is database.cc. One thread at a
// time.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cloud-server/store/sql/connection.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ferry::server {

class Database : public Connection {
 public:
  enum class Mode { kReadWrite, kReadOnly, kMemory, kAlone };
  // Errors name the path; kMalformed when the file is no database. kAlone: kReadWrite for a single
  // connection on `vfs`, which may share no memory.
  static Result<std::unique_ptr<Database>> Open(const std::string& path, Mode mode,
                                                const char* vfs = nullptr);
  ~Database() override;
  Database(const Database&) = delete;

  Dialect dialect() const override { return Dialect::kSqlite; }
  Status Script(const std::string& sql) override;
  Status QueryList(const char* sql, std::span<const Value> values,
                   const std::function<Status(Row&)>& row) override;
  int64_t changes() const override;
  Status OverwriteDeleted(bool on) override;
  // Copies all of it, as it is at one moment, into the empty file `path`, while others may write.
  // `progress` (may be null) hears the pages that are done and all of them.
  Status CopyTo(const std::string& path, const std::function<void(int64_t, int64_t)>& progress);
  // From now on Run and Query fail with kPermissionDenied for what would write.
  void RefuseWrites(bool refuse) { refuses_writes_ = refuse; }

 private:
  explicit Database(sqlite3* handle, std::string path);
  Result<sqlite3_stmt*> Prepare(const char* sql);
  Status Bind(sqlite3_stmt* statement, std::span<const Value> values);
  Status Failure(int code, std::string_view what) const;

  sqlite3* handle_;
  std::string path_;
  bool refuses_writes_ = false;
  std::map<const char*, sqlite3_stmt*> prepared_;  // by the literal's address
};

}  // namespace ferry::server
