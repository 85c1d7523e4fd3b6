#include "cloud-server/admin/routes.h"
#include "cloud-server/ingest/accuracy.h"

namespace ferry::server {
namespace {

Result<Json> PutLabelSet(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const Json* labels, GetObject(call.body, "labels"));
  FERRY_ASSIGN_OR_RETURN(int64_t count, PutLabels(*call.admin.store, call.arguments[0], *labels));
  return Json{{"labels", count}};
}

Result<Json> GetAccuracy(const Call& call) {
  AccuracyQuery query;
  query.set = call.Query("set");
  query.stream = call.Query("stream");
  query.key_field = call.Query("key", query.key_field);
  query.value_field = call.Query("value", query.value_field);
  if (query.set.empty() || query.stream.empty())
    return Status(Code::kInvalidArgument, "?set= and ?stream= are needed");
  FERRY_ASSIGN_OR_RETURN(Accuracy accuracy, CountAccuracy(*call.admin.store, query));
  return AccuracyToJson(accuracy);
}

}  // namespace

void Add_labels(Routes& routes) {
  routes.Add("PUT", "/api/v1/labels/{set}", PutLabelSet);
  routes.Add("GET", "/api/v1/accuracy", GetAccuracy);
}

}  // namespace ferry::server
