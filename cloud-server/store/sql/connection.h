// One connection to a database that speaks SQL, as the repositories of this folder see it: the same
// statements run on SQLite and on PostgreSQL. sqlite/ and postgres/ implement it. One thread at a
// time.
//
// Statements have parameters ?1, ?2, .. and keep to what both dialects mean alike: the table's name
// before columns that ON CONFLICT reads, COALESCE, CASE, names for subqueries, CAST(.. AS BIGINT)
// around sums, quotes around words of the language. Where there is no common form, Choose.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::server {

// One value to bind: a number, a text or bytes, or a list of these, which PostgreSQL alone takes
// (an array); borrowed until the call returns.
class Value {
 public:
  enum class Kind { kNumber, kText, kBytes, kNumbers, kTexts, kBlobs };
  Value(int64_t number) : number_(number) {}                                // NOLINT: implicit
  Value(uint64_t number) : number_(static_cast<int64_t>(number)) {}         // NOLINT: implicit
  Value(bool flag) : number_(flag ? 1 : 0) {}                               // NOLINT: implicit
  Value(const std::string& text) : kind_(Kind::kText), text_(text) {}       // NOLINT: implicit
  Value(std::string_view text) : kind_(Kind::kText), text_(text) {}         // NOLINT: implicit
  Value(const char* text) : kind_(Kind::kText), text_(text) {}              // NOLINT: implicit
  Value(const Bytes& bytes) : kind_(Kind::kBytes), text_(AsText(bytes)) {}  // NOLINT: implicit
  Value(const std::vector<int64_t>& numbers)                                // NOLINT: implicit
      : kind_(Kind::kNumbers), numbers_(&numbers) {}
  Value(const std::vector<std::string>& texts)  // NOLINT: implicit
      : kind_(Kind::kTexts), texts_(&texts) {}
  // `bytes` as they are, where the list of texts would be one of texts.
  static Value Blobs(const std::vector<std::string>& bytes) {
    Value value(bytes);
    value.kind_ = Kind::kBlobs;
    return value;
  }

  Kind kind() const { return kind_; }
  int64_t number() const { return number_; }
  // Of a text or bytes; its pointer may be null where it is empty.
  std::string_view text() const { return text_; }
  const std::vector<int64_t>& numbers() const { return *numbers_; }
  const std::vector<std::string>& texts() const { return *texts_; }

 private:
  Kind kind_ = Kind::kNumber;
  int64_t number_ = 0;
  std::string_view text_;
  const std::vector<int64_t>* numbers_ = nullptr;
  const std::vector<std::string>* texts_ = nullptr;
};

// One row of an answer. Columns from 0, of the types that the table gives them; Next* walks them in
// order. NULL reads as 0 or as empty.
class Row {
 public:
  virtual ~Row() = default;
  virtual int64_t NextInt() = 0;
  virtual std::string NextText() = 0;
  virtual Bytes NextBytes() = 0;
  bool NextBool() { return NextInt() != 0; }
  uint64_t NextUint() { return static_cast<uint64_t>(NextInt()); }
};

class Connection {
 public:
  enum class Dialect { kSqlite, kPostgres };
  virtual ~Connection() = default;

  virtual Dialect dialect() const = 0;
  // Statements without answers, several at once, unprepared: schema and transactions.
  virtual Status Script(const std::string& sql) = 0;
  // One statement, prepared once a connection and known by the literal's address. kAlreadyExists
  // for a broken UNIQUE, kNotFound for a broken foreign key, kDiskFull, kUnavailable (locked for
  // too long, the connection is gone), kIo, kMalformed. A transaction in which one failed must end
  // without COMMIT: PostgreSQL takes no further statement in it.
  Status Run(const char* sql, std::initializer_list<Value> values) {
    return Query(sql, values, [](Row&) { return OkStatus(); });
  }
  // Calls `row` for each row of the answer; an error ends it.
  Status Query(const char* sql, std::initializer_list<Value> values,
               const std::function<Status(Row&)>& row) {
    return QueryList(sql, {values.begin(), values.size()}, row);
  }
  // The same with values whose number is known at run time.
  virtual Status QueryList(const char* sql, std::span<const Value> values,
                           const std::function<Status(Row&)>& row) = 0;
  // Rows that the last Run changed.
  virtual int64_t changes() const = 0;
  // What is deleted from now on is overwritten in the file, until it is turned off; where the
  // database knows no such thing, nothing happens.
  virtual Status OverwriteDeleted(bool on) = 0;

  // The text of a statement that the dialects have no common form for.
  const char* Choose(const char* sqlite, const char* postgres) const {
    return dialect() == Dialect::kSqlite ? sqlite : postgres;
  }
};

}  // namespace ferry::server
