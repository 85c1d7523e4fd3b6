// One connection to PostgreSQL: beside address.cc the only file that sees libpq is
// postgres_connection.cc, with wire.h. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cloud-server/store/sql/connection.h"

struct pg_conn;
struct pg_result;

namespace ferry::server {

class PostgresConnection : public Connection {
 public:
  // Why a transaction failed, the worst of what its statements met.
  enum class Trouble {
    kNone,
    kRefused,    // by the database, for what the statement is
    kDuplicate,  // a broken UNIQUE or foreign key: maybe by a transaction beside it
    kClash,      // with a transaction beside it; it may be repeated
    kLost,       // the connection
  };

  // Errors show the address without its password. kUnavailable when nobody answers there or it lets
  // nobody in yet, kPermissionDenied and kNotFound when it knows no such user or database,
  // kUnsupported when it is too old or its text is not UTF-8.
  static Result<std::unique_ptr<PostgresConnection>> Open(const std::string& url);
  ~PostgresConnection() override;
  PostgresConnection(const PostgresConnection&) = delete;

  Dialect dialect() const override { return Dialect::kPostgres; }
  Status Script(const std::string& sql) override { return AsStatus(Ask(sql)); }
  Status QueryList(const char* sql, std::span<const Value> values,
                   const std::function<Status(Row&)>& row) override;
  int64_t changes() const override { return changes_; }
  // Nothing: freed space is used again, and what backups and the log hold is the operator's.
  Status OverwriteDeleted(bool) override { return OkStatus(); }

  // Several statements at once, unprepared; the first value of the last one's answer, or "".
  Result<std::string> Ask(const std::string& sql);
  // The same, with a call between sending and reading: `sent` gets the socket.
  Result<std::string> Ask(const std::string& sql, const std::function<void(int)>& sent);

  // Since the last call of ClearTrouble; `failure` is the first one's.
  Trouble trouble() const { return trouble_; }
  const Status& failure() const { return failure_; }
  void ClearTrouble();
  int socket() const;
  int process() const;  // of the server, at the other end

 private:
  using Statement = std::pair<const char*, std::string>;  // the literal, and kinds of its values

  PostgresConnection(pg_conn* handle, std::string address);
  Status Greet();
  Result<const char*> Prepare(const char* sql, const std::string& kinds);
  Status Failure(const pg_result* result, std::string_view what);

  pg_conn* handle_;
  std::string address_;  // as it may be shown
  std::map<Statement, std::string> prepared_;
  int64_t changes_ = 0;
  Trouble trouble_ = Trouble::kNone;
  Status failure_;
};

}  // namespace ferry::server
