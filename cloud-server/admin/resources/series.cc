// How a release went over time.
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Result<Json> GetSeries(const Call& call) {
  const std::string& id = call.arguments[0];
  Json json = {{"points", Json::array()}};
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_TRY(AsStatus(tx.releases().Get(id)));
    FERRY_ASSIGN_OR_RETURN(const SeriesState state, tx.series().State(id));
    FERRY_ASSIGN_OR_RETURN(const std::vector<SeriesPoint> points, tx.series().Points(id));
    for (const SeriesPoint& point : points) {
      FERRY_ASSIGN_OR_RETURN(Json evidence, ParseJson(point.evidence));
      json["points"].push_back({{"time_ms", point.time_ms},
                                {"members", point.members},
                                {"healthy", point.healthy},
                                {"failed", point.failed},
                                {"back", point.back},
                                {"evidence", std::move(evidence)}});
    }
    json["thinned"] = state.thinned;
    return OkStatus();
  }));
  return json;
}

}  // namespace

void Add_series(Routes& routes) {
  routes.Add("GET", "/api/v1/releases/{id}/series", GetSeries);
}

}  // namespace ferry::server
