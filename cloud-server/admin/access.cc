#include "cloud-server/admin/access.h"

#include <algorithm>
#include <charconv>
#include <mutex>

#include "cloud-server/admin/login/cookies.h"
#include "cloud-server/admin/login/password.h"
#include "cloud-server/admin/login/totp.h"
#include "cloud-server/admin/rights/users.h"
#include "cloud-server/core/apply.h"
#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/trust/join.h"

namespace ferry::server {
namespace {

constexpr const char* kStartedKey = "admin.started";       // set by the first start
constexpr const char* kOneTimeName = "one-time password";  // of its session in lists
constexpr size_t kMaxPasswordBytes = 1024;
constexpr int64_t kMaxJoinUses = 10'000'000;
constexpr int64_t kMaxJoinLifeMs = int64_t{10} * 365 * 86'400'000;

// "<number> <text>" in one setting.
struct Pair {
  int64_t number = 0;
  std::string text;
};
Pair ParsePair(const std::string& stored) {
  Pair pair;
  auto [end, error] = std::from_chars(stored.data(), stored.data() + stored.size(), pair.number);
  if (error == std::errc() && end != stored.data() + stored.size())
    pair.text = std::string(end + 1, stored.data() + stored.size());
  return pair;
}

// `row`: account, name, and what is known of a browser.
Status AddSession(Transaction& tx, const AdminOptions& options, SessionRow row, int64_t life_ms,
                  Login* login) {
  row.created_ms = options.clock->NowUnixMs();
  row.expires_ms = row.created_ms + std::min(row.cookie ? kCookieLifeMs : kSessionLifeMs, life_ms);
  login->token = RandomHex(options, 32);
  login->expires_ms = row.expires_ms;
  row.token_sha256 = TokenHash(login->token);
  return tx.access().PutSession(row);
}

// Room for one more: what has ended goes, and of too many browsers' sessions the oldest.
Status MakeRoomForSession(Transaction& tx, const std::string& account, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(std::vector<SessionRow> sessions, tx.access().SessionsOf(account));
  size_t cookies = 0;
  for (auto row = sessions.rbegin(); row != sessions.rend(); ++row) {
    const bool ended = HasEnded(*row, now_ms);
    if (!ended && row->cookie) ++cookies;
    if (ended || (row->cookie && cookies >= kMaxUserCookies))
      FERRY_TRY(tx.access().RemoveSession(row->token_sha256));
  }
  return OkStatus();
}

// Uses the one-time password up. Whether it was right.
Result<bool> TakeOneTime(Transaction& tx, const AdminOptions& options,
                         const std::string& password) {
  FERRY_ASSIGN_OR_RETURN(std::optional<std::string> stored, tx.access().Setting(kOneTimeKey));
  if (!stored) return false;
  Pair pair = ParsePair(*stored);
  const bool right = pair.number > options.clock->NowUnixMs() &&
                     crypto::ConstantTimeEqual(AsBytes(pair.text), AsBytes(TokenHash(password)));
  if (right) FERRY_TRY(tx.access().RemoveSetting(kOneTimeKey));
  return right;
}

// The account's password as it is stored; empty when nobody logs in as it.
Result<std::string> StoredPassword(Transaction& tx, const std::string& account) {
  const Result<AccountRow> row = tx.accounts().Get(account);
  if (row.code() == Code::kNotFound) return std::string();
  FERRY_TRY(row.status());
  return row->disabled ? std::string() : row->password;
}

// The second factor, where the user has one.
Status TakeCode(const AdminOptions& options, const LoginKind& kind, AccountRow* row) {
  FERRY_ASSIGN_OR_RETURN(Totp totp, Totp::Parse(row->totp));
  if (totp.none() || !totp.confirmed) return OkStatus();
  if (kind.wants_code != nullptr) *kind.wants_code = true;
  if (kind.code.empty())
    return Status(Code::kUnauthenticated,
                  "a code of the second factor is needed (ferry login --code)");
  if (!totp.Take(kind.code, options.clock->NowUnixMs()))
    return Status(Code::kUnauthenticated, "wrong code, or one that was used");
  if (kind.wants_code != nullptr) *kind.wants_code = false;
  row->totp = totp.Text();
  return OkStatus();
}

Result<Login> LogInOnce(const AdminOptions& options, const std::string& user,
                        const std::string& password, SessionRow row, const LoginKind& kind) {
  if (password.empty() || password.size() > kMaxPasswordBytes)
    return Status(Code::kUnauthenticated, "wrong password");
  const std::string account = user.empty() ? kAdminAccount : user;
  std::string stored;
  FERRY_TRY(options.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(stored, StoredPassword(tx, account));
    return OkStatus();
  }));
  // Outside of the transaction: it takes long. As long for a user that is not there, so that
  // nobody learns which there are.
  if (stored.empty()) WastePassword(password);
  const bool standing = !stored.empty() && MatchesPassword(password, stored);
  std::string upgraded;
  if (standing && IsOldHash(stored)) {
    FERRY_ASSIGN_OR_RETURN(upgraded, HashNewPassword(options, password));
  }
  Login login;
  FERRY_TRY(options.store->Write([&](Transaction& tx) -> Status {
    bool once = false;
    if (user.empty()) {
      FERRY_ASSIGN_OR_RETURN(once, TakeOneTime(tx, options, password));
    }
    // Set anew while it was compared: the old one logs nobody in any more.
    FERRY_ASSIGN_OR_RETURN(const std::string still, StoredPassword(tx, account));
    if (!once && !(standing && still == stored))
      return Status(Code::kUnauthenticated, "wrong password");
    FERRY_ASSIGN_OR_RETURN(const AccountRow before, tx.accounts().Get(account));
    AccountRow changed = before;
    if (!once) FERRY_TRY(TakeCode(options, kind, &changed));
    if (!once && !upgraded.empty()) changed.password = upgraded;
    if (!(changed == before)) FERRY_TRY(tx.accounts().Put(changed));
    row.account = account;
    row.name = once ? kOneTimeName : account;
    const std::string instead_of = kind.instead_of.empty() ? "" : TokenHash(kind.instead_of);
    FERRY_ASSIGN_OR_RETURN(login, BeginSession(tx, options, std::move(row), instead_of));
    return OkStatus();
  }));
  return login;
}

}  // namespace

