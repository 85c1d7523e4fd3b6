// One connection to PostgreSQL: beside address.cc the only file that sees libpq is
// postgres_connection.cc, with wire.h. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cloud-server/store/postgres/address.h"
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

  static constexpr int64_t kAllHosts = -1;

  // Errors show the address without its password. kUnavailable when nobody answers there or it lets
  // nobody in yet, kPermissionDenied and kNotFound when it knows no such user or database,
  // kUnsupported when it is too old or its text is not UTF-8. Of several hosts the first that takes
  // writes and is on timeline `least` at least (kAllHosts: the highest that any of them is on): one
  // that is behind was the primary before another took over, and has not heard of that. `last`, a
  // host that a connection went to before, comes before the others, of which one that hangs costs
  // seconds.
  static Result<std::unique_ptr<PostgresConnection>> Open(const std::string& url,
                                                          int64_t least = kAllHosts,
                                                          const PostgresHost& last = {});
  // Of all hosts of an address that take writes; 0: none does, or there is one host.
  static int64_t HighestTimeline(const std::string& url);
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
  int process() const;                            // of the server, at the other end
  int64_t timeline() const { return timeline_; }  // of its log; 0: it does not say
  PostgresHost host() const;

 private:
  using Statement = std::pair<const char*, std::string>;  // the literal, and kinds of its values

  using PgResult = std::unique_ptr<pg_result, void (*)(pg_result*)>;

  PostgresConnection(pg_conn* handle, std::string url, std::string address);
  // `host` and `port`: of those that the address names, or null for any of them.
  static Result<std::unique_ptr<PostgresConnection>> OpenAt(const std::string& url,
                                                            const char* host, const char* port);
  Status Greet();
  void LearnTimeline();
  // The next answer to what was sent, null behind the last one. A server that says nothing for
  // kSilentMs is given up where it says nothing to a newcomer either, or where another took over.
  PgResult Next();
  PgResult LastOf(int sent);  // of one statement; `sent` 0: it was not
  bool IsWorthWaitingFor() const;
  Result<const char*> Prepare(const char* sql, const std::string& kinds);
  Status Failure(const pg_result* result, std::string_view what);

  pg_conn* handle_;
  std::string url_;
  std::string address_;  // as it may be shown
  std::map<Statement, std::string> prepared_;
  int64_t changes_ = 0;
  int64_t timeline_ = 0;
  Trouble trouble_ = Trouble::kNone;
  Status failure_;
};

}  // namespace ferry::server
