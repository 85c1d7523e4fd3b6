#include "cloud-server/oidc/sign_in.h"

#include <algorithm>

#include "common/base/bytes.h"
#include "common/crypto/hash.h"

namespace ferry::server::oidc {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kMaxTextBytes = 200;
constexpr size_t kMaxCodeBytes = 4096;

struct RefusalInfo {
  Refusal refusal;
  const char* name;
  const char* sentence;
};
constexpr RefusalInfo kRefusals[] = {
#define FERRY_OIDC_REFUSAL(refusal, name, sentence) {Refusal::refusal, name, sentence},
#include "cloud-server/oidc/refusals.inc"
#undef FERRY_OIDC_REFUSAL
};

bool IsPrintable(std::string_view text, size_t most) {
  return !text.empty() && text.size() <= most &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::string ValueOf(const std::map<std::string, std::string>& query, const char* name) {
  const auto at = query.find(name);
  return at == query.end() ? std::string() : at->second;
}

std::string Small(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Members of `more` that `claims` lacks.
void Complete(const Json& more, Json* claims) {
  for (const auto& [name, value] : more.items())
    if (!claims->contains(name)) (*claims)[name] = value;
}

}  // namespace

const char* NameOf(Refusal refusal) {
  for (const RefusalInfo& info : kRefusals)
    if (info.refusal == refusal) return info.name;
  return "none";
}

std::string SentenceOf(std::string_view name) {
  for (const RefusalInfo& info : kRefusals)
    if (name == info.name) return info.sentence;
  return {};
}

Result<std::unique_ptr<SignIn>> SignIn::Make(SignInOptions options) {
  FERRY_TRY(CheckIssuerUrl(options.client.issuer).Context("issuer"));
  if (options.client.issuer.find('?') != std::string::npos)
    return Status(Code::kInvalidArgument, "issuer: has a query");
  if (!IsPrintable(options.client.id, kMaxTextBytes))
    return Status(Code::kInvalidArgument, "client: missing, or with spaces");
  if (options.roles.empty() || options.roles.size() > kMaxRoleRows)
    return Status::Of(Code::kInvalidArgument, "roles: {}, not 1 to {}", options.roles.size(),
                      kMaxRoleRows);
  if ((" " + options.scope + " ").find(" openid ") == std::string::npos)
    return Status(Code::kInvalidArgument, "scope: without \"openid\" there is no sign-in");
  if (options.user_claim.empty() || options.roles_claim.empty())
    return Status(Code::kInvalidArgument, "claims: one has no name");
  if (options.name.empty() || options.name.size() > kMaxTextBytes)
    return Status::Of(Code::kInvalidArgument, "name: not 1 to {} bytes", kMaxTextBytes);
  if (!options.return_url.empty()) FERRY_TRY(CheckIssuerUrl(options.return_url).Context("return"));
  return std::unique_ptr<SignIn>(new SignIn(std::move(options)));
}

std::string SignIn::Secret() {
  Bytes raw(kSecretBytes);
  const std::lock_guard lock(mutex_);
  options_.random->Fill(raw);
  return ToBase64Url(raw);
}

Result<SignIn::Begun> SignIn::Begin(const Beginning& beginning) {
  const std::string& goal = beginning.goal;
  if (!goal.empty() && (!goal.starts_with("#/") || !IsPrintable(goal, kMaxGoalBytes)))
    return Status::Of(Code::kInvalidArgument, "goal: no fragment \"#/...\" of {} bytes at most",
                      kMaxGoalBytes);
  FERRY_ASSIGN_OR_RETURN(const Discovery issuer, issuer_.Look());
  const std::string state = Secret(), browser = Secret();
  Waiting waiting;
  waiting.browser_sha256 = crypto::Sha256Hex(AsBytes(browser));
  waiting.verifier = Secret();
  waiting.nonce = Secret();
  waiting.of = beginning;
  if (!options_.return_url.empty()) waiting.of.return_url = options_.return_url;
  waiting.began_ms = options_.clock->MonotonicNs() / 1'000'000;
  const std::string challenge = ToBase64Url(crypto::Sha256(AsBytes(waiting.verifier)));
  const std::string question = FormOf({{"response_type", "code"},
                                       {"client_id", options_.client.id},
                                       {"redirect_uri", waiting.of.return_url},
                                       {"scope", options_.scope},
                                       {"state", state},
                                       {"nonce", waiting.nonce},
                                       {"code_challenge", challenge},
                                       {"code_challenge_method", "S256"}});
  Keep(state, std::move(waiting));
  const char mark = issuer.authorization.find('?') == std::string::npos ? '?' : '&';
  return Begun{fmt::format("{}{}{}", issuer.authorization, mark, question), browser};
}

void SignIn::Keep(const std::string& state, Waiting waiting) {
  const int64_t over_ms = waiting.began_ms - kBegunMs;
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const auto& item) { return item.second.began_ms < over_ms; });
  size_t of_peer = 0;
  auto oldest = waiting_.end(), oldest_of_peer = waiting_.end();
  for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
    const int64_t began_ms = at->second.began_ms;
    if (oldest == waiting_.end() || began_ms < oldest->second.began_ms) oldest = at;
    if (at->second.of.peer != waiting.of.peer) continue;
    ++of_peer;
    if (oldest_of_peer == waiting_.end() || began_ms < oldest_of_peer->second.began_ms)
      oldest_of_peer = at;
  }
  if (of_peer >= kMaxBegunOfAddress)
    waiting_.erase(oldest_of_peer);
  else if (waiting_.size() >= kMaxBegun)
    waiting_.erase(oldest);
  waiting_.emplace(state, std::move(waiting));
}

