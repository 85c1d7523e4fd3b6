// What has been kept long enough, and content that no package names: looked for and let go.
#include "cloud-server/admin/routes.h"

namespace ferry::server {

void Add_collect(Routes& routes) {
  routes.Add("POST", "/api/v1/collect", [](const Call& call) -> Result<Json> {
    FERRY_ASSIGN_OR_RETURN(const bool dry_run, GetBoolOr(call.body, "dry_run", false));
    if (!call.admin.collect)
      return Status(Code::kFailedPrecondition, "this server does not collect");
    return call.admin.collect(dry_run);
  });
}

}  // namespace ferry::server
