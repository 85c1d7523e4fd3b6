#include "cloud-server/admin/admin.h"

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/http/coding.h"
#include "cloud-server/admin/http/reply.h"
#include "cloud-server/admin/interface/edits.h"
#include "cloud-server/admin/interface/errors.h"
#include "cloud-server/admin/interface/repeats.h"
#include "cloud-server/admin/login/cookies.h"
#include "cloud-server/admin/pages/pages.h"
#include "cloud-server/admin/rights/approvals.h"
#include "cloud-server/admin/rights/guard.h"
#include "cloud-server/admin/rights/log.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/fleet/days.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr const char* kMetricsPath = "/metrics";
bool IsProbe(std::string_view path) {
  return path == "/healthz" || path == "/readyz";
}

constexpr const char* kSessionPath = "/api/v1/session";

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

// `next`: what a page may do about it; empty: nothing.
HttpResponse ErrorWithNext(const Status& status, const std::string& next) {
  HttpResponse response = ErrorResponse(status);
  if (next.empty()) return response;
  if (Result<Json> json = ParseJson(response.body); json.ok()) {
    (*json)["error"]["next"] = next;
    response.body = WriteJson(*json);
  }
  return response;
}

struct Carried {
  Status status;
  HttpResponse response;
};

Carried Carry(const Call& call, const Route& route) {
  if (route.raw) {
    HttpResponse response = route.raw(call);
    return {StatusOf(response), std::move(response)};
  }
  Result<Json> answer = route.json(call);
  HttpResponse response;
  if (answer.ok()) {
    response.body = WriteJson(*answer);
  } else {
    response =
        ErrorAt(answer.status(), call.http, call.body, call.next != nullptr ? *call.next : "");
  }
  if (call.answer != nullptr) response.headers.insert(call.answer->begin(), call.answer->end());
  return {answer.status(), std::move(response)};
}

HttpResponse Waiting(const ApprovalRow& row) {
  HttpResponse response = ErrorResponse(
      Status::Of(Code::kFailedPrecondition,
                 "another user has to agree: `ferry approval approve {}` within {} days", row.id,
                 kApprovalLifeMs / 86'400'000));
  if (Result<Json> json = ParseJson(response.body); json.ok()) {
    (*json)["approval"] = row.id;
    response.body = WriteJson(*json);
  }
  return response;
}

class Admin : public AdminServer {
 public:
  explicit Admin(const AdminOptions& options)
      : options_(options),
        fleet_(options.store),
        days_(&fleet_, options.store, options.clock),
        pages_(options.random) {
    if (options_.have_secret != nullptr)
      have_ = std::make_unique<HaveDoor>(
          HaveDoor::Parts{&fleet_, options_.rollout, options_.clock, options_.have_secret});
#define FERRY_RESOURCE(name) Add_##name(routes_);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
    Add_campaigns(routes_);
  }

  Status Listen() {
    if (options_.note_fleet) days_.Start();
    FERRY_ASSIGN_OR_RETURN(
        http_, HttpServer::Start(
                   {options_.host, options_.port, options_.names, options_.tls, options_.proxies},
                   [this](const HttpRequest& request) { return Answer(request); }));
    return OkStatus();
  }

  uint16_t port() const override {
    return http_->port();
  }

 private:
  HttpResponse Answer(const HttpRequest& request) {
    const bool is_call = request.path.starts_with("/api/") || request.path.starts_with("/tuf/") ||
                         request.path == kMetricsPath || IsProbe(request.path);
    if (!is_call) {
      HttpResponse page = pages_.Answer(request, [&] { return SessionText(request); });
      AddSafety(options_.tls.has_value(), &page);
      return page;
    }
    const int64_t began_ns = options_.clock->MonotonicNs();
    // What callers make up has no name of its own, or they could fill the memory.
    std::string route = "unknown";
    HttpResponse response = AnswerCall(request, &route);
    response.headers["Date"] = HttpDate(options_.clock->NowUnixMs());
    response.headers.emplace("Cache-Control", "no-store");
    AddSafety(options_.tls.has_value(), &response);
    Pack(request, route, &response);
    metrics_.Note(route, response.status, options_.clock->MonotonicNs() - began_ns);
    return response;
  }

  // What GET /api/v1/session would tell this browser; empty: nobody is signed in there.
  std::string SessionText(const HttpRequest& request) {
    if (request.foreign || CookieOf(request, CookieSiteOf(options_)).empty()) return "";
    Result<Identity> who = IdentityOfCall(options_, request);
    if (!who.ok() || !who->by_cookie) return "";
    Call call{options_, request, tries_, refusals_, routes_, metrics_, fleet_, have_.get()};
    const Result<const Route*> route = routes_.Find("GET", kSessionPath, &call.arguments);
    if (!route.ok()) return "";
    call.who = *std::move(who);
    const Result<Json> json = (*route)->json(call);
    return json.ok() ? WriteJson(*json) : "";
  }

  // Lists are long and much alike. What holds a secret stays as it is: its length could tell of it
  // (BREACH); and so does what is edited, whose ETag names these bytes.
  static void Pack(const HttpRequest& request, const std::string& route, HttpResponse* response) {
    constexpr size_t kLeastPacked = 2048;
    const bool plain = response->content_type.starts_with("application/json") &&
                       !response->stream && !response->push && request.method == "GET" &&
                       !response->headers.contains("ETag") && route != "GET /api/v1/session";
    if (!plain || response->body.size() < kLeastPacked) return;
    response->headers["Vary"] = "Accept-Encoding";
    if (!TakesGzip(request.Header("accept-encoding"))) return;
    Result<std::string> packed = Gzip(response->body, true);
    if (!packed.ok()) return;
    response->body = std::move(*packed);
    response->headers["Content-Encoding"] = "gzip";
  }

