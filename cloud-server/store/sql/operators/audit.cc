#include "cloud-server/store/audit.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_AUDIT_COLUMNS \
  "seq, time_ms, \"user\", source, action, target, package, outcome, reason, prev_hash, hash"
#define FERRY_AUDIT_WHERE                                                            \
  " FROM audit WHERE seq > ?1 AND time_ms >= ?2 AND (?3 = '' OR \"user\" = ?3) AND " \
  "(?4 = '' OR package = ?4) AND (?5 = 0 OR seq < ?5)"
#define FERRY_AUDIT_READ "SELECT " FERRY_AUDIT_COLUMNS FERRY_AUDIT_WHERE

AuditRow ReadAuditRow(Row& row) {
  AuditRow audit;
  audit.seq = row.NextInt();
  audit.entry.time_ms = row.NextInt();
  audit.entry.user = row.NextText();
  audit.entry.source = row.NextText();
  audit.entry.action = row.NextText();
  audit.entry.target = row.NextText();
  audit.entry.package = row.NextText();
  audit.entry.outcome = row.NextText();
  audit.entry.reason = row.NextText();
  audit.prev_hash = row.NextText();
  audit.hash = row.NextText();
  return audit;
}

class Audit : public AuditRepository {
 public:
  explicit Audit(Connection& sql) : sql_(sql) {}

  Result<AuditRow> Append(const AuditEntry& entry) override {
    FERRY_ASSIGN_OR_RETURN(const AuditHead head, Head());
    AuditRow row = ChainAudit(entry, head.seq, head.hash);
    const AuditEntry& to = row.entry;
    FERRY_TRY(sql_.Run("INSERT INTO audit (" FERRY_AUDIT_COLUMNS
                       ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                       {row.seq, to.time_ms, to.user, to.source, to.action, to.target, to.package,
                        to.outcome, to.reason, row.prev_hash, row.hash}));
    return row;
  }

  Result<AuditHead> Head() override {
    AuditHead head;
    FERRY_TRY(
        sql_.Query("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1", {}, [&](Row& row) {
          head.seq = row.NextInt();
          head.hash = row.NextText();
          return OkStatus();
        }));
    return head;
  }

  Result<std::vector<AuditRow>> List(const AuditFilter& filter, size_t limit) override {
    std::vector<AuditRow> rows;
    const auto read = [&](Row& row) {
      rows.push_back(ReadAuditRow(row));
      return OkStatus();
    };
    const auto most = static_cast<int64_t>(limit);
    const Status status = filter.newest_first
                              ? sql_.Query(FERRY_AUDIT_READ " ORDER BY seq DESC LIMIT ?6",
                                           {filter.after_seq, filter.since_ms, filter.user,
                                            filter.package, filter.before_seq, most},
                                           read)
                              : sql_.Query(FERRY_AUDIT_READ " ORDER BY seq LIMIT ?6",
                                           {filter.after_seq, filter.since_ms, filter.user,
                                            filter.package, filter.before_seq, most},
                                           read);
    FERRY_TRY(status);
    return rows;
  }

  Result<int64_t> Count(const AuditFilter& filter) override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query(
        "SELECT count(*)" FERRY_AUDIT_WHERE,
        {filter.after_seq, filter.since_ms, filter.user, filter.package, filter.before_seq},
        [&](Row& row) {
          count = row.NextInt();
          return OkStatus();
        }));
    return count;
  }

  Result<int64_t> Cut(int64_t before_ms, int64_t now_ms, size_t limit) override {
    FERRY_ASSIGN_OR_RETURN(const AuditHead head, Head());
    FERRY_ASSIGN_OR_RETURN(const std::vector<AuditRow> rows, List({}, limit));
    AuditHead last;
    int64_t count = 0;
    for (const AuditRow& row : rows) {
      if (row.entry.time_ms >= before_ms || row.seq == head.seq) break;
      last = {row.seq, row.hash};
      ++count;
    }
    if (count == 0) return 0;
    FERRY_TRY(sql_.Run("DELETE FROM audit WHERE seq <= ?1", {last.seq}));
    AuditEntry entry;
    entry.time_ms = now_ms;
    entry.source = "local";
    entry.action = kAuditCut;
    entry.target = std::to_string(last.seq);
    entry.outcome = "done";
    entry.reason = last.hash;
    FERRY_TRY(AsStatus(Append(entry)));
    return count;
  }

 private:
  Connection& sql_;
};

}  // namespace

std::unique_ptr<AuditRepository> MakeAuditRepository(Connection& sql) {
  return std::make_unique<Audit>(sql);
}

}  // namespace ferry::server
