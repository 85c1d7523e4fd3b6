#include "cloud-server/admin/access.h"
#include "cloud-server/admin/login/cookies.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Result<Json> PostLogin(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(std::string password, GetString(call.body, "password"));
  FERRY_ASSIGN_OR_RETURN(std::string user, GetStringOr(call.body, "user", ""));
  LoginKind kind;
  FERRY_ASSIGN_OR_RETURN(kind.cookie, GetBoolOr(call.body, "cookie", false));
  const CookieSite site = CookieSiteOf(call.admin);
  FERRY_ASSIGN_OR_RETURN(kind.code, GetStringOr(call.body, "code", ""));
  kind.agent = call.http.Header("user-agent");
  bool wants_code = false;
  kind.wants_code = &wants_code;
  if (kind.cookie) kind.instead_of = CookieOf(call.http, site);
  Result<Login> login = LogIn(call.admin, call.tries, call.http.peer, password, user, kind);
  if (wants_code && call.next != nullptr) *call.next = "code";
  if (wants_code && kind.code.empty()) return login.status();
  if (!login.ok()) {
    call.refusals.Note(fmt::format("login {}", InfoOf(login.code()).name), call.http.peer,
                       fmt::format("login: {}", login.status().message()));
    return login.status();
  }
  if (!kind.cookie) return Json{{"token", login->token}, {"expires_ms", login->expires_ms}};
  (*call.answer)["Set-Cookie"] = SetCookie(login->token, site);
  return Json{{"user", login->account.name},
              {"role", login->account.role},
              {"csrf", CsrfOf(login->token)},
              {"expires_ms", login->expires_ms},
              {"idle_ms", kCookieIdleMs}};
}

Result<Json> PostLogout(const Call& call) {
  constexpr size_t kBearerBytes = 7;  // "Bearer ", checked before
  const CookieSite site = CookieSiteOf(call.admin);
  FERRY_TRY(LogOut(call.admin, call.who.by_cookie ? CookieOf(call.http, site)
                                                  : call.http.authorization.substr(kBearerBytes)));
  if (call.who.by_cookie) (*call.answer)["Set-Cookie"] = ClearCookie(site);
  return Json(Json::object());
}

}  // namespace

void Add_login(Routes& routes) {
  routes.AddOpen("POST", "/api/v1/login", PostLogin);
  routes.Add("POST", "/api/v1/logout", PostLogout);
}

}  // namespace ferry::server
