#include "cloud-server/store/postgres/postgres_connection.h"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "cloud-server/store/postgres/address.h"
#include "cloud-server/store/postgres/wire.h"
#include "cloud-server/store/store.h"
#include "common/base/check.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

using Trouble = PostgresConnection::Trouble;

constexpr int kOldestServer = 130000;  // pg_current_xact_id
constexpr size_t kMaxPrepared = 1000;  // the room has some 300 statements
constexpr int kSilentMs = 10'000;      // of a statement, before somebody looks whether it lives

Code CodeOfState(std::string_view state) {
  struct Known {
    std::string_view prefix;
    Code code;
  };
  static constexpr Known kCodes[] = {
      {"23503", Code::kNotFound},
      {"23", Code::kAlreadyExists},
      {"40", Code::kConflict},
      {"53100", Code::kDiskFull},
      {"53200", Code::kOutOfMemory},
      {"53", Code::kUnavailable},
      {"54", Code::kLimitExceeded},
      {"22003", Code::kLimitExceeded},
      {"22", Code::kMalformed},
      {"25006", Code::kPermissionDenied},
      {"42501", Code::kPermissionDenied},
      {"28", Code::kPermissionDenied},
      {"55P03", Code::kUnavailable},
      {"57", Code::kUnavailable},
      {"08", Code::kUnavailable},
      {"3D", Code::kNotFound},
      {"XX001", Code::kMalformed},
      {"XX002", Code::kMalformed},
  };
  for (const Known& known : kCodes)
    if (state.starts_with(known.prefix)) return known.code;
  return Code::kIo;
}

Trouble TroubleOfState(std::string_view state) {
  if (state == "40001" || state == "40P01") return Trouble::kClash;
  if (state == "23505" || state == "23503") return Trouble::kDuplicate;
  return Trouble::kRefused;
}

// Of a connection that was not made, which has no state to tell by: what waiting does not mend.
Code CodeOfGreeting(std::string_view text) {
  struct Known {
    std::string_view part;
    Code code;
  };
  static constexpr Known kParts[] = {
      {"authentication failed", Code::kPermissionDenied},
      {"no pg_hba.conf entry", Code::kPermissionDenied},
      {"no password supplied", Code::kPermissionDenied},
      {"permission denied", Code::kPermissionDenied},
      {"does not exist", Code::kNotFound},
  };
  // A socket that is not there is a server that is not up.
  if (text.find("connection to server on socket") == 0 && text.find("FATAL") == text.npos)
    return Code::kUnavailable;
  for (const Known& known : kParts)
    if (text.find(known.part) != text.npos) return known.code;
  return Code::kUnavailable;
}

std::string OneLine(const char* text) {
  std::string line = text == nullptr ? "" : text;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// "?1" as "$1", but not in quotes.
std::string WithDollars(std::string_view sql) {
  std::string out(sql);
  char quote = 0;
  for (char& c : out) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '?') {
      c = '$';
    }
  }
  return out;
}

}  // namespace

PostgresConnection::PostgresConnection(pg_conn* handle, std::string url, std::string address)
    : handle_(handle), url_(std::move(url)), address_(std::move(address)) {}

PostgresConnection::~PostgresConnection() {
  PQfinish(handle_);
}

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::Open(const std::string& url,
                                                                     int64_t least,
                                                                     const PostgresHost& last) {
  if (least == kAllHosts) least = HighestTimeline(url);
  const auto is_behind = [&](const PostgresConnection& one) {
    return one.timeline_ != 0 && one.timeline_ < least;
  };
  if (!last.first.empty()) {
    auto again = OpenAt(url, last.first.c_str(), last.second.c_str());
    if (again.ok() && !is_behind(**again)) return again;
  }
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<PostgresConnection> first, OpenAt(url, nullptr, nullptr));
  if (!is_behind(*first)) return first;
  const Status behind = Status::Of(
      Code::kUnavailable,
      "database {}: {}:{} is at timeline {} and takes writes, though another server took over at "
      "timeline {}: end it",
      first->address_, PQhost(first->handle_), PQport(first->handle_), first->timeline_, least);
  LogWarn("store", "{}", behind.message());
  for (const auto& [host, port] : HostsOf(url)) {
    Result<std::unique_ptr<PostgresConnection>> other = OpenAt(url, host.c_str(), port.c_str());
    if (other.ok() && !is_behind(**other)) return other;
  }
  return behind;
}

PostgresHost PostgresConnection::host() const {
  return {PQhost(handle_), PQport(handle_)};
}

