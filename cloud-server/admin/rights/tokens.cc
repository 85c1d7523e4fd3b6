// The bearer tokens of logged-in operators, as the command line shows and revokes them.
#include <algorithm>

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/login/cookies.h"

namespace ferry::server {
namespace {

constexpr size_t kSessionIdLetters = 12;

// A clock that was set back counts anew.
bool IsNoted(int64_t last_used_ms, int64_t now_ms) {
  return now_ms >= last_used_ms && now_ms - last_used_ms < kLastUsedStepMs;
}

}  // namespace

bool HasEnded(const SessionRow& session, int64_t now_ms) {
  if (session.expires_ms <= now_ms) return true;
  return session.cookie &&
         now_ms - std::max(session.created_ms, session.last_used_ms) >= kCookieIdleMs;
}

std::string SessionIdOf(const SessionRow& session) {
  return session.token_sha256.substr(0, kSessionIdLetters);
}

Status NoteUse(const AdminOptions& options, const SessionRow& session) {
  const int64_t now_ms = options.clock->NowUnixMs();
  if (IsNoted(session.last_used_ms, now_ms)) return OkStatus();
  return options.store->Write(
      [&](Transaction& tx) { return tx.access().TouchSession(session.token_sha256, now_ms); });
}

Status NoteUse(const AdminOptions& options, const ApiTokenRow& token) {
  const int64_t now_ms = options.clock->NowUnixMs();
  if (IsNoted(token.last_used_ms, now_ms)) return OkStatus();
  return options.store->Write(
      [&](Transaction& tx) { return tx.accounts().TouchToken(token.token_sha256, now_ms); });
}

Result<std::vector<AdminToken>> AdminTokens(const AdminOptions& options) {
  std::vector<AdminToken> tokens;
  FERRY_TRY(options.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<SessionRow> sessions, tx.access().Sessions());
    tokens.clear();
    for (const SessionRow& session : sessions) {
      if (HasEnded(session, options.clock->NowUnixMs())) continue;
      tokens.push_back({SessionIdOf(session), session.name, session.created_ms,
                        session.last_used_ms, session.expires_ms});
    }
    return OkStatus();
  }));
  return tokens;
}

Status RevokeAdminToken(const AdminOptions& options, const std::string& id) {
  return options.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const std::vector<SessionRow> sessions, tx.access().Sessions());
    const auto at = std::find_if(sessions.begin(), sessions.end(), [&](const SessionRow& session) {
      return SessionIdOf(session) == id;
    });
    if (at == sessions.end())
      return Status::Of(Code::kNotFound, "there is no token {}", id.substr(0, 80));
    return tx.access().RemoveSession(at->token_sha256);
  });
}

}  // namespace ferry::server
