#include "cloud-server/store/postgres/postgres_store.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "cloud-server/store/postgres/address.h"
#include "cloud-server/store/postgres/migrations.h"
#include "cloud-server/store/postgres/pool.h"
#include "common/base/log.h"
#include "common/sys/random.h"

namespace ferry::server {
namespace {

using Trouble = PostgresConnection::Trouble;
using Beside = PostgresSession::Beside;

constexpr int kClashesBeside = 2;  // then alone
constexpr int kMaxClashes = 8;
constexpr int kMaxLosses = 5;
constexpr int kLongestPauseMs = 256;
// Of the log of the fleet: how often it is looked at, and how often and how much is cut off while
// there is too much. A write adds fewer rows than a piece has for each; whoever wrote waits for a
// piece, 80 ms for 8,192 rows.
constexpr uint64_t kWritesALook = 1024, kWritesAPiece = 4, kPieceRows = 4096;

// Random, so that those who clashed do not meet again.
void Pause(int times) {
  const int most_us = 1000 * std::min(kLongestPauseMs, 1 << std::min(times, 10));
  std::this_thread::sleep_for(
      std::chrono::microseconds(sys::SystemRandom().Below(static_cast<uint64_t>(most_us)) + 1));
}

// How often a body was run, and whether it is run again.
class Tries {
 public:
  explicit Tries(Beside beside) : beside_(beside) {}
  bool Again(const WriteOutcome& outcome) {
    switch (outcome.trouble) {
      case Trouble::kLost:
        Pause(++losses_);
        return losses_ < kMaxLosses;
      case Trouble::kClash:
        Pause(++clashes_);
        if (clashes_ >= kClashesBeside) beside_ = Beside::kNone;
        return clashes_ < kMaxClashes;
      case Trouble::kDuplicate:
        return std::exchange(beside_, Beside::kNone) != Beside::kNone;
      case Trouble::kRefused:
        return false;
      case Trouble::kNone:
        break;
    }
    return outcome.status.code() == Code::kConflict && ++conflicts_ < kMaxConflictRepeats;
  }
  Beside beside() const { return beside_; }

 private:
  int losses_ = 0, clashes_ = 0, conflicts_ = 0;
  Beside beside_;
};

class PostgresStore : public Store {
 public:
  PostgresStore(const std::string& url, PostgresOptions options)
      : options_(std::move(options)), pool_(url, std::max<size_t>(1, options_.connections)) {}

  Status Open() {
    FERRY_TRY(pool_.Try());
    FERRY_ASSIGN_OR_RETURN(PostgresPool::Lease session, pool_.Take());
    return MigratePostgres(session->connection());
  }

  Status Write(const Body& body) override { return Write(body, Beside::kAll); }
  Status WriteInTurn(const Body& body) override { return Write(body, Beside::kOutOfTurn); }

  Status Read(const Body& body) override {
    Status status;
    for (int losses = 0; losses < kMaxLosses; ++losses) {
      bool lost = false;
      {
        FERRY_ASSIGN_OR_RETURN(PostgresPool::Lease session, pool_.Take());
        status = session->Read(body);
        lost = session->lost();
      }
      if (!lost) break;
      pool_.Drop();
    }
    return status;
  }

  int64_t schema_version() override {
    Result<PostgresPool::Lease> session = pool_.Take();
    if (!session.ok()) return 0;
    Result<int64_t> version = PostgresSchema((*session)->connection());
    return version.ok() ? *version : 0;
  }

  Result<StoreSizes> Sizes() override {
    FERRY_ASSIGN_OR_RETURN(PostgresPool::Lease session, pool_.Take());
    FERRY_ASSIGN_OR_RETURN(const std::string bytes,
                           session->Ask("SELECT pg_database_size(current_database())"));
    StoreSizes sizes;
    sizes.database = std::strtoll(bytes.c_str(), nullptr, 10);
    return sizes;
  }

  // Autovacuum does it.
  Status Shrink(int64_t) override { return OkStatus(); }

