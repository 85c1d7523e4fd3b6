#include "cloud-server/admin/routes.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

Result<Json> GetMetadata(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(int64_t version, call.QueryInt("version", 0));
  FERRY_ASSIGN_OR_RETURN(MetadataRow row,
                         call.admin.registry->Metadata(call.arguments[0], version));
  return Json{{"role", row.role},
              {"version", row.version},
              {"expires_ms", row.expires_ms},
              {"document", ToBase64(row.document)}};
}

Result<Json> PutRoot(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(std::string text, GetString(call.body, "document"));
  FERRY_ASSIGN_OR_RETURN(Bytes document, FromBase64(text).Context("document"));
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> texts, GetStringsOr(call.body, "before"));
  std::vector<Bytes> before;
  for (const std::string& one : texts) {
    FERRY_ASSIGN_OR_RETURN(Bytes root, FromBase64(one).Context("before"));
    before.push_back(std::move(root));
  }
  FERRY_ASSIGN_OR_RETURN(int64_t version, call.admin.registry->PutRoot(document, before));
  call.admin.rollout->OnNewRoot();
  return Json{{"version", version}};
}

Result<Json> GetOnlineKeys(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const Registry::NextKeys next, call.admin.registry->KeysOfNextRoot());
  FERRY_ASSIGN_OR_RETURN(Json keys, ParseJson(trust::OnlineKeysToText(next.keys)));
  return Json{{"keys", std::move(keys)}, {"waiting", next.waiting}};
}

}  // namespace

void Add_metadata(Routes& routes) {
  routes.Add("GET", "/api/v1/metadata/{role}", GetMetadata);
  routes.Add("PUT", "/api/v1/metadata/root", PutRoot);
  routes.Add("GET", "/api/v1/online-keys", GetOnlineKeys);
}

}  // namespace ferry::server
