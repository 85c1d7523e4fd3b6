// Users, their passwords and their API tokens.
#include "cloud-server/admin/rights/users.h"

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/interface/lists.h"
#include "cloud-server/admin/login/password.h"
#include "cloud-server/admin/login/totp.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr size_t kMadePasswordBytes = 10;  // of randomness, as hex

Json UserToJson(const AccountRow& row) {
  const Result<Totp> totp = Totp::Parse(row.totp);
  return {{"name", row.name},          {"role", row.role},
          {"packages", row.packages},  {"groups", row.groups},
          {"disabled", row.disabled},  {"totp", totp.ok() && totp->confirmed},
          {"oidc", !row.oidc.empty()}, {"created_ms", row.created_ms}};
}

Json ApiTokenToJson(const ApiTokenRow& row) {
  return {{"id", row.id},
          {"user", row.account},
          {"name", row.name},
          {"role", row.role},
          {"packages", row.packages},
          {"groups", row.groups},
          {"created_ms", row.created_ms},
          {"expires_ms", row.expires_ms},
          {"last_used_ms", row.last_used_ms == 0 ? Json() : Json(row.last_used_ms)}};
}

// The members that are there; those that are not keep what `role` and so on hold.
template <typename RowType>
Status ReadRights(const Json& body, RowType* row) {
  FERRY_ASSIGN_OR_RETURN(row->role, GetStringOr(body, "role", row->role));
  if (body.contains("packages")) {
    FERRY_ASSIGN_OR_RETURN(row->packages, GetStrings(body, "packages"));
  }
  if (body.contains("groups")) {
    FERRY_ASSIGN_OR_RETURN(row->groups, GetStrings(body, "groups"));
  }
  return OkStatus();
}

Result<Json> UserJson(const Call& call, const std::string& name) {
  Json json;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AccountRow row, tx.accounts().Get(name));
    json = UserToJson(row);
    return OkStatus();
  }));
  return json;
}

Result<Json> ListUsers(const Call& call) {
  static const list::Spec& spec = MakeListSpec({{"name", list::ColumnKind::kText},
                                                {"role", list::ColumnKind::kText},
                                                {"disabled", list::ColumnKind::kFlag},
                                                {"oidc", list::ColumnKind::kFlag},
                                                {"created_ms", list::ColumnKind::kNumber}},
                                               "name", "name");
  std::vector<Json> users;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<AccountRow> rows, tx.accounts().All());
    for (const AccountRow& row : rows) users.push_back(UserToJson(row));
    return OkStatus();
  }));
  return AnswerList(call, spec, "users", users);
}

Result<Json> PostUser(const Call& call) {
  AccountRow row;
  FERRY_ASSIGN_OR_RETURN(row.name, GetString(call.body, "name"));
  FERRY_ASSIGN_OR_RETURN(row.role, GetString(call.body, "role"));
  FERRY_TRY(ReadRights(call.body, &row));
  FERRY_ASSIGN_OR_RETURN(std::string password, GetStringOr(call.body, "password", ""));
  const bool made = password.empty();
  if (made) password = RandomHex(call.admin, kMadePasswordBytes);
  FERRY_TRY(CreateUser(call.admin, row, password));
  FERRY_ASSIGN_OR_RETURN(Json json, UserJson(call, row.name));
  if (made) json["password"] = password;
  return json;
}

Result<Json> PutUser(const Call& call) {
  FERRY_TRY(ChangeUser(call.admin, call.arguments[0], [&](AccountRow& row) -> Status {
    FERRY_TRY(ReadRights(call.body, &row));
    FERRY_ASSIGN_OR_RETURN(row.disabled, GetBoolOr(call.body, "disabled", row.disabled));
    return OkStatus();
  }));
  return UserJson(call, call.arguments[0]);
}

Result<Json> RemoveUser(const Call& call) {
  FERRY_TRY(DeleteUser(call.admin, call.arguments[0]));
  return Json(Json::object());
}

