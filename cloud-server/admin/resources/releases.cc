#include "cloud-server/admin/interface/lists.h"
#include "cloud-server/admin/rights/group_checks.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/admin/views.h"
#include "cloud-server/rollout/new_release.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

Result<Json> Brief(const Call& call, const ReleaseRow& release) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(json, ReleaseInBrief(tx, release));
    return OkStatus();
  }));
  return json;
}

Result<NewRelease> ReadNewRelease(const Call& call) {
  const Json& body = call.body;
  NewRelease release;
  FERRY_ASSIGN_OR_RETURN(release.package, GetString(body, "package"));
  FERRY_ASSIGN_OR_RETURN(release.version, GetString(body, "version"));
  FERRY_ASSIGN_OR_RETURN(std::string rule, GetStringOr(body, "rule", ""));
  FERRY_ASSIGN_OR_RETURN(release.salt, GetStringOr(body, "salt", ""));
  FERRY_ASSIGN_OR_RETURN(release.again, GetBoolOr(body, "again", false));
  FERRY_ASSIGN_OR_RETURN(const Json* stages, GetArrayOrNull(body, "stages"));
  FERRY_ASSIGN_OR_RETURN(const Json* gate, GetObjectOrNull(body, "gate"));
  FERRY_ASSIGN_OR_RETURN(const Json* exclusive, GetArrayOrNull(body, "exclusive"));
  FERRY_ASSIGN_OR_RETURN(const bool trusted_only, GetBoolOr(body, "trusted_only", false));
  if (call.who.groups) rule = LimitRule(rule, *call.who.groups);
  release.plan = {{"rule", rule}};
  if (trusted_only) release.plan["trusted_only"] = true;
  if (stages != nullptr) release.plan["stages"] = *stages;
  if (gate != nullptr) release.settings = *gate;
  for (const char* key : {"rate", "retries", "when"})
    if (body.contains(key)) release.plan[key] = body[key];
  for (size_t i = 0; exclusive != nullptr && i < exclusive->size(); ++i) {
    ExclusiveRow row;
    FERRY_ASSIGN_OR_RETURN(row.path,
                           GetString((*exclusive)[i], "path").Context("exclusive[{}]", i));
    FERRY_ASSIGN_OR_RETURN(row.device,
                           GetString((*exclusive)[i], "device").Context("exclusive[{}]", i));
    release.exclusive.push_back(std::move(row));
  }
  return release;
}

Result<Json> Create(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(NewRelease from, ReadNewRelease(call));
  FERRY_ASSIGN_OR_RETURN(bool start, GetBoolOr(call.body, "start", false));
  FERRY_TRY(CheckGroupsOfPlan(*call.admin.store, from.plan));
  FERRY_ASSIGN_OR_RETURN(ReleaseRow release, call.admin.rollout->Create(from));
  if (call.who.groups) {
    FERRY_TRY(call.admin.store->Write([&](Transaction& tx) {
      return tx.accounts().PutReleaseGroups(release.id, *call.who.groups);
    }));
  }
  if (start) {
    FERRY_ASSIGN_OR_RETURN(release, call.admin.rollout->Do(release.id, command::Start{call.by}));
  }
  return Brief(call, release);
}

Result<Json> ListReleases(const Call& call) {
  static const list::Spec& spec = MakeListSpec({{"number", list::ColumnKind::kNumber},
                                                {"id", list::ColumnKind::kText},
                                                {"package", list::ColumnKind::kText},
                                                {"version", list::ColumnKind::kVersion},
                                                {"state", list::ColumnKind::kText},
                                                {"reason", list::ColumnKind::kText},
                                                {"stage", list::ColumnKind::kNumber},
                                                {"created_ms", list::ColumnKind::kNumber}},
                                               "number", "-number");
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> releases, tx.releases().All());
    std::vector<Json> rows;
    for (const ReleaseRow& release : releases)
      rows.push_back({{"number", release.number},
                      {"id", release.id},
                      {"package", release.package},
                      {"version", release.version},
                      {"state", NameOf(release.state)},
                      {"reason", release.reason},
                      {"stage", release.stage},
                      {"created_ms", release.created_ms}});
    FERRY_ASSIGN_OR_RETURN(json, AnswerList(call, spec, "releases", rows, [&](size_t i) {
                             return ReleaseInBrief(tx, releases[i]);
                           }));
    return OkStatus();
  }));
  return json;
}

Result<Json> GetRelease(const Call& call) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(ReleaseRow release, tx.releases().Get(call.arguments[0]));
    FERRY_ASSIGN_OR_RETURN(json, ReleaseInFull(tx, release, call.Query("members") != "0"));
    return OkStatus();
  }));
  return json;
}

Result<Json> Order(const Call& call, const Command& command) {
  FERRY_ASSIGN_OR_RETURN(ReleaseRow release, call.admin.rollout->Do(call.arguments[0], command));
  return Brief(call, release);
}

// An order that a person gives, with a reason.
template <typename What>
void AddOrder(Routes& routes, const std::string& verb) {
  routes.Add("POST", "/api/v1/releases/{id}/" + verb, [](const Call& call) -> Result<Json> {
    FERRY_ASSIGN_OR_RETURN(std::string why, GetStringOr(call.body, "why", ""));
    return Order(call, What{call.by, why});
  });
}

