#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr int64_t kDefaultPage = 100;

Result<Json> ListStreams(const Call& call) {
  Json rows = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::vector<RecordRepository::StreamCount> counts,
                           tx.records().Counts());
    for (const RecordRepository::StreamCount& count : counts)
      rows.push_back({{"stream", count.stream}, {"device", count.device}, {"rows", count.rows}});
    return OkStatus();
  }));
  return Json{{"streams", std::move(rows)}};
}

Json RecordToJson(const RecordRow& record) {
  Result<Json> data = ParseJson(record.json);
  return {{"device", record.device},
          {"outbox", record.outbox},
          {"seq", record.seq},
          {"time_ms", record.time_ms},
          {"received_ms", record.received_ms},
          {"data", data.ok() ? *data : Json(record.json)}};
}

Result<Json> GetStream(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(int64_t after, call.QueryInt("after", 0));
  FERRY_ASSIGN_OR_RETURN(int64_t limit, call.QueryInt("limit", kDefaultPage));
  Json rows = Json::array();
  int64_t next = after;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::vector<RecordRow> records,
                           tx.records().List(call.arguments[0], call.Query("device"), after,
                                             static_cast<size_t>(limit), &next));
    for (const RecordRow& record : records) rows.push_back(RecordToJson(record));
    return OkStatus();
  }));
  return Json{{"rows", std::move(rows)}, {"next", next}};
}

}  // namespace

void Add_streams(Routes& routes) {
  routes.Add("GET", "/api/v1/streams", ListStreams);
  routes.Add("GET", "/api/v1/streams/{stream}", GetStream);
}

}  // namespace ferry::server
