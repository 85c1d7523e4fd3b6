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
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
    for (const ReleaseRow& release : releases) {
      FERRY_ASSIGN_OR_RETURN(Json row, ReleaseInBrief(tx, release));
      rows.push_back(std::move(row));
    }
    return OkStatus();
  }));
  return Json{{"releases", std::move(rows)}};
}

Result<Json> GetRelease(const Call& call) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(ReleaseRow release, tx.releases().Get(call.arguments[0]));
    FERRY_ASSIGN_OR_RETURN(json, ReleaseInFull(tx, release));
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

// A page of members, in order of the device's id; "next" is the last one, null at the end.
Result<Json> ListMembers(const Call& call) {
  Json rows = Json::array(), next;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.releases().Get(call.arguments[0]));
    FERRY_ASSIGN_OR_RETURN(
        const std::vector<MemberRow> members,
        tx.releases().MembersPage(call.arguments[0], call.Query("after"), kMaxPageRows));
    for (const MemberRow& member : members) rows.push_back(MemberToJson(member));
    if (members.size() == kMaxPageRows) next = members.back().device;
    return OkStatus();
  }));
  return Json{{"members", std::move(rows)}, {"next", std::move(next)}};
}

}  // namespace

void Add_releases(Routes& routes) {
  routes.Add("GET", "/api/v1/releases", ListReleases);
  routes.Add("POST", "/api/v1/releases", Create);
  routes.Add("GET", "/api/v1/releases/{id}", GetRelease);
  routes.Add("POST", "/api/v1/releases/{id}/start",
             [](const Call& call) { return Order(call, command::Start{call.by}); });
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
