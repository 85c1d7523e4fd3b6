#include "cloud-server/admin/login/oidc_login.h"

#include <algorithm>

#include "cloud-server/admin/rights/users.h"

namespace ferry::server {
namespace {

// The user of a subject; none: a row without a name.
Result<AccountRow> UserOfSubject(Transaction& tx, const std::string& subject, size_t* users) {
  FERRY_ASSIGN_OR_RETURN(std::vector<AccountRow> all, tx.accounts().All());
  if (users != nullptr) *users = all.size();
  if (subject.empty()) return AccountRow();
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const AccountRow& row) { return row.oidc == subject; });
  return at == all.end() ? AccountRow() : std::move(*at);
}

// A row for a user who was never here, with neither role nor scope yet.
Result<AccountRow> NewOidcUser(Transaction& tx, const oidc::Person& person, size_t users,
                               int64_t now_ms, oidc::Refusal* refusal) {
  *refusal = oidc::Refusal::kName;
  FERRY_TRY(CheckUserName(person.name));
  *refusal = oidc::Refusal::kTaken;
  if (tx.accounts().Get(person.name).ok())
    return Status::Of(Code::kPermissionDenied,
                      "there is a user {} already who is not {}: delete that one first",
                      person.name, person.subject);
  *refusal = oidc::Refusal::kFull;
  if (users >= kMaxUsers)
    return Status::Of(Code::kPermissionDenied, "there are {} users already", kMaxUsers);
  *refusal = oidc::Refusal::kNone;
  AccountRow row;
  row.name = person.name;
  row.oidc = person.subject;
  row.created_ms = now_ms;
  return row;
}

}  // namespace

Status CheckOidcRoles(const oidc::SignInOptions& options) {
  for (const oidc::RoleRow& row : options.roles) {
    FERRY_TRY(AsStatus(RightsOfRole(row.role)).Context("\"{}\"", row.value));
    FERRY_TRY(CheckScope(row.packages, row.groups).Context("\"{}\"", row.value));
  }
  return OkStatus();
}

Result<Login> LogInByOidc(const AdminOptions& options, const oidc::Person& person, SessionRow row,
                          const std::string& instead_of, oidc::Refusal* refusal) {
  Login login;
  FERRY_TRY(options.store->Write([&](Transaction& tx) -> Status {
    size_t users = 0;
    FERRY_ASSIGN_OR_RETURN(AccountRow user, UserOfSubject(tx, person.subject, &users));
    if (user.name.empty()) {
      const int64_t now_ms = options.clock->NowUnixMs();
      FERRY_ASSIGN_OR_RETURN(user, NewOidcUser(tx, person, users, now_ms, refusal));
    }
    if (user.disabled) {
      *refusal = oidc::Refusal::kDisabled;
      return Status::Of(Code::kPermissionDenied, "user {} is disabled", user.name);
    }
    const AccountRow before = user;
    user.role = person.role.role;
    user.packages = person.role.packages;
    user.groups = person.role.groups;
    if (!(user == before)) FERRY_TRY(tx.accounts().Put(user));
    row.account = row.name = user.name;
    FERRY_ASSIGN_OR_RETURN(login, BeginSession(tx, options, row, instead_of, kOidcSessionMs));
    return OkStatus();
  }));
  return login;
}

Result<std::string> NameOfSubject(const AdminOptions& options, const std::string& subject) {
  std::string name;
  FERRY_TRY(options.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AccountRow user, UserOfSubject(tx, subject, nullptr));
    name = user.name;
    return OkStatus();
  }));
  return name;
}

Status EndOidcSessions(const AdminOptions& options, const std::string& subject) {
  return options.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AccountRow user, UserOfSubject(tx, subject, nullptr));
    return user.name.empty() ? OkStatus() : tx.accounts().EndSessions(user.name);
  });
}

}  // namespace ferry::server