std::optional<SignIn::Waiting> SignIn::Take(const std::string& state, const std::string& browser) {
  const int64_t now_ms = options_.clock->MonotonicNs() / 1'000'000;
  const std::string hash = crypto::Sha256Hex(AsBytes(browser));
  const std::lock_guard lock(mutex_);
  const auto at = waiting_.find(state);
  // Of another browser: it stays that one's.
  if (at == waiting_.end() || browser.empty() ||
      !crypto::ConstantTimeEqual(AsBytes(at->second.browser_sha256), AsBytes(hash)))
    return std::nullopt;
  Waiting waiting = std::move(at->second);
  waiting_.erase(at);
  if (now_ms - waiting.began_ms >= kBegunMs) return std::nullopt;
  return waiting;
}

SignIn::Ended SignIn::End(const std::map<std::string, std::string>& query,
                          const std::string& browser) {
  Ended ended;
  const std::optional<Waiting> waiting = Take(ValueOf(query, "state"), browser);
  if (!waiting) {
    ended.refusal = Refusal::kStale;
    ended.why = Status(Code::kUnauthenticated, "state: none that this browser waits for");
    return ended;
  }
  ended.known = true;
  ended.goal = waiting->of.goal;
  ended.session_sha256 = waiting->of.session_sha256;
  Ask(query, *waiting, &ended);
  return ended;
}

void SignIn::Ask(const std::map<std::string, std::string>& query, const Waiting& waiting,
                 Ended* ended) {
  const auto refuse = [&](Refusal refusal, Status why) {
    ended->refusal = refusal;
    ended->why = std::move(why);
  };
  const Result<Discovery> issuer = issuer_.Look();
  if (!issuer.ok()) return refuse(Refusal::kProvider, issuer.status());
  // RFC 9207: an answer of another issuer would take the code to the wrong one.
  const std::string named = ValueOf(query, "iss");
  if (named.empty() ? issuer->names_itself : named != options_.client.issuer)
    return refuse(Refusal::kToken, Status(Code::kPermissionDenied, "iss: of another issuer"));
  if (const std::string error = ValueOf(query, "error"); !error.empty())
    return refuse(Refusal::kDenied,
                  Status::Of(Code::kPermissionDenied, "the issuer says {}", error.substr(0, 80)));
  const std::string code = ValueOf(query, "code");
  if (!IsPrintable(code, kMaxCodeBytes))
    return refuse(Refusal::kDenied, Status(Code::kMalformed, "code: missing"));
  const Result<Tokens> tokens = issuer_.Exchange(code, waiting.verifier, waiting.of.return_url);
  if (!tokens.ok()) {
    const bool refused = tokens.code() == Code::kPermissionDenied;
    return refuse(refused ? Refusal::kToken : Refusal::kProvider, tokens.status());
  }
  Result<Json> claims = issuer_.Check(tokens->id_token, waiting.nonce);
  if (!claims.ok()) {
    const bool away = claims.code() == Code::kUnavailable;
    return refuse(away ? Refusal::kProvider : Refusal::kToken, claims.status());
  }
  const Result<std::string> subject = GetString(*claims, "sub");
  if (!subject.ok()) return refuse(Refusal::kToken, subject.status());
  ended->person.subject = fmt::format("{} {}", options_.client.issuer, *subject);
  // Issuers may say more of the user when they are asked than in the token (Core 1.0, 5.4).
  if (TextsOfClaim(*claims, options_.user_claim).empty() ||
      TextsOfClaim(*claims, options_.roles_claim).empty()) {
    const Result<Json> more = issuer_.UserInfo(tokens->access_token, *subject);
    if (!more.ok()) return refuse(Refusal::kProvider, more.status());
    Complete(*more, &*claims);
  }
  if (Status named_so = Name(*claims, ended); !named_so.ok())
    return refuse(Refusal::kName, std::move(named_so));
  const std::vector<std::string> values = TextsOfClaim(*claims, options_.roles_claim);
  const std::optional<RoleRow> role = RoleOf(options_.roles, values);
  if (!role)
    return refuse(Refusal::kRole,
                  Status::Of(Code::kPermissionDenied, "{}: none of {} values has a role here",
                             options_.roles_claim, values.size()));
  ended->person.role = *role;
}

Status SignIn::Name(const Json& claims, Ended* ended) const {
  const std::vector<std::string> names = TextsOfClaim(claims, options_.user_claim);
  if (names.size() != 1)
    return Status::Of(Code::kMalformed, "{}: {} names, not one", options_.user_claim, names.size());
  // Whoever writes an address that is not his into his account there would be taken for its owner.
  const auto verified = claims.find("email_verified");
  if (options_.user_claim == "email" && verified != claims.end() && *verified == false)
    return Status(Code::kPermissionDenied, "email: not verified by the issuer");
  ended->person.name = Small(names[0]);
  return OkStatus();
}

}  // namespace ferry::server::oidc