struct MemberListRow : list::Row {
  explicit MemberListRow(MemberRow from) : row(std::move(from)) {}
  list::Value At(size_t column) const override {
    const std::string* const texts[] = {&row.device, &row.step,        &row.error_text,
                                        &row.os,     &row.app_version, &row.device_class};
    const int64_t numbers[] = {row.stage,      row.offered_ms, row.step_ms,
                               row.error_code, row.attempt,    row.overdue,
                               row.done,       row.back,       row.control};
    if (column < std::size(texts)) return list::Value::Of(std::string_view(*texts[column]));
    column -= std::size(texts);
    if (column < std::size(numbers)) return list::Value::Of(numbers[column]);
    return list::Value::Of(NameOf(row.outcome));
  }
  MemberRow row;
};

const list::Spec& MemberSpec() {
  constexpr auto kText = list::ColumnKind::kText;
  constexpr auto kNumber = list::ColumnKind::kNumber;
  constexpr auto kFlag = list::ColumnKind::kFlag;
  static const list::Spec& spec =
      MakeListSpec({{"device", kText},
                    {"step", kText},
                    {"error_text", kText},
                    {"os", kText},
                    {"app_version", list::ColumnKind::kVersion},
                    {"device_class", kText},
                    {"stage", kNumber},
                    {"offered_ms", kNumber},
                    {"step_ms", kNumber},
                    {"error_code", kNumber},
                    {"attempt", kNumber},
                    {"overdue", kFlag},
                    {"done", kFlag},
                    {"back", kFlag},
                    {"control", kFlag},
                    {"outcome", kText}},
                   "device", "device", static_cast<int64_t>(kMaxPageRows));
  return spec;
}

// Those after a device, as many as the page needs; all where they are sorted or filtered.
Result<std::vector<MemberListRow>> ReadMembers(Transaction& tx, const std::string& release,
                                               const list::Query& query, bool in_order) {
  std::vector<MemberListRow> rows;
  std::string after = in_order && !query.after.empty() ? query.after[0].text : "";
  while (true) {
    FERRY_ASSIGN_OR_RETURN(std::vector<MemberRow> page,
                           tx.releases().MembersPage(release, after, kMaxPageRows));
    for (MemberRow& row : page) rows.emplace_back(std::move(row));
    if (page.size() < kMaxPageRows || (in_order && rows.size() > query.limit)) return rows;
    after = rows.back().row.device;
  }
}

Result<Json> ListMembers(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(list::Query query, list::ReadQuery(call.http.query, MemberSpec()));
  const bool by_device = query.by_key_only(MemberSpec()) && !query.sort[0].descending;
  if (const std::string after = call.Query("after"); !after.empty()) {
    if (!by_device || !query.after.empty())
      return Status(Code::kInvalidArgument,
                    "after: it is a device of a list in order of devices; others have a cursor");
    query.after = {{list::Value::Kind::kText, 0, after}};
  }
  const std::string& release = call.arguments[0];
  Json json = {{"members", Json::array()}, {"next", nullptr}};
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.releases().Get(release));
    const bool in_order = by_device && !query.filter;
    FERRY_ASSIGN_OR_RETURN(const auto rows, ReadMembers(tx, release, query, in_order));
    list::Rows all;
    all.count = rows.size();
    all.row = [&](size_t i) -> const list::Row& { return rows[i]; };
    all.in_key_order = true;
    list::Page page = list::Select(query, MemberSpec(), all);
    // Those that were not read count too.
    if (in_order && query.total) {
      FERRY_ASSIGN_OR_RETURN(page.total, tx.releases().CountMembers(release));
    }
    for (const size_t i : page.rows) json["members"].push_back(MemberToJson(rows[i].row));
    const MemberListRow* last = page.rows.empty() ? nullptr : &rows[page.rows.back()];
    if (page.more && by_device) json["next"] = last->row.device;
    AddPageMembers(query, MemberSpec(), page, last, &json);
    return OkStatus();
  }));
  return json;
}

}  // namespace

void Add_releases(Routes& routes) {
  routes.Add("GET", "/api/v1/releases", ListReleases);
  routes.Add("POST", "/api/v1/releases", Create);
  routes.Add("GET", "/api/v1/releases/{id}", GetRelease);
  routes.Add("POST", "/api/v1/releases/{id}/start",
             [](const Call& call) { return Order(call, command::Start{call.by}); });
  AddOrder<command::Approve>(routes, "approve");
  AddOrder<command::Pause>(routes, "pause");
  routes.Add("POST", "/api/v1/releases/{id}/resume",
             [](const Call& call) { return Order(call, command::Resume{call.by}); });
  AddOrder<command::Rollback>(routes, "rollback");
  AddOrder<command::Promote>(routes, "promote");
  AddOrder<command::Halt>(routes, "halt");
  AddOrder<command::Kill>(routes, "kill");
  routes.Add("POST", "/api/v1/releases/{id}/retry", [](const Call& call) -> Result<Json> {
    FERRY_ASSIGN_OR_RETURN(std::string why, GetStringOr(call.body, "why", ""));
    FERRY_ASSIGN_OR_RETURN(std::string device, GetStringOr(call.body, "device", ""));
    FERRY_ASSIGN_OR_RETURN(ReleaseRow release,
                           call.admin.rollout->Retry(call.arguments[0], device, call.by, why));
    return Brief(call, release);
  });
  routes.Add("GET", "/api/v1/releases/{id}/members", ListMembers);
}

}  // namespace ferry::server
