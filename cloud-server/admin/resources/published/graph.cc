#include "cloud-server/admin/http/reply.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/registry/contents/contents.h"
#include "cloud-server/rollout/child/graphs.h"

namespace ferry::server {
namespace {

Result<std::shared_ptr<const std::string>> GraphOf(const Call& call) {
  PackageRow row;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.packages().Get(call.arguments[0], call.arguments[1]));
    return OkStatus();
  }));
  FERRY_TRY(CheckMayBeShown(row));
  if (call.admin.graphs == nullptr)
    return Status(Code::kFailedPrecondition,
                  "this server has no ferry-device beside it, which reads models");
  return call.admin.graphs->Read(row, call.Query("model"));
}

// The text goes out as the child wrote it: it was parsed already when it was made.
HttpResponse GetGraph(const Call& call) {
  const auto graph = GraphOf(call);
  if (!graph.ok()) return ErrorResponse(graph.status());
  HttpResponse response;
  response.body = **graph;
  return response;
}

}  // namespace

void Add_graph(Routes& routes) {
  routes.AddRaw("GET", "/api/v1/packages/{name}/{version}/graph", GetGraph);
}

}  // namespace ferry::server
