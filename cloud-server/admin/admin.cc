#include "cloud-server/admin/admin.h"

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/console/console.h"

namespace ferry::server {
namespace {

HttpResponse Page(const HttpRequest& request) {
  if (request.method != "GET")
    return ErrorResponse(Status::Of(Code::kUnsupported, "{} is for GET", request.path));
  const console::Page* page = console::ContentOf(request.path);
  if (!page)
    return ErrorResponse(
        Status::Of(Code::kNotFound, "there is no page {}", request.path.substr(0, 200)));
  HttpResponse response;
  response.content_type = page->mime;
  response.body = page->body;
  response.headers = {{"Content-Security-Policy", std::string(console::kContentSecurityPolicy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-cache"}};
  return response;
}

// The JSON object of a body; an empty body is an empty object.
Result<Json> ReadBody(const HttpRequest& request) {
  std::string text;
  FERRY_TRY(request.read_body([&](ByteView piece) -> Status {
    if (text.size() + piece.size() > kMaxAdminBodyBytes)
      return Status::Of(Code::kLimitExceeded, "the body has more than {} bytes",
                        kMaxAdminBodyBytes);
    text.append(AsText(piece));
    return OkStatus();
  }));
  if (text.empty()) return Json(Json::object());
  FERRY_ASSIGN_OR_RETURN(Json body, ParseJson(text).Context("body"));
  if (!body.is_object()) return Status(Code::kMalformed, "body: not an object");
  return body;
}

class Admin : public AdminServer {
 public:
  explicit Admin(const AdminOptions& options) : options_(options) {
#define FERRY_RESOURCE(name) Add_##name(routes_);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
  }

  Status Listen() {
    FERRY_ASSIGN_OR_RETURN(
        http_, HttpServer::Start(options_.host, options_.port, options_.names,
                                 [this](const HttpRequest& request) { return Answer(request); }));
    return OkStatus();
  }

  uint16_t port() const override {
    return http_->port();
  }

 private:
  HttpResponse Answer(const HttpRequest& request) {
    if (!request.path.starts_with("/api/")) return Page(request);
    // A stranger's page could not read an answer, but could use up the tries to log in.
    if (request.foreign) {
      const Status status(Code::kPermissionDenied, "calls from other sites are refused");
      refusals_.Note("foreign", request.peer, status.message());
      return ErrorResponse(status);
    }
    Call call{options_, request, tries_, refusals_, {}, Json::object(), {}};
    Result<const Route*> route = routes_.Find(request.method, request.path, &call.arguments);
    // Who is not logged in learns nothing, not even which paths there are.
    if (!route.ok() || !(*route)->open) {
      Result<std::string> name = NameOfBearer(options_, Authorization(request));
      if (!name.ok()) return ErrorResponse(name.status());
      call.by = std::move(*name);
    }
    if (!route.ok()) return ErrorResponse(route.status());
    if ((*route)->open && request.body_bytes.value_or(UINT64_MAX) > kMaxEagerBody)
      return ErrorResponse(Status::Of(Code::kLimitExceeded,
                                      "the body of {} is over {} bytes, or in chunks", request.path,
                                      kMaxEagerBody));
    if ((*route)->raw) return (*route)->raw(call);
    Result<Json> body = ReadBody(request);
    if (!body.ok()) return ErrorResponse(body.status());
    call.body = std::move(*body);
    Result<Json> answer = (*route)->json(call);
    if (!answer.ok()) return ErrorResponse(answer.status());
    HttpResponse response;
    response.body = WriteJson(*answer);
    response.headers["Cache-Control"] = "no-store";
    return response;
  }

  // Browsers' EventSource cannot set headers.
  static std::string Authorization(const HttpRequest& request) {
    auto token = request.query.find("token");
    if (request.path == "/api/v1/live" && request.authorization.empty() &&
        token != request.query.end())
      return "Bearer " + token->second;
    return request.authorization;
  }

  const AdminOptions options_;
  Routes routes_;
  LoginTries tries_;
  Refusals refusals_;
  std::unique_ptr<HttpServer> http_;  // last: ends before the rest goes
};

}  // namespace

Result<std::unique_ptr<AdminServer>> AdminServer::Start(const AdminOptions& options) {
  auto admin = std::make_unique<Admin>(options);
  FERRY_TRY(admin->Listen());
  return std::unique_ptr<AdminServer>(std::move(admin));
}

}  // namespace ferry::server
