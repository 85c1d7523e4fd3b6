// Who may call: passwords and bearer tokens. Private to admin; the makers are in admin.h.
#pragma once

#include <string>

#include "cloud-server/admin/admin.h"
#include "cloud-server/admin/login/login_tries.h"
#include "cloud-server/admin/rights/rights.h"

namespace ferry::server {

struct Login {
  std::string token;
  int64_t expires_ms = 0;
};

// `user` empty: the user admin, whom a one-time password lets in too. kUnauthenticated for a wrong
// password or user; kUnavailable after kMaxLoginFailures of the address `peer` within a minute.
Result<Login> LogIn(const AdminOptions& options, LoginTries& tries, const std::string& peer,
                    const std::string& password, const std::string& user = {});
Status LogOut(const AdminOptions& options, const std::string& token);
// Who is behind "Bearer <token>", a session or an API token; kUnauthenticated.
Result<Identity> IdentityOfBearer(const AdminOptions& options, const std::string& authorization);
Result<std::string> NameOfBearer(const AdminOptions& options, const std::string& authorization);

// Notes that the token is used now; at most once in kLastUsedStepMs, for it writes to the store.
Status NoteUse(const AdminOptions& options, const SessionRow& session);
Status NoteUse(const AdminOptions& options, const ApiTokenRow& token);
inline constexpr int64_t kLastUsedStepMs = 60'000;

// A password as it is stored, "pbkdf2-sha256$<rounds>$<salt>$<hash>", and its check.
std::string HashPassword(const std::string& password, ByteView salt, int rounds);
bool MatchesPassword(const std::string& password, const std::string& stored);

inline constexpr const char* kOneTimeKey = "admin.one_time";  // "<expires ms> <sha256 hex>"
inline constexpr int kPasswordRounds = 100'000;               // about 0.1 s on one core

}  // namespace ferry::server
