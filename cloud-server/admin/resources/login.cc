#include "cloud-server/admin/access.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Result<Json> PostLogin(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(std::string password, GetString(call.body, "password"));
  FERRY_ASSIGN_OR_RETURN(std::string user, GetStringOr(call.body, "user", ""));
  Result<Login> login = LogIn(call.admin, call.tries, call.http.peer, password, user);
  if (!login.ok()) {
    call.refusals.Note(fmt::format("login {}", InfoOf(login.code()).name), call.http.peer,
                       fmt::format("login: {}", login.status().message()));
    return login.status();
  }
  return Json{{"token", login->token}, {"expires_ms", login->expires_ms}};
}

Result<Json> PostLogout(const Call& call) {
  constexpr size_t kBearerBytes = 7;  // "Bearer ", checked before
  FERRY_TRY(LogOut(call.admin, call.http.authorization.substr(kBearerBytes)));
  return Json(Json::object());
}

}  // namespace

void Add_login(Routes& routes) {
  routes.AddOpen("POST", "/api/v1/login", PostLogin);
  routes.Add("POST", "/api/v1/logout", PostLogout);
}

}  // namespace ferry::server
