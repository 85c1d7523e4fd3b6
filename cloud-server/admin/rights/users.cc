#include "cloud-server/admin/rights/users.h"

#include <algorithm>

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/login/password.h"

namespace ferry::server {
namespace {

constexpr size_t kMinPasswordBytes = 12;
constexpr size_t kMaxPasswordBytes = 1024;

Status CheckIsOwn(const AccountRow& row, std::string_view what) {
  if (row.oidc.empty()) return OkStatus();
  return Status::Of(Code::kFailedPrecondition, "{} signs in by OIDC: {} the issuer's", row.name,
                    what);
}

}  // namespace

Status CheckUserName(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= kMaxUserNameBytes &&
                     std::all_of(name.begin(), name.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
                              c == '_' || c == '-' || c == '@';
                     });
  if (plain) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "user \"{}\": 1 to {} small letters, digits and ._-@",
                    name.substr(0, 80), kMaxUserNameBytes);
}

Result<std::string> HashNewPassword(const AdminOptions& options, const std::string& password) {
  if (password.size() < kMinPasswordBytes || password.size() > kMaxPasswordBytes)
    return Status::Of(Code::kInvalidArgument, "a password needs {} to {} characters",
                      kMinPasswordBytes, kMaxPasswordBytes);
  Bytes salt(kPasswordSaltBytes);
  options.random->Fill(salt);
  return HashPassword(password, salt);
}

std::string RandomHex(const AdminOptions& options, size_t bytes) {
  Bytes raw(bytes);
  options.random->Fill(raw);
  return ToHex(raw);
}

Status CreateUser(const AdminOptions& options, AccountRow row, const std::string& password) {
  FERRY_TRY(CheckUserName(row.name));
  FERRY_TRY(AsStatus(RightsOfRole(row.role)));
  FERRY_TRY(CheckScope(row.packages, row.groups));
  FERRY_ASSIGN_OR_RETURN(row.password, HashNewPassword(options, password));
  row.created_ms = options.clock->NowUnixMs();
  return options.store->Write([&](Transaction& tx) -> Status {
    if (tx.accounts().Get(row.name).ok())
      return Status::Of(Code::kAlreadyExists, "there is a user {} already", row.name);
    FERRY_ASSIGN_OR_RETURN(const std::vector<AccountRow> all, tx.accounts().All());
    if (all.size() >= kMaxUsers)
      return Status::Of(Code::kLimitExceeded, "there are {} users already", kMaxUsers);
    return tx.accounts().Put(row);
  });
}

Status ChangeUser(const AdminOptions& options, const std::string& name,
                  const std::function<Status(AccountRow&)>& change) {
  return options.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(AccountRow row, tx.accounts().Get(name));
    const AccountRow before = row;
    FERRY_TRY(change(row));
    FERRY_TRY(AsStatus(RightsOfRole(row.role)));
    FERRY_TRY(CheckScope(row.packages, row.groups));
    const bool same =
        row.role == before.role && row.packages == before.packages && row.groups == before.groups;
    if (name == kAdminAccount && (!same || row.disabled))
      return Status(Code::kFailedPrecondition,
                    "the user admin keeps its role and scope: the server cannot be left without");
    if (!same) FERRY_TRY(CheckIsOwn(before, "role and scope are"));
    if (!(row.totp == before.totp)) FERRY_TRY(CheckIsOwn(before, "the second factor is"));
    if (row.disabled && !before.disabled) FERRY_TRY(tx.accounts().EndSessions(name));
    return tx.accounts().Put(row);
  });
}

Status DeleteUser(const AdminOptions& options, const std::string& name) {
  if (name == kAdminAccount)
    return Status(Code::kFailedPrecondition, "the user admin cannot be deleted");
  return options.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(AsStatus(tx.accounts().Get(name)));
    return tx.accounts().Remove(name);
  });
}

Status SetUserPassword(const AdminOptions& options, const std::string& name,
                       const std::string& password) {
  FERRY_ASSIGN_OR_RETURN(const std::string stored, HashNewPassword(options, password));
  return options.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(AccountRow row, tx.accounts().Get(name));
    FERRY_TRY(CheckIsOwn(row, "the password is"));
    row.password = stored;
    FERRY_TRY(tx.accounts().EndSessions(name));
    if (name == kAdminAccount) FERRY_TRY(tx.access().RemoveSetting(kOneTimeKey));
    return tx.accounts().Put(row);
  });
}

Result<Identity> IdentityOf(const AccountRow& account, std::string name) {
  if (account.disabled)
    return Status::Of(Code::kUnauthenticated, "user {} is disabled", account.name);
  Identity identity;
  identity.account = account.name;
  identity.name = std::move(name);
  FERRY_ASSIGN_OR_RETURN(identity.rights, RightsOfRole(account.role));
  identity.packages = {account.packages};
  if (!account.groups.empty()) identity.groups = account.groups;
  return identity;
}

Status SetAdminPassword(const AdminOptions& options, const std::string& password) {
  return SetUserPassword(options, kAdminAccount, password);
}

}  // namespace ferry::server
