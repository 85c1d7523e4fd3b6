#include <algorithm>

#include "cloud-server/admin/rights/users.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kTokenIdBytes = 6;
// A prefix by which people and scanners of source code know it for what it is.
constexpr const char* kSecretPrefix = "ferry_";

}  // namespace

Result<NewApiToken> MakeApiToken(const AdminOptions& options, ApiTokenRow row, int64_t valid_ms) {
  if (valid_ms < 1 || valid_ms > kMaxApiTokenLifeMs)
    return Status::Of(Code::kInvalidArgument, "valid_ms: {}, not 1 to {}", valid_ms,
                      kMaxApiTokenLifeMs);
  if (row.name.empty() || row.name.size() > kMaxUserNameBytes)
    return Status::Of(Code::kInvalidArgument, "a token needs a name of 1 to {} bytes",
                      kMaxUserNameBytes);
  FERRY_ASSIGN_OR_RETURN(const uint32_t rights, RightsOfRole(row.role));
  FERRY_TRY(CheckScope(row.packages, row.groups));
  NewApiToken made;
  made.secret = kSecretPrefix + RandomHex(options, kSecretBytes);
  row.id = RandomHex(options, kTokenIdBytes);
  row.token_sha256 = crypto::Sha256Hex(AsBytes(made.secret));
  row.created_ms = options.clock->NowUnixMs();
  row.expires_ms = row.created_ms + valid_ms;
  FERRY_TRY(options.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AccountRow account, tx.accounts().Get(row.account));
    FERRY_ASSIGN_OR_RETURN(const uint32_t most, RightsOfRole(account.role));
    if ((rights & ~most) != 0)
      return Status::Of(Code::kPermissionDenied, "{} is {}: no token of it can be {}", account.name,
                        account.role, row.role);
    for (const std::string& group : row.groups)
      if (!account.groups.empty() && !IsWithin(group, account.groups))
        return Status::Of(Code::kPermissionDenied, "group {} is not in the scope of {}", group,
                          account.name);
    FERRY_ASSIGN_OR_RETURN(const std::vector<ApiTokenRow> all, tx.accounts().Tokens(row.account));
    if (all.size() >= kMaxUserTokens)
      return Status::Of(Code::kLimitExceeded, "{} has {} tokens already: revoke some", row.account,
                        kMaxUserTokens);
    return tx.accounts().PutToken(row);
  }));
  made.row = std::move(row);
  return made;
}

Result<Identity> IdentityOf(const AccountRow& account, const ApiTokenRow& token) {
  FERRY_ASSIGN_OR_RETURN(
      Identity identity,
      IdentityOf(account, fmt::format("{} (token {})", account.name, token.name)));
  FERRY_ASSIGN_OR_RETURN(const uint32_t rights, RightsOfRole(token.role));
  identity.rights &= rights;
  identity.packages.push_back(token.packages);
  if (token.groups.empty()) return identity;
  // The user may have been limited since the token was made.
  std::vector<std::string> groups;
  for (const std::string& group : token.groups)
    if (!identity.groups || IsWithin(group, *identity.groups)) groups.push_back(group);
  identity.groups = std::move(groups);
  return identity;
}

}  // namespace ferry::server
