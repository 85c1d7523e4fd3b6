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
  FERRY_ASSIGN_OR_RETURN(int64_t version, call.admin.registry->PutRoot(document));
  call.admin.rollout->NoteChange();
  return Json{{"version", version}};
}

}  // namespace

void Add_metadata(Routes& routes) {
  routes.Add("GET", "/api/v1/metadata/{role}", GetMetadata);
  routes.Add("PUT", "/api/v1/metadata/root", PutRoot);
}

}  // namespace ferry::server
