// Users and their API tokens: what is written, and who a bearer is. Any thread.
// ---- users.cc api_tokens.cc
#pragma once

#include <string>
#include <vector>

#include "cloud-server/admin/admin.h"
#include "cloud-server/admin/rights/rights.h"

namespace ferry::server {

inline constexpr size_t kMaxUserNameBytes = 64;
inline constexpr size_t kMaxUsers = 1000;
inline constexpr size_t kMaxUserTokens = 50;
inline constexpr int64_t kApiTokenLifeMs = 90 * int64_t{86'400'000};  // unless told otherwise
inline constexpr int64_t kMaxApiTokenLifeMs = 366 * int64_t{86'400'000};

// kInvalidArgument for what is no name of a user.
Status CheckUserName(const std::string& name);
// kInvalidArgument or kLimitExceeded for a name, role or scope that is none, kAlreadyExists. The
// row's password is empty.
Status CreateUser(const AdminOptions& options, AccountRow row, const std::string& password);
// The user "admin" is always admin of everything, and the only one that cannot go. What an issuer
// says of a user is not changed here.
Status ChangeUser(const AdminOptions& options, const std::string& name,
                  const std::function<Status(AccountRow&)>& change);
Status DeleteUser(const AdminOptions& options, const std::string& name);
// 12 to 1024 bytes. All of the user's sessions and tokens end. kFailedPrecondition for a user of an
// issuer, which has no password here.
Status SetUserPassword(const AdminOptions& options, const std::string& name,
                       const std::string& password);

struct NewApiToken {
  ApiTokenRow row;
  std::string secret;  // shown once; the store has its hash
};
// `row`: account, name, role, scope; role and scope within the user's own. It expires `valid_ms`
// from the call.
Result<NewApiToken> MakeApiToken(const AdminOptions& options, ApiTokenRow row, int64_t valid_ms);

// What a session of the user, or one of its tokens, may do. kUnauthenticated when it is disabled.
Result<Identity> IdentityOf(const AccountRow& account, std::string name);
Result<Identity> IdentityOf(const AccountRow& account, const ApiTokenRow& token);

// A password as it is stored, with a fresh salt; kInvalidArgument when it is too short or long.
Result<std::string> HashNewPassword(const AdminOptions& options, const std::string& password);

// `bytes` of randomness in hex.
std::string RandomHex(const AdminOptions& options, size_t bytes);

}  // namespace ferry::server
