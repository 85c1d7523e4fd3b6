#include "cloud-server/admin/resources/status.h"

#include "cloud-server/admin/routes.h"

namespace ferry::server {

Result<Json> StatusToJson(const AdminOptions& admin) {
  Json status = {{"version", kServerVersion},
                 {"time_ms", admin.clock->NowUnixMs()},
                 {"schema", admin.store->schema_version()},
                 {"releases", Json::array()},
                 {"metadata", Json::object()}};
  FERRY_TRY(admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(int64_t devices, tx.devices().Count());
    FERRY_ASSIGN_OR_RETURN(std::vector<PackageRow> packages, tx.packages().All());
    FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
    status["devices"] = devices;
    status["packages"] = packages.size();
    for (const ReleaseRow& release : releases)
      status["releases"].push_back({{"id", release.id},
                                    {"state", NameOf(release.state)},
                                    {"package", release.package},
                                    {"version", release.version},
                                    {"reason", release.reason}});
    for (const char* role : {"root", "targets", "snapshot", "timestamp"}) {
      Result<MetadataRow> row = tx.packages().Metadata(role, 0);
      if (row.ok()) status["metadata"][role] = row->version;
    }
    return OkStatus();
  }));
  return status;
}

void Add_status(Routes& routes) {
  routes.Add("GET", "/api/v1/status", [](const Call& call) { return StatusToJson(call.admin); });
}

}  // namespace ferry::server