  HttpResponse AnswerCall(const HttpRequest& request, std::string* name) {
    // A stranger's page could not read an answer, but could use up the tries to log in.
    const bool back = request.method == "GET" && request.path == kOidcReturnPath;
    if (request.foreign && !back) {
      const Status status(Code::kPermissionDenied, "calls from other sites are refused");
      refusals_.Note("foreign", request.peer, status.message());
      return ErrorResponse(status);
    }
    std::map<std::string, std::string> gained;
    std::string next;
    Call call{options_,    request, tries_,         refusals_, routes_, metrics_, fleet_,
              have_.get(), {},      Json::object(), {},        {},      &gained,  &next};
    Result<const Route*> route = routes_.Find(request.method, request.path, &call.arguments);
    if (route.ok()) *name = (*route)->method + " " + (*route)->pattern;
    if (route.ok() && (*route)->pattern == kMetricsPath && options_.open_metrics)
      return (*route)->raw(call);
    // Who is not logged in learns nothing, not even which paths there are.
    if (!route.ok() || !(*route)->open) {
      Result<Identity> who = IdentityOfCall(options_, request);
      if (!who.ok()) {
        const bool changes = route.ok() && (*route)->right.changes;
        return ErrorResponse(changes ? RefuseUnknown(call, **route, who.status()) : who.status());
      }
      call.who = std::move(*who);
      call.by = call.who.name;
      if (call.who.by_cookie && request.method != "GET" && !NamesCsrf(request))
        return RefuseForged(request);
    }
    if (!route.ok()) return ErrorResponse(route.status());
    return AnswerRoute(call, **route);
  }

  // Strangers may call as often as they like: a row a minute for each of their addresses.
  Status RefuseUnknown(const Call& call, const Route& route, const Status& status) {
    if (refusals_.Note("unknown", call.http.peer, status.message()))
      FERRY_TRY(WriteRefused(options_, EntryOf(call, route), status));
    return status;
  }

  HttpResponse AnswerRoute(Call& call, const Route& route) {
    const RouteRight& right = route.right;
    if (route.open && call.http.body_bytes.value_or(UINT64_MAX) > kMaxEagerBody)
      return ErrorResponse(Status::Of(Code::kLimitExceeded,
                                      "the body of {} is over {} bytes, or in chunks",
                                      call.http.path, kMaxEagerBody));
    AuditEntry entry = EntryOf(call, route);
    Status status = route.open ? OkStatus() : CheckRole(call, right);
    if (status.ok() && !route.raw) {
      Result<Json> body = ReadBody(call.http);
      if (!body.ok()) return ErrorResponse(body.status());
      call.body = std::move(*body);
      FillEntry(call, &entry);
    }
    if (status.ok() && !route.open) status = CheckTarget(call, right, &entry.package);
    if (!status.ok()) {
      if (right.changes) {
        const Status written = WriteRefused(options_, entry, status);
        if (!written.ok()) return ErrorResponse(written);
      }
      return ErrorResponse(status);
    }
    if (!right.changes) {
      HttpResponse response = Carry(call, route).response;
      Edits::AddTag(call, route, &response);
      return response;
    }
    Repeats::Turn repeat(repeats_, call, route);
    if (std::optional<HttpResponse> before = repeat.Before()) return std::move(*before);
    const Edits::Turn turn = edits_.Take(route);
    if (std::optional<HttpResponse> refused = Edits::Refuse(call, route))
      return std::move(*refused);
    if (!route.open) {
      Result<std::optional<ApprovalRow>> asked = AskApproval(call, route, entry.package);
      if (!asked.ok()) return ErrorResponse(asked.status());
      if (*asked) return Waiting(**asked);
    }
    AuditScope scope(*options_.store, entry, repeat.Mark());
    Carried carried = Carry(call, route);
    // A login that has to wait was told in the log: rows would be as many as an attacker likes.
    if (route.open && carried.status.code() == Code::kUnavailable) return carried.response;
    const Status finished = scope.Finish(carried.status);
    if (!finished.ok()) return ErrorResponse(finished);
    if (const Status kept = repeat.After(carried.response); !kept.ok()) return ErrorResponse(kept);
    Edits::AddTag(call, route, &carried.response);
    return std::move(carried.response);
  }

  // A page of elsewhere can make a browser send its cookie, but not read what goes with it.
  bool NamesCsrf(const HttpRequest& request) const {
    const std::string wanted = CsrfOf(CookieOf(request, CookieSiteOf(options_)));
    return crypto::ConstantTimeEqual(AsBytes(request.Header(kCsrfHeader)), AsBytes(wanted));
  }

  HttpResponse RefuseForged(const HttpRequest& request) {
    const Status status(Code::kPermissionDenied,
                        "X-Ferry-CSRF does not name this session: load the page again");
    refusals_.Note("csrf", request.peer, status.message());
    return ErrorWithNext(status, "reload");
  }

  const AdminOptions options_;
  Routes routes_;
  LoginTries tries_;
  Refusals refusals_;
  CallMetrics metrics_;
  fleet::Fleet fleet_;
  fleet::Days days_;
  std::unique_ptr<HaveDoor> have_;
  Edits edits_;
  Repeats repeats_;
  Pages pages_;
  std::unique_ptr<HttpServer> http_;  // last: ends before the rest goes
};

}  // namespace

Result<std::unique_ptr<AdminServer>> AdminServer::Start(const AdminOptions& options) {
  auto admin = std::make_unique<Admin>(options);
  FERRY_TRY(admin->Listen());
  return std::unique_ptr<AdminServer>(std::move(admin));
}

}  // namespace ferry::server