// Who sits before a terminal that somebody left must know the old password; an admin gives another
// user a new one without.
Status CheckOldPassword(const Call& call) {
  if (call.arguments[0] != call.who.account) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::string old, GetString(call.body, "old"));
  FERRY_TRY(call.tries.Take(call.http.peer, call.admin.clock->MonotonicNs()));
  std::string stored;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AccountRow row, tx.accounts().Get(call.who.account));
    stored = row.password;
    return OkStatus();
  }));
  if (!MatchesPassword(old, stored)) return Status(Code::kPermissionDenied, "old: wrong password");
  call.tries.GiveBack(call.http.peer);
  return OkStatus();
}

Result<Json> PutPassword(const Call& call) {
  FERRY_TRY(CheckOldPassword(call));
  FERRY_ASSIGN_OR_RETURN(std::string password, GetStringOr(call.body, "password", ""));
  const bool made = password.empty();
  if (made) password = RandomHex(call.admin, kMadePasswordBytes);
  FERRY_TRY(SetUserPassword(call.admin, call.arguments[0], password));
  Json json = {{"name", call.arguments[0]}};
  if (made) json["password"] = password;
  return json;
}

Result<Json> ListTokens(const Call& call) {
  Json tokens = Json::array();
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_TRY(AsStatus(tx.accounts().Get(call.arguments[0])));
    FERRY_ASSIGN_OR_RETURN(const auto rows, tx.accounts().Tokens(call.arguments[0]));
    for (const ApiTokenRow& row : rows) tokens.push_back(ApiTokenToJson(row));
    return OkStatus();
  }));
  return Json{{"tokens", std::move(tokens)}};
}

Result<Json> PostToken(const Call& call) {
  ApiTokenRow row;
  row.account = call.arguments[0];
  row.role = "viewer";
  FERRY_ASSIGN_OR_RETURN(row.name, GetString(call.body, "name"));
  FERRY_TRY(ReadRights(call.body, &row));
  FERRY_ASSIGN_OR_RETURN(const int64_t valid_ms, GetIntOr(call.body, "valid_ms", kApiTokenLifeMs));
  FERRY_ASSIGN_OR_RETURN(const uint32_t rights, RightsOfRole(row.role));
  // Else a token could make one that may more than it may itself.
  if (row.account == call.who.account && (rights & ~call.who.rights) != 0)
    return Status::Of(Code::kPermissionDenied, "this call may not make a token that is {}",
                      row.role);
  FERRY_ASSIGN_OR_RETURN(const NewApiToken made, MakeApiToken(call.admin, row, valid_ms));
  Json json = ApiTokenToJson(made.row);
  json["token"] = made.secret;
  return json;
}

Result<Json> RemoveToken(const Call& call) {
  FERRY_TRY(call.admin.store->Write([&](Transaction& tx) {
    return tx.accounts().RemoveToken(call.arguments[0], call.arguments[1]);
  }));
  return Json(Json::object());
}

Result<Json> GetMe(const Call& call) {
  return UserJson(call, call.who.account);
}

Result<Json> UserThing(const Call& call) {
  return UserJson(call, call.arguments[0]);
}

}  // namespace

void Add_users(Routes& routes) {
  routes.Add("GET", "/api/v1/me", GetMe);
  routes.Add("GET", "/api/v1/users", ListUsers);
  routes.Add("POST", "/api/v1/users", PostUser);
  routes.Add("GET", "/api/v1/users/{name}", UserThing);
  routes.Add("PUT", "/api/v1/users/{name}", PutUser);
  routes.Add("DELETE", "/api/v1/users/{name}", RemoveUser);
  routes.Edits("/api/v1/users/{name}", UserThing);
  routes.Add("PUT", "/api/v1/users/{name}/password", PutPassword);
  routes.Add("GET", "/api/v1/users/{name}/tokens", ListTokens);
  routes.Add("POST", "/api/v1/users/{name}/tokens", PostToken);
  routes.Add("DELETE", "/api/v1/users/{name}/tokens/{id}", RemoveToken);
}

}  // namespace ferry::server