std::string TokenHash(std::string_view token) {
  return ToHex(crypto::Sha256(AsBytes(token)));
}

Result<Login> BeginSession(Transaction& tx, const AdminOptions& options, SessionRow row,
                           const std::string& instead_of, int64_t life_ms) {
  Login login;
  FERRY_ASSIGN_OR_RETURN(login.account, tx.accounts().Get(row.account));
  if (!instead_of.empty()) FERRY_TRY(tx.access().RemoveSession(instead_of));
  FERRY_TRY(MakeRoomForSession(tx, row.account, options.clock->NowUnixMs()));
  FERRY_TRY(AddSession(tx, options, std::move(row), life_ms, &login));
  return login;
}

Result<Login> LogIn(const AdminOptions& options, LoginTries& tries, const std::string& peer,
                    const std::string& password, const std::string& user, const LoginKind& kind) {
  FERRY_TRY(tries.Take(peer, options.clock->MonotonicNs()));
  SessionRow row;
  row.cookie = kind.cookie;
  row.peer = peer;
  row.agent = kind.agent.substr(0, kMaxAgentBytes);
  bool wants_code = false;
  LoginKind own = kind;
  own.wants_code = &wants_code;
  Result<Login> login = LogInOnce(options, user, password, std::move(row), own);
  // Who was only asked for a code guessed nothing.
  const bool asked = wants_code && kind.code.empty();
  if (login.code() != Code::kUnauthenticated || asked) tries.GiveBack(peer);
  if (kind.wants_code != nullptr) *kind.wants_code = wants_code;
  return login;
}

Status LogOut(const AdminOptions& options, const std::string& token) {
  return options.store->Write(
      [&](Transaction& tx) { return tx.access().RemoveSession(TokenHash(token)); });
}

namespace {

constexpr std::string_view kBearer = "Bearer ";

Result<Identity> IdentityOfToken(const AdminOptions& options, std::string_view text, bool cookie,
                                 Use use) {
  const std::string hash = TokenHash(text);
  std::optional<SessionRow> session;
  ApiTokenRow token;
  AccountRow account;
  const Status status = options.store->Read([&](Transaction& tx) -> Status {
    Result<SessionRow> found = tx.access().Session(hash);
    if (found.ok()) {
      // A cookie is no bearer token, nor the other way round.
      if (found->cookie != cookie) return Status(Code::kNotFound, "of another kind");
      session = std::move(*found);
    } else if (cookie) {
      return found.status();
    } else {
      FERRY_ASSIGN_OR_RETURN(token, tx.accounts().Token(hash));
    }
    FERRY_ASSIGN_OR_RETURN(account, tx.accounts().Get(session ? session->account : token.account));
    return OkStatus();
  });
  if (status.code() == Code::kNotFound)
    return Status::Of(Code::kUnauthenticated, "this {} is not known: log in again",
                      cookie ? "session" : "token");
  FERRY_TRY(status);
  const int64_t now_ms = options.clock->NowUnixMs();
  if (session ? HasEnded(*session, now_ms) : token.expires_ms <= now_ms)
    return Status::Of(Code::kUnauthenticated, "this {} has expired: log in again",
                      cookie ? "session" : "token");
  const Status noted = use == Use::kNotNoted ? OkStatus()
                       : session             ? NoteUse(options, *session)
                                             : NoteUse(options, token);
  if (!noted.ok())
    LogWarn("admin", "when a token was used: {}", noted.ToString());  // the call goes on
  if (!session) return IdentityOf(account, token);
  // History names the user, however he logged in.
  const std::string& name = session->name == kOneTimeName ? account.name : session->name;
  FERRY_ASSIGN_OR_RETURN(Identity identity, IdentityOf(account, name));
  identity.session = SessionIdOf(*session);
  identity.by_cookie = cookie;
  identity.expires_ms = session->expires_ms;
  return identity;
}

}  // namespace

