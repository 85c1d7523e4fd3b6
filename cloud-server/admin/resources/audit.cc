// The log of who did what, and whether it is whole.
#include "cloud-server/admin/interface/lists.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr int64_t kDefaultAuditRows = 100;
constexpr size_t kMostAuditLooks = 20'000;  // at rows, for one page

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

struct AuditListRow : list::Row {
  explicit AuditListRow(const AuditRow& from) : row(from) {}
  list::Value At(size_t column) const override {
    const AuditEntry& entry = row.entry;
    const std::string* const texts[] = {&entry.user,   &entry.source,  &entry.action,
                                        &entry.target, &entry.package, &entry.outcome,
                                        &entry.reason};
    if (column == 0) return list::Value::Of(row.seq);
    if (column == 1) return list::Value::Of(entry.time_ms);
    return list::Value::Of(std::string_view(*texts[column - 2]));
  }
  const AuditRow& row;
};

const list::Spec& AuditSpec() {
  constexpr auto kText = list::ColumnKind::kText;
  static const list::Spec& spec = MakeListSpec({{"seq", list::ColumnKind::kNumber},
                                                {"time_ms", list::ColumnKind::kNumber},
                                                {"user", kText},
                                                {"source", kText},
                                                {"action", kText},
                                                {"target", kText},
                                                {"package", kText},
                                                {"outcome", kText},
                                                {"reason", kText}},
                                               "seq", "seq", kDefaultAuditRows);
  return spec;
}

// The log may be long: rows are read in its order, and of a filter that few of them pass a page
// ends before it is full.
struct AuditPage {
  std::vector<AuditRow> rows;
  int64_t last_seq = 0;  // looked at
  bool more = false;
};

Result<AuditPage> ReadAuditPage(Transaction& tx, const list::Query& query, AuditFilter filter) {
  AuditPage page;
  for (size_t looked = 0; looked < kMostAuditLooks;) {
    FERRY_ASSIGN_OR_RETURN(const auto found, tx.audit().List(filter, kMaxPageRows));
    for (const AuditRow& row : found) {
      if (query.filter && !target::Matches(*query.filter, AuditListRow(row), {})) {
        page.last_seq = row.seq;
        continue;
      }
      page.more = page.rows.size() == query.limit;
      if (page.more) return page;
      page.last_seq = row.seq;
      page.rows.push_back(row);
    }
    page.more = found.size() == kMaxPageRows;
    if (!page.more) return page;
    looked += found.size();
    (filter.newest_first ? filter.before_seq : filter.after_seq) = found.back().seq;
  }
  return page;
}

Result<Json> ListAudit(const Call& call) {
  AuditFilter filter;
  FERRY_ASSIGN_OR_RETURN(const list::Query query, list::ReadQuery(call.http.query, AuditSpec()));
  if (!query.by_key_only(AuditSpec()))
    return Status(Code::kInvalidArgument, "sort: the log is read in order of seq, or -seq");
  FERRY_ASSIGN_OR_RETURN(filter.after_seq, call.QueryInt("after", 0));
  FERRY_ASSIGN_OR_RETURN(filter.since_ms, call.QueryInt("since_ms", 0));
  filter.newest_first = query.sort[0].descending;
  if (!query.after.empty())
    (filter.newest_first ? filter.before_seq : filter.after_seq) = query.after[0].number;
  filter.user = call.Query("user");
  filter.package = call.Query("package");
  Json json = {{"rows", Json::array()}, {"next", nullptr}, {"next_cursor", nullptr}};
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AuditPage page, ReadAuditPage(tx, query, filter));
    for (const AuditRow& row : page.rows) json["rows"].push_back(AuditToJson(row));
    if (page.more) {
      AuditRow last;
      last.seq = page.last_seq;
      json["next_cursor"] = CursorOf(query, AuditSpec(), AuditListRow(last));
      if (!filter.newest_first) json["next"] = page.last_seq;
    }
    // Rows that a filter passes are not counted: that would read the whole log.
    if (query.total && !query.filter) {
      AuditFilter all = filter;
      all.after_seq = all.before_seq = 0;
      FERRY_ASSIGN_OR_RETURN(json["total"], tx.audit().Count(all));
    }
    FERRY_ASSIGN_OR_RETURN(const AuditHead at, tx.audit().Head());
    json["head"] = HeadToJson(at);
    return OkStatus();
  }));
  return json;
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
