// The log of who did what, and whether it is whole.
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr int64_t kDefaultAuditRows = 100;
constexpr int64_t kMostAuditRows = 1000;

Json AuditToJson(const AuditRow& row) {
  const AuditEntry& entry = row.entry;
  return {{"seq", row.seq},           {"time_ms", entry.time_ms},
          {"user", entry.user},       {"source", entry.source},
          {"action", entry.action},   {"target", entry.target},
          {"package", entry.package}, {"outcome", entry.outcome},
          {"reason", entry.reason},   {"prev_hash", row.prev_hash},
          {"hash", row.hash}};
}

Json HeadToJson(const AuditHead& head) {
  return {{"seq", head.seq}, {"hash", head.hash}};
}

Result<Json> ListAudit(const Call& call) {
  AuditFilter filter;
  FERRY_ASSIGN_OR_RETURN(filter.after_seq, call.QueryInt("after", 0));
  FERRY_ASSIGN_OR_RETURN(filter.since_ms, call.QueryInt("since_ms", 0));
  FERRY_ASSIGN_OR_RETURN(int64_t limit, call.QueryInt("limit", kDefaultAuditRows));
  limit = std::clamp<int64_t>(limit, 1, kMostAuditRows);
  filter.user = call.Query("user");
  filter.package = call.Query("package");
  Json rows = Json::array(), next = nullptr, head;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto found, tx.audit().List(filter, static_cast<size_t>(limit)));
    for (const AuditRow& row : found) rows.push_back(AuditToJson(row));
    if (static_cast<int64_t>(found.size()) == limit) next = found.back().seq;
    FERRY_ASSIGN_OR_RETURN(const AuditHead at, tx.audit().Head());
    head = HeadToJson(at);
    return OkStatus();
  }));
  return Json{{"rows", std::move(rows)}, {"next", std::move(next)}, {"head", std::move(head)}};
}

Result<Json> VerifyAudit(const Call& call) {
  AuditHead kept;
  FERRY_ASSIGN_OR_RETURN(kept.seq, call.QueryInt("seq", 0));
  kept.hash = call.Query("hash");
  FERRY_ASSIGN_OR_RETURN(const AuditCheck check, CheckAudit(*call.admin.store, kept));
  Json json = {{"ok", check.broken_seq == 0},
               {"rows", check.rows},
               {"first_seq", check.first_seq},
               {"head", HeadToJson(check.head)}};
  if (check.broken_seq != 0) json["broken"] = {{"seq", check.broken_seq}, {"why", check.broken}};
  return json;
}

}  // namespace

void Add_audit(Routes& routes) {
  routes.Add("GET", "/api/v1/audit", ListAudit);
  routes.Add("GET", "/api/v1/audit/verify", VerifyAudit);
}

}  // namespace ferry::server
