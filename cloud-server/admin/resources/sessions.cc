// One's own session, and all sessions of oneself.
#include <algorithm>

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/login/cookies.h"
#include "cloud-server/admin/resources/status.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Result<Json> GetSession(const Call& call) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AccountRow row, tx.accounts().Get(call.who.account));
    json = {{"user", row.name},
            {"role", row.role},
            {"packages", row.packages},
            {"groups", row.groups},
            {"features", Features(call.admin)},
            {"oidc", !row.oidc.empty()}};
    return OkStatus();
  }));
  if (!call.who.session.empty()) json["expires_ms"] = call.who.expires_ms;
  if (!call.who.by_cookie) return json;
  json["csrf"] = CsrfOf(CookieOf(call.http, CookieSiteOf(call.admin)));
  json["idle_ms"] = kCookieIdleMs;
  return json;
}

Result<Json> ListSessions(const Call& call) {
  const int64_t now_ms = call.admin.clock->NowUnixMs();
  Json sessions = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto rows, tx.access().SessionsOf(call.who.account));
    for (const SessionRow& row : rows) {
      if (HasEnded(row, now_ms)) continue;
      sessions.push_back({{"id", SessionIdOf(row)},
                          {"kind", row.cookie ? "cookie" : "bearer"},
                          {"created_ms", row.created_ms},
                          {"last_ms", std::max(row.created_ms, row.last_used_ms)},
                          {"expires_ms", row.expires_ms},
                          {"peer", row.peer},
                          {"agent", row.agent},
                          {"own", SessionIdOf(row) == call.who.session}});
    }
    return OkStatus();
  }));
  return Json{{"sessions", std::move(sessions)}};
}

Result<Json> EndSession(const Call& call) {
  const std::string& id = call.arguments[0];
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto rows, tx.access().SessionsOf(call.who.account));
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [&](const SessionRow& row) { return SessionIdOf(row) == id; });
    if (at == rows.end())
      return Status::Of(Code::kNotFound, "{} has no session {}", call.who.account,
                        id.substr(0, 80));
    return tx.access().RemoveSession(at->token_sha256);
  }));
  return Json(Json::object());
}

}  // namespace

void Add_sessions(Routes& routes) {
  routes.Add("GET", "/api/v1/session", GetSession);
  routes.Add("GET", "/api/v1/sessions", ListSessions);
  routes.Add("DELETE", "/api/v1/sessions/{id}", EndSession);
}

}  // namespace ferry::server