int64_t PostgresConnection::HighestTimeline(const std::string& url) {
  const auto hosts = HostsOf(url);
  int64_t highest = 0;
  for (size_t i = 0; hosts.size() > 1 && i < hosts.size(); ++i) {
    const auto there = OpenAt(url, hosts[i].first.c_str(), hosts[i].second.c_str());
    if (there.ok()) highest = std::max(highest, (*there)->timeline_);
  }
  return highest;
}

Result<std::unique_ptr<PostgresConnection>> PostgresConnection::OpenAt(const std::string& url,
                                                                       const char* host,
                                                                       const char* port) {
  FERRY_ASSIGN_OR_RETURN(std::string address, ShownAddress(url));
  // What the address says itself comes behind these and counts; one host of it behind that.
  const char* const names[] = {"connect_timeout",
                               "application_name",
                               "keepalives_idle",
                               "keepalives_interval",
                               "keepalives_count",
                               "tcp_user_timeout",
                               "client_encoding",
                               "target_session_attrs",
                               "dbname",
                               host != nullptr ? "host" : nullptr,
                               "port",
                               nullptr};
  const char* const values[] = {"5",    "ferry-server", "10",        "5",  "3",  "15000",
                                "UTF8", "read-write",   url.c_str(), host, port, nullptr};
  PGconn* handle = PQconnectdbParams(names, values, 1);
  std::unique_ptr<PostgresConnection> connection(
      new PostgresConnection(handle, url, std::move(address)));
  if (PQstatus(handle) != CONNECTION_OK) {
    const std::string why = OneLine(PQerrorMessage(handle));
    return Status::Of(CodeOfGreeting(why), "database {}: {}", connection->address_, why);
  }
  FERRY_TRY(connection->Greet());
  connection->LearnTimeline();
  return connection;
}

Status PostgresConnection::Greet() {
  PQsetNoticeProcessor(
      handle_, [](void*, const char* text) { LogLine(LogLevel::kDebug, "store", OneLine(text)); },
      nullptr);
  const int version = PQserverVersion(handle_);
  if (version < kOldestServer)
    return Status::Of(Code::kUnsupported, "database {}: its server has version {}, {} is needed",
                      address_, version / 10000, kOldestServer / 10000);
  const char* encoding = PQparameterStatus(handle_, "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8")
    return Status::Of(Code::kUnsupported, "database {}: its encoding is {}, UTF8 is needed",
                      address_, encoding == nullptr ? "unknown" : encoding);
  // A commit is on disk before it is acknowledged; an address may ask for more (remote_apply). A
  // node that hangs in a transaction must not keep the others waiting for ever. Who reads a table
  // from end to end clashes with whoever writes to it, however small it is; by an index, only with
  // who writes there. Where there is no other way the plan's cost is beyond all measure, for which
  // it would be compiled each time: milliseconds for a table of one row.
  return Script(
      fmt::format("SELECT set_config('synchronous_commit', 'on', FALSE) "
                  "WHERE current_setting('synchronous_commit') IN ('off', 'local'); "
                  "SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; "
                  "SET enable_seqscan = off; SET jit = off; "
                  "SET client_min_messages = warning",
                  kLockTimeoutMs, 6 * kLockTimeoutMs));
}

void PostgresConnection::LearnTimeline() {
  // The first 8 digits of a file of the log; who may not ask has one server.
  const Result<std::string> file = Ask("SELECT pg_walfile_name(pg_current_wal_lsn())");
  if (file.ok()) timeline_ = std::strtoll(file->substr(0, 8).c_str(), nullptr, 16);
  ClearTrouble();
}

bool PostgresConnection::IsWorthWaitingFor() const {
  const char* const names[] = {"connect_timeout", "dbname", "host", "port", nullptr};
  const char* const values[] = {"5", url_.c_str(), PQhost(handle_), PQport(handle_), nullptr};
  const char* why = nullptr;
  if (PQpingParams(names, values, 1) == PQPING_NO_RESPONSE) {
    why = "it hangs, and a newcomer hears nothing either";
  } else if (timeline_ != 0 && HighestTimeline(url_) > timeline_) {
    why = "another server took over, and this one waits for it";
  }
  if (why == nullptr) return true;
  LogWarn("store", "database {}: no answer from {}:{} for {} s: {}", address_, PQhost(handle_),
          PQport(handle_), kSilentMs / 1000, why);
  return false;
}