Result<Identity> IdentityOfBearer(const AdminOptions& options, const std::string& authorization) {
  if (!authorization.starts_with(kBearer))
    return Status(Code::kUnauthenticated, "a bearer token is needed: log in first");
  return IdentityOfToken(options, authorization.substr(kBearer.size()), false, Use::kNoted);
}

Result<Identity> IdentityOfCall(const AdminOptions& options, const HttpRequest& request, Use use) {
  const std::string& authorization = request.authorization;
  if (authorization.starts_with(kBearer))
    return IdentityOfToken(options, authorization.substr(kBearer.size()), false, use);
  const std::string cookie = CookieOf(request, CookieSiteOf(options));
  if (!authorization.empty() || cookie.empty())
    return Status(Code::kUnauthenticated, "a session or a bearer token is needed: log in first");
  return IdentityOfToken(options, cookie, true, use);
}

Result<std::string> NameOfBearer(const AdminOptions& options, const std::string& authorization) {
  FERRY_ASSIGN_OR_RETURN(Identity identity, IdentityOfBearer(options, authorization));
  return std::move(identity.name);
}

Result<std::string> MakeOneTimePassword(const AdminOptions& options) {
  std::string password = RandomHex(options, 10);
  const int64_t expires_ms = options.clock->NowUnixMs() + kOneTimePasswordLifeMs;
  FERRY_TRY(options.store->Write([&](Transaction& tx) {
    return tx.access().PutSetting(kOneTimeKey,
                                  fmt::format("{} {}", expires_ms, TokenHash(password)));
  }));
  return password;
}

Result<std::optional<std::string>> MakeFirstPassword(const AdminOptions& options) {
  const std::string password = RandomHex(options, 10);
  const int64_t expires_ms = options.clock->NowUnixMs() + kOneTimePasswordLifeMs;
  bool first = false;
  FERRY_TRY(options.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto started, tx.access().Setting(kStartedKey));
    FERRY_ASSIGN_OR_RETURN(const auto standing, tx.access().Setting(kOneTimeKey));
    first = !started && !standing;
    if (!started) FERRY_TRY(tx.access().PutSetting(kStartedKey, "yes"));
    if (!first) return OkStatus();
    return tx.access().PutSetting(kOneTimeKey,
                                  fmt::format("{} {}", expires_ms, TokenHash(password)));
  }));
  if (!first) return std::optional<std::string>();
  return std::optional<std::string>(password);
}

Result<std::string> MakeAdminToken(const AdminOptions& options, const std::string& name) {
  Login login;
  SessionRow row;
  row.name = name;
  row.account = kAdminAccount;
  FERRY_TRY(options.store->Write(
      [&](Transaction& tx) { return AddSession(tx, options, row, kSessionLifeMs, &login); }));
  return login.token;
}

Result<NewJoinToken> MakeJoinToken(const AdminOptions& options, int64_t uses, int64_t valid_ms,
                                   std::vector<std::string> tags) {
  if (uses < 1 || uses > kMaxJoinUses)
    return Status::Of(Code::kInvalidArgument, "uses: {}, not 1 to {}", uses, kMaxJoinUses);
  if (valid_ms < 1 || valid_ms > kMaxJoinLifeMs)
    return Status::Of(Code::kInvalidArgument, "valid_ms: {}, not 1 to {}", valid_ms,
                      kMaxJoinLifeMs);
  FERRY_ASSIGN_OR_RETURN(MetadataRow root,
                         options.registry->Metadata("root", 0).Context(
                             "a join token pins the root, which is not uploaded yet"));
  trust::JoinToken token;
  token.tenant = options.tenant;
  token.host = options.device_host;
  token.port = options.device_port;
  token.authority = options.authority_pin;
  token.root_version = root.version;
  token.root_sha256 = crypto::Sha256(root.document);
  token.secret.resize(32);
  options.random->Fill(token.secret);
  NewJoinToken made;
  FERRY_ASSIGN_OR_RETURN(made.row.tags, OperatorTagsFrom(std::move(tags)));
  made.secret = ToHex(token.secret);
  made.text = trust::JoinTokenToText(token);
  made.row.id = RandomHex(options, 6);
  made.row.tenant = options.tenant;
  made.row.secret_sha256 = ToHex(crypto::Sha256(token.secret));
  made.row.created_ms = options.clock->NowUnixMs();
  made.row.expires_ms = made.row.created_ms + valid_ms;
  made.row.uses_left = uses;
  FERRY_TRY(
      options.store->Write([&](Transaction& tx) { return tx.access().PutJoinToken(made.row); }));
  return made;
}

}  // namespace ferry::server
