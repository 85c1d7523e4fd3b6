#include "cloud-server/admin/resources/status.h"

#include <algorithm>

#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr int64_t kShownStreams = 20;  // the largest

// How many rows are kept: of the streams, and of what could not be kept.
Status AddRows(Transaction& tx, Json* status) {
  using Kind = RetentionRepository::Kind;
  FERRY_ASSIGN_OR_RETURN((*status)["refused_records"], tx.retention().Rows(Kind::kRefused));
  FERRY_ASSIGN_OR_RETURN((*status)["losses"], tx.retention().Rows(Kind::kLosses));
  FERRY_ASSIGN_OR_RETURN(const auto largest, tx.retention().LargestStreams(kShownStreams));
  Json& shown = (*status)["streams"] = Json::array();
  for (const auto& stream : largest)
    shown.push_back({{"stream", stream.stream},
                     {"rows", stream.rows},
                     {"bytes", stream.bytes},
                     {"devices", stream.devices}});
  return OkStatus();
}

}  // namespace

Json Features(const AdminOptions& admin) {
  Json features = Json::array({
#define FERRY_FEATURE(name) #name,
#include "cloud-server/admin/resources/features.inc"
#undef FERRY_FEATURE
  });
  if (admin.sign_in == nullptr)
    features.erase(std::find(features.begin(), features.end(), Json("oidc")));
  return features;
}

Result<Json> StatusToJson(const AdminOptions& admin) {
  Json status = {{"version", kServerVersion},
                 {"time_ms", admin.clock->NowUnixMs()},
                 {"schema", admin.store->schema_version()},
                 {"features", Features(admin)},
                 {"releases", Json::array()},
                 {"metadata", Json::object()}};
  FERRY_TRY(admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(int64_t devices, tx.devices().Count());
    FERRY_ASSIGN_OR_RETURN(std::vector<PackageRow> packages, tx.packages().All());
    FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
    FERRY_ASSIGN_OR_RETURN(const IntakeTotals totals, tx.intake().Totals());
    FERRY_ASSIGN_OR_RETURN(const auto restored, tx.access().Setting(kRestoredSetting));
    status["records"] = {{"lost", totals.lost}, {"refused", totals.refused}};
    if (restored) {
      FERRY_ASSIGN_OR_RETURN(status["restored"], ParseJson(*restored));
    }
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
    return AddRows(tx, &status);
  }));
  FERRY_ASSIGN_OR_RETURN(const StoreSizes sizes, admin.store->Sizes());
  status["sizes"] = {{"database", sizes.database}, {"free", sizes.free}, {"log", sizes.log}};
  if (admin.upkeep) status.update(admin.upkeep());
  return status;
}

void Add_status(Routes& routes) {
  routes.Add("GET", "/api/v1/status", [](const Call& call) { return StatusToJson(call.admin); });
}

}  // namespace ferry::server
