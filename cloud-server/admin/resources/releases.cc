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

Result<NewRelease> ReadNewRelease(const Json& body) {
  NewRelease release;
  FERRY_ASSIGN_OR_RETURN(release.package, GetString(body, "package"));
  FERRY_ASSIGN_OR_RETURN(release.version, GetString(body, "version"));
  FERRY_ASSIGN_OR_RETURN(std::string rule, GetStringOr(body, "rule", ""));
  FERRY_ASSIGN_OR_RETURN(release.salt, GetStringOr(body, "salt", ""));
  FERRY_ASSIGN_OR_RETURN(release.again, GetBoolOr(body, "again", false));
  FERRY_ASSIGN_OR_RETURN(const Json* stages, GetArrayOrNull(body, "stages"));
  FERRY_ASSIGN_OR_RETURN(const Json* gate, GetObjectOrNull(body, "gate"));
  FERRY_ASSIGN_OR_RETURN(const Json* exclusive, GetArrayOrNull(body, "exclusive"));
  release.plan = {{"rule", rule}};
  if (stages != nullptr) release.plan["stages"] = *stages;
  if (gate != nullptr) release.settings = *gate;
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
  FERRY_ASSIGN_OR_RETURN(NewRelease from, ReadNewRelease(call.body));
  FERRY_ASSIGN_OR_RETURN(bool start, GetBoolOr(call.body, "start", false));
  FERRY_ASSIGN_OR_RETURN(ReleaseRow release, call.admin.rollout->Create(from));
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

}  // namespace

void Add_releases(Routes& routes) {
  routes.Add("GET", "/api/v1/releases", ListReleases);
  routes.Add("POST", "/api/v1/releases", Create);
  routes.Add("GET", "/api/v1/releases/{id}", GetRelease);
  routes.Add("POST", "/api/v1/releases/{id}/start",
             [](const Call& call) { return Order(call, command::Start{call.by}); });
  routes.Add("POST", "/api/v1/releases/{id}/pause", [](const Call& call) -> Result<Json> {
    FERRY_ASSIGN_OR_RETURN(std::string why, GetStringOr(call.body, "why", ""));
    return Order(call, command::Pause{call.by, why});
  });
  routes.Add("POST", "/api/v1/releases/{id}/resume",
             [](const Call& call) { return Order(call, command::Resume{call.by}); });
  routes.Add("POST", "/api/v1/releases/{id}/rollback", [](const Call& call) -> Result<Json> {
    FERRY_ASSIGN_OR_RETURN(std::string why, GetStringOr(call.body, "why", ""));
    return Order(call, command::Rollback{call.by, why});
  });
}

}  // namespace ferry::server