PostgresConnection::PgResult PostgresConnection::Next() {
  while (PQisBusy(handle_) != 0) {
    pollfd waits{PQsocket(handle_), POLLIN, 0};
    const int ready = ::poll(&waits, 1, kSilentMs);
    if (ready == 0 && !IsWorthWaitingFor()) ::shutdown(PQsocket(handle_), SHUT_RDWR);
    if (ready != 0 && PQconsumeInput(handle_) == 0) break;
  }
  return {PQgetResult(handle_), PQclear};
}

PostgresConnection::PgResult PostgresConnection::LastOf(int sent) {
  PgResult last(nullptr, PQclear);
  if (sent == 0) return last;
  while (PgResult next = Next()) last = std::move(next);
  return last;
}

void PostgresConnection::ClearTrouble() {
  trouble_ = Trouble::kNone;
  failure_ = OkStatus();
}

int PostgresConnection::socket() const {
  return PQsocket(handle_);
}

int PostgresConnection::process() const {
  return PQbackendPID(handle_);
}

Status PostgresConnection::Failure(const pg_result* result, std::string_view what) {
  const char* state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* severity =
      result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  // Who says FATAL hangs up, which libpq hears only when it reads on.
  const bool lost = state == nullptr || PQstatus(handle_) != CONNECTION_OK ||
                    (severity != nullptr && std::string_view(severity) != "ERROR");
  const char* text =
      state == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const Code code = lost ? Code::kUnavailable : CodeOfState(state);
  Status status = Status::Of(code, "database {}: {}: {}", address_, what.substr(0, 60),
                             OneLine(text != nullptr ? text : PQerrorMessage(handle_)));
  trouble_ = std::max(trouble_, lost ? Trouble::kLost : TroubleOfState(state));
  if (failure_.ok()) failure_ = status;
  return status;
}

Result<std::string> PostgresConnection::Ask(const std::string& sql) {
  return Ask(sql, nullptr);
}

Result<std::string> PostgresConnection::Ask(const std::string& sql,
                                            const std::function<void(int)>& sent) {
  if (PQsendQuery(handle_, sql.c_str()) == 0) return Failure(nullptr, sql);
  if (sent) sent(PQsocket(handle_));
  std::string answer;
  Status status;
  // All answers are read, or the connection would take no further statement.
  while (const PgResult result = Next()) {
    const ExecStatusType kind = PQresultStatus(result.get());
    if (kind != PGRES_TUPLES_OK && kind != PGRES_COMMAND_OK && kind != PGRES_EMPTY_QUERY) {
      if (status.ok()) status = Failure(result.get(), sql);
      continue;
    }
    answer = PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
  }
  // COMMIT in a transaction that failed is a ROLLBACK, which is no error there.
  if (status.ok() && PQstatus(handle_) != CONNECTION_OK) status = Failure(nullptr, sql);
  if (!status.ok()) return status;
  return answer;
}

Result<const char*> PostgresConnection::Prepare(const char* sql, const std::string& kinds) {
  const auto found = prepared_.find({sql, kinds});
  if (found != prepared_.end()) return found->second.c_str();
  CHECK(prepared_.size() < kMaxPrepared);
  std::vector<Oid> types;
  for (const char kind : kinds) types.push_back(wire::TypeOf(kind));
  const std::string name = fmt::format("ferry_{}", prepared_.size());
  const PgResult result = LastOf(PQsendPrepare(handle_, name.c_str(), WithDollars(sql).c_str(),
                                               static_cast<int>(types.size()), types.data()));
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) return Failure(result.get(), sql);
  return prepared_.emplace(Statement(sql, kinds), name).first->second.c_str();
}

Status PostgresConnection::QueryList(const char* sql, std::span<const Value> values,
                                     const std::function<Status(Row&)>& row) {
  const wire::Bound bound(values);
  FERRY_ASSIGN_OR_RETURN(const char* name, Prepare(sql, bound.kinds));
  const PgResult result = LastOf(PQsendQueryPrepared(handle_, name, static_cast<int>(values.size()),
                                                     bound.pointers.data(), bound.sizes.data(),
                                                     bound.formats.data(), wire::kBinary));
  const ExecStatusType kind = PQresultStatus(result.get());
  if (kind != PGRES_TUPLES_OK && kind != PGRES_COMMAND_OK) return Failure(result.get(), sql);
  changes_ = 0;
  for (const char* digit = PQcmdTuples(const_cast<PGresult*>(result.get())); *digit != 0; ++digit)
    changes_ = 10 * changes_ + (*digit - '0');
  for (int i = 0; i < PQntuples(result.get()); ++i) {
    wire::PostgresRow current(result.get(), i);
    FERRY_TRY(row(current));
  }
  return OkStatus();
}

}  // namespace ferry::server
