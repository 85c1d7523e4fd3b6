#include "cloud-server/admin/resources/verify.h"

#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Json Targets(const AdminOptions& admin) {
  Json json = admin.verify_targets ? admin.verify_targets() : Json{{"targets", Json::array()}};
  json["enabled"] = static_cast<bool>(admin.verify_targets);
  return json;
}

Json Sessions(const AdminOptions& admin) {
  Json json = admin.verify_sessions ? admin.verify_sessions() : Json{{"sessions", Json::array()}};
  json["enabled"] = static_cast<bool>(admin.verify_sessions);
  return json;
}

}  // namespace

Json VerifyToJson(const AdminOptions& admin) {
  Json json = Sessions(admin);
  json.update(Targets(admin));
  return json;
}

void Add_verify(Routes& routes) {
  routes.Add("GET", "/api/v1/verify/targets",
             [](const Call& call) -> Result<Json> { return Targets(call.admin); });
  routes.Add("GET", "/api/v1/verify/sessions",
             [](const Call& call) -> Result<Json> { return Sessions(call.admin); });
}

}  // namespace ferry::server
