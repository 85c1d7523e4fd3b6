#include "cloud-server/admin/access.h"

#include <charconv>
#include <mutex>

#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/trust/join.h"

namespace ferry::server {
namespace {

constexpr const char* kPasswordKey = "admin.password";
constexpr const char* kOneTimeKey = "admin.one_time";  // "<expires ms> <sha256 hex>"
constexpr const char* kStartedKey = "admin.started";   // set by the first start
constexpr size_t kMinPasswordBytes = 12;
constexpr size_t kMaxPasswordBytes = 1024;
constexpr int64_t kMaxJoinUses = 10'000'000;
constexpr int64_t kMaxJoinLifeMs = int64_t{10} * 365 * 86'400'000;

std::string RandomHex(const AdminOptions& options, size_t bytes) {
  Bytes raw(bytes);
  options.random->Fill(raw);
  return ToHex(raw);
}

std::string HashHex(std::string_view text) {
  return ToHex(crypto::Sha256(AsBytes(text)));
}

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

Status AddSession(Transaction& tx, const AdminOptions& options, const std::string& name,
                  Login* login) {
  const int64_t now_ms = options.clock->NowUnixMs();
  login->token = RandomHex(options, 32);
  login->expires_ms = now_ms + kSessionLifeMs;
  return tx.access().PutSession({HashHex(login->token), name, now_ms, login->expires_ms, 0});
}

// Uses the one-time password up. Whether it was right.
Result<bool> TakeOneTime(Transaction& tx, const AdminOptions& options,
                         const std::string& password) {
  FERRY_ASSIGN_OR_RETURN(std::optional<std::string> stored, tx.access().Setting(kOneTimeKey));
  if (!stored) return false;
  Pair pair = ParsePair(*stored);
  const bool right = pair.number > options.clock->NowUnixMs() &&
                     crypto::ConstantTimeEqual(AsBytes(pair.text), AsBytes(HashHex(password)));
  if (right) FERRY_TRY(tx.access().RemoveSetting(kOneTimeKey));
  return right;
}

Result<Login> LogInOnce(const AdminOptions& options, const std::string& password) {
  if (password.empty() || password.size() > kMaxPasswordBytes)
    return Status(Code::kUnauthenticated, "wrong password");
  std::string stored;
  FERRY_TRY(options.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::optional<std::string> value, tx.access().Setting(kPasswordKey));
    stored = value.value_or("");
    return OkStatus();
  }));
  // Outside of the transaction: it takes long.
  const bool standing = !stored.empty() && MatchesPassword(password, stored);
  Login login;
  bool right = false;
  FERRY_TRY(options.store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(bool once, TakeOneTime(tx, options, password));
    right = once || standing;
    return right ? AddSession(tx, options, once ? "one-time password" : "admin", &login)
                 : OkStatus();
  }));
  if (right) return login;
  return Status(Code::kUnauthenticated, "wrong password");
}

}  // namespace

Result<Login> LogIn(const AdminOptions& options, LoginTries& tries, const std::string& peer,
                    const std::string& password) {
  FERRY_TRY(tries.Take(peer, options.clock->MonotonicNs()));
  Result<Login> login = LogInOnce(options, password);
  if (login.code() != Code::kUnauthenticated) tries.GiveBack(peer);
  return login;
}

Status LogOut(const AdminOptions& options, const std::string& token) {
  return options.store->Write(
      [&](Transaction& tx) { return tx.access().RemoveSession(HashHex(token)); });
}

Result<std::string> NameOfBearer(const AdminOptions& options, const std::string& authorization) {
  constexpr std::string_view kBearer = "Bearer ";
  if (!authorization.starts_with(kBearer))
    return Status(Code::kUnauthenticated, "a bearer token is needed: log in first");
  SessionRow session;
  Status status = options.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(session,
                           tx.access().Session(HashHex(authorization.substr(kBearer.size()))));
    return OkStatus();
  });
  if (status.code() == Code::kNotFound)
    return Status(Code::kUnauthenticated, "this token is not known: log in again");
  FERRY_TRY(status);
  if (session.expires_ms <= options.clock->NowUnixMs())
    return Status(Code::kUnauthenticated, "this token has expired: log in again");
  if (Status noted = NoteUse(options, session); !noted.ok())
    LogWarn("admin", "when a token was used: {}", noted.ToString());  // the call goes on
  return session.name;
}

Result<std::string> MakeOneTimePassword(const AdminOptions& options) {
  std::string password = RandomHex(options, 10);
  const int64_t expires_ms = options.clock->NowUnixMs() + kOneTimePasswordLifeMs;
  FERRY_TRY(options.store->Write([&](Transaction& tx) {
    return tx.access().PutSetting(kOneTimeKey, fmt::format("{} {}", expires_ms, HashHex(password)));
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
    return tx.access().PutSetting(kOneTimeKey, fmt::format("{} {}", expires_ms, HashHex(password)));
  }));
  if (!first) return std::optional<std::string>();
  return std::optional<std::string>(password);
}

Result<std::string> MakeAdminToken(const AdminOptions& options, const std::string& name) {
  Login login;
  FERRY_TRY(
      options.store->Write([&](Transaction& tx) { return AddSession(tx, options, name, &login); }));
  return login.token;
}

Status SetAdminPassword(const AdminOptions& options, const std::string& password) {
  if (password.size() < kMinPasswordBytes || password.size() > kMaxPasswordBytes)
    return Status::Of(Code::kInvalidArgument, "a password needs {} to {} characters",
                      kMinPasswordBytes, kMaxPasswordBytes);
  Bytes salt(16);
  options.random->Fill(salt);
  const std::string stored = HashPassword(password, salt, kPasswordRounds);
  return options.store->Write(
      [&](Transaction& tx) { return tx.access().PutSetting(kPasswordKey, stored); });
}

Result<NewJoinToken> MakeJoinToken(const AdminOptions& options, int64_t uses, int64_t valid_ms) {
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