 private:
  Status Write(const Body& body, Beside beside) {
    bool audited = false;
    const Body with_audit = [&](Transaction& tx) -> Status {
      FERRY_TRY(LeaseScope::Check(tx));
      FERRY_TRY(body(tx));
      FERRY_ASSIGN_OR_RETURN(audited, AuditScope::TakePart(tx));
      return OkStatus();
    };
    WriteOutcome outcome;
    Tries tries(beside);
    do {
      {
        FERRY_ASSIGN_OR_RETURN(PostgresPool::Lease session, pool_.Take());
        outcome = session->Write(with_audit, tries.beside(), options_);
      }
      if (outcome.trouble == Trouble::kLost) pool_.Drop();
      if (!outcome.unknown.empty()) {
        FERRY_ASSIGN_OR_RETURN(const bool committed, IsCommitted(outcome));
        if (committed) outcome = {};
      }
    } while (!outcome.status.ok() && tries.Again(outcome));
    if (!outcome.status.ok()) return outcome.status;
    if (audited) AuditScope::Committed();
    const uint64_t writes = ++writes_;
    if (writes % kWritesALook == 0) {
      LookAtFleetLog();
    } else if (writes % kWritesAPiece == 0 && cut_below_ != 0) {
      CutFleetLog();
    }
    return OkStatus();
  }

  // Of a transaction whose COMMIT was not answered.
  Result<bool> IsCommitted(const WriteOutcome& outcome) {
    // In another life of the server what was not on its disk never was, and the number may be
    // another transaction's: what did not commit under it is not ours, what did may not be.
    const std::string status = fmt::format(
        "SELECT CASE WHEN EXISTS (SELECT 1 FROM server_life WHERE token = '{1}') "
        "THEN pg_xact_status('{0}') "
        "WHEN '{0}'::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) THEN 'aborted' "
        "WHEN pg_xact_status('{0}') IN ('aborted', 'in progress') THEN 'aborted' "
        "ELSE 'unsure' END",
        outcome.unknown, outcome.life);
    // One to which COMMIT never came waits for the next statement until somebody ends it.
    const std::string end = fmt::format(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = {} AND "
        "datname = current_database() AND state LIKE 'idle in transaction%'",
        outcome.process);
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kLockTimeoutMs);
    for (int times = 1;; ++times) {
      {
        FERRY_ASSIGN_OR_RETURN(PostgresPool::Lease session, pool_.Take());
        const Result<std::string> said = session->Ask(status);
        if (said.ok() && *said == "committed") return true;
        if (said.ok() && *said == "aborted") return false;
        if (said.ok() && *said == "unsure") break;
        if (said.ok() && times % 4 == 0) {
          const Status ignored = AsStatus(session->Ask(end));
        }
      }
      if (std::chrono::steady_clock::now() >= until) break;
      Pause(times);
    }
    return Status::Of(Code::kUnavailable,
                      "the connection to the database was lost during COMMIT, and whether "
                      "transaction {} is stored cannot be learnt",
                      outcome.unknown);
  }

  // Apart from transactions that write, which would clash over it; a piece at a time, for whoever
  // wrote waits for it.
  void LookAtFleetLog() {
    cut_below_ = OfFleetLog(fmt::format(
        "SELECT seq FROM fleet_change ORDER BY seq DESC OFFSET {} LIMIT 1", kMaxFleetChanges - 1));
  }
  void CutFleetLog() {
    const int64_t rows = OfFleetLog(fmt::format(
        "WITH gone AS (DELETE FROM fleet_change WHERE seq < LEAST({}, (SELECT seq FROM "
        "fleet_change ORDER BY seq OFFSET {} LIMIT 1)) RETURNING 1) SELECT count(*) FROM gone",
        cut_below_.load(), kPieceRows));
    if (rows == 0) cut_below_ = 0;
  }
  // 0 where there is no answer.
  int64_t OfFleetLog(const std::string& sql) {
    Result<PostgresPool::Lease> session = pool_.Take();
    if (!session.ok()) return 0;
    const Result<std::string> answer = (*session)->Ask(sql);
    if (!answer.ok())
      LogWarn("store", "cutting the log of the fleet: {}", answer.status().message());
    return answer.ok() ? std::strtoll(answer->c_str(), nullptr, 10) : 0;
  }

  const PostgresOptions options_;
  PostgresPool pool_;
  std::atomic<uint64_t> writes_ = 0;
  std::atomic<int64_t> cut_below_ = 0;  // rows of the log of the fleet; 0: it is short enough
};

}  // namespace

Result<std::unique_ptr<Store>> OpenPostgresStore(const std::string& url, PostgresOptions options) {
  auto store = std::make_unique<PostgresStore>(url, std::move(options));
  FERRY_TRY(store->Open());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace ferry::server
