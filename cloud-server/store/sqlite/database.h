// One connection to SQLite: the only file that sees its C interface is database.cc. One thread at a
// time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/bytes.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ferry::server {

// One value to bind: a number, a text or bytes; borrowed until the call returns.
class Value {
 public:
  Value(int64_t number) : number_(number) {}                                // NOLINT: implicit
  Value(uint64_t number) : number_(static_cast<int64_t>(number)) {}         // NOLINT: implicit
  Value(bool flag) : number_(flag ? 1 : 0) {}                               // NOLINT: implicit
  Value(const std::string& text) : kind_(Kind::kText), text_(text) {}       // NOLINT: implicit
  Value(std::string_view text) : kind_(Kind::kText), text_(text) {}         // NOLINT: implicit
  Value(const char* text) : kind_(Kind::kText), text_(text) {}              // NOLINT: implicit
  Value(const Bytes& bytes) : kind_(Kind::kBytes), text_(AsText(bytes)) {}  // NOLINT: implicit

 private:
  friend class Database;
  enum class Kind { kNumber, kText, kBytes };
  Kind kind_ = Kind::kNumber;
  int64_t number_ = 0;
  std::string_view text_;
};

// One row of an answer. Columns from 0, of the types that the (STRICT) table gives them; Next*
// walks them in order.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  int64_t NextInt();
  bool NextBool() { return NextInt() != 0; }
  uint64_t NextUint() { return static_cast<uint64_t>(NextInt()); }
  std::string NextText();
  Bytes NextBytes();

 private:
  sqlite3_stmt* statement_;
  int column_ = 0;
};

class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly, kMemory };
  // Errors name the path; kMalformed when the file is no database.
  static Result<std::unique_ptr<Database>> Open(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;

  // Statements without answers, several at once, unprepared: schema and pragmas.
  Status Script(const std::string& sql);
  // One statement, prepared once a connection. kAlreadyExists for a broken UNIQUE, kNotFound for a
  // broken foreign key, kDiskFull, kUnavailable (locked for too long), kIo, kMalformed.
  Status Run(const char* sql, std::initializer_list<Value> values);
  // Calls `row` for each row of the answer; an error ends it.
  Status Query(const char* sql, std::initializer_list<Value> values,
               const std::function<Status(Row&)>& row);
  // Copies all of it, as it is at one moment, into the empty file `path`, while others may write.
  // `progress` (may be null) hears the pages that are done and all of them.
  Status CopyTo(const std::string& path, const std::function<void(int64_t, int64_t)>& progress);
  // From now on Run and Query fail with kPermissionDenied for what would write.
  void RefuseWrites(bool refuse) { refuses_writes_ = refuse; }
  // Rows that the last Run changed.
  int64_t changes() const;

 private:
  explicit Database(sqlite3* handle, std::string path);
  Result<sqlite3_stmt*> Prepare(const char* sql);
  Status Bind(sqlite3_stmt* statement, std::initializer_list<Value> values);
  Status Failure(int code, std::string_view what) const;

  sqlite3* handle_;
  std::string path_;
  bool refuses_writes_ = false;
  std::map<const char*, sqlite3_stmt*> prepared_;  // by the literal's address
};

}  // namespace ferry::server
