// Who may call: passwords and bearer tokens. Private to admin; the makers are in admin.h.
#pragma once

#include <string>

#include "cloud-server/admin/admin.h"
#include "cloud-server/admin/http.h"
#include "cloud-server/admin/login/login_tries.h"
#include "cloud-server/admin/rights/rights.h"

namespace ferry::server {

struct Login {
  std::string token;
  int64_t expires_ms = 0;
  AccountRow account;
};

// What a login makes besides a bearer token of kSessionLifeMs.
struct LoginKind {
  bool cookie = false;
  std::string agent;       // what the browser calls itself
  std::string instead_of;  // the token of the session that ends with it; empty: none
  std::string code;        // of the second factor
  // Becomes true when all was right but the code, which is missing or wrong.
  bool* wants_code = nullptr;
};

// `user` empty: the user admin, whom a one-time password lets in too, without a second factor: it
// comes from the server's own machine. kUnauthenticated for a wrong password, user or code;
// kUnavailable after kMaxLoginFailures of the address `peer` within a minute.
Result<Login> LogIn(const AdminOptions& options, LoginTries& tries, const std::string& peer,
                    const std::string& password, const std::string& user = {},
                    const LoginKind& kind = {});
// A session for who has proved who it is, within a transaction of the caller's. `row`: account,
// name, and what is known of the browser. The session `instead_of` (the hash of its token; empty:
// none) ends. It lasts `life_ms` at most.
Result<Login> BeginSession(Transaction& tx, const AdminOptions& options, SessionRow row,
                           const std::string& instead_of, int64_t life_ms = INT64_MAX);
Status LogOut(const AdminOptions& options, const std::string& token);
// Who is behind "Bearer <token>", a session or an API token; kUnauthenticated.
Result<Identity> IdentityOfBearer(const AdminOptions& options, const std::string& authorization);
// Who calls: by its bearer token, or where it has none by its cookie. A look that nobody asked for
// is no use of the session: it does not put off its end.
enum class Use { kNoted, kNotNoted };
Result<Identity> IdentityOfCall(const AdminOptions& options, const HttpRequest& request,
                                Use use = Use::kNoted);
Result<std::string> NameOfBearer(const AdminOptions& options, const std::string& authorization);

// As sessions are kept and named: the hash of a token.
std::string TokenHash(std::string_view token);

// Whether it logs nobody in any more: expired, or a browser's that nobody used for kCookieIdleMs.
bool HasEnded(const SessionRow& session, int64_t now_ms);
// A session as others may know it: enough of its hash to tell sessions apart, no use to log in.
std::string SessionIdOf(const SessionRow& session);

// Notes that the token is used now; at most once in kLastUsedStepMs, for it writes to the store.
Status NoteUse(const AdminOptions& options, const SessionRow& session);
Status NoteUse(const AdminOptions& options, const ApiTokenRow& token);
inline constexpr int64_t kLastUsedStepMs = 60'000;

inline constexpr const char* kOneTimeKey = "admin.one_time";  // "<expires ms> <sha256 hex>"

}  // namespace ferry::server
