// What the interface is, for programs that make clients of it.
#include <mutex>

#include "cloud-server/admin/interface/document.h"
#include "cloud-server/admin/routes.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

// The routes never change while the server runs: made when it is first asked for.
struct MadeDocument {
  std::once_flag once;
  Status status;
  std::string text;
};

HttpResponse GetOpenApi(const Call& call, MadeDocument& made) {
  std::call_once(made.once, [&] {
    const Result<Document> document = MakeDocument(call.routes);
    made.status = document.status();
    if (!document.ok()) return;
    for (const std::string& route : document->routes_without_entry)
      LogWarn("admin", "openapi.json lacks {}", route);
    made.text = WriteJson(document->json);
  });
  if (!made.status.ok()) return ErrorResponse(made.status);
  HttpResponse response;
  response.body = made.text;
  response.headers["Cache-Control"] = "no-cache";
  return response;
}

}  // namespace

Result<std::string> OpenApiText() {
  Routes routes;
#define FERRY_RESOURCE(name) Add_##name(routes);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
  Add_campaigns(routes);
  FERRY_ASSIGN_OR_RETURN(const Document document, MakeDocument(routes));
  return WriteJsonPretty(document.json) + "\n";
}

void Add_openapi(Routes& routes) {
  routes.AddRaw("GET", "/api/v1/openapi.json",
                [made = std::make_shared<MadeDocument>()](const Call& call) {
                  return GetOpenApi(call, *made);
                });
}

}  // namespace ferry::server
