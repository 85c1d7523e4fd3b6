// Records of devices that are not here: lost with the server's rows, or refused for what they are.
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr int64_t kDefaultLosses = 100;

Result<Json> ListLosses(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const int64_t limit, call.QueryInt("limit", kDefaultLosses));
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<RecordLossRow> losses,
                           tx.intake().Losses(call.Query("device"), static_cast<size_t>(limit)));
    for (const RecordLossRow& loss : losses)
      rows.push_back({{"device", loss.device},
                      {"outbox", loss.outbox},
                      {"first_seq", loss.first_seq},
                      {"last_seq", loss.last_seq},
                      {"records", loss.last_seq - loss.first_seq + 1},
                      {"noted_ms", loss.noted_ms}});
    return OkStatus();
  }));
  return Json{{"losses", std::move(rows)}};
}

Json RefusalToJson(const RefusedRecordRow& refused) {
  const auto code = CodeFromNumber(refused.error_code);
  return {{"device", refused.device},
          {"outbox", refused.outbox},
          {"seq", refused.seq},
          {"stream", refused.stream},
          {"error_code", refused.error_code},
          {"error_name", code ? Json(InfoOf(*code).name) : Json()},
          {"reason", refused.reason},
          {"received_ms", refused.received_ms}};
}

Result<Json> ListRefusals(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const int64_t limit, call.QueryInt("limit", kDefaultLosses));
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<RefusedRecordRow> refused,
                           tx.intake().Refused(call.Query("device"), static_cast<size_t>(limit)));
    for (const RefusedRecordRow& row : refused) rows.push_back(RefusalToJson(row));
    return OkStatus();
  }));
  return Json{{"refusals", std::move(rows)}};
}

}  // namespace

void Add_losses(Routes& routes) {
  routes.Add("GET", "/api/v1/losses", ListLosses);
  routes.Add("GET", "/api/v1/refusals", ListRefusals);
}

}  // namespace ferry::server
