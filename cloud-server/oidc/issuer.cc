#include "cloud-server/oidc/issuer.h"

#include "common/base/bytes.h"

namespace ferry::server::oidc {
namespace {

constexpr size_t kMaxErrorBytes = 200;

// "invalid_grant: ..." of an answer that is a refusal (RFC 6749, section 5.2).
std::string ReasonOf(const std::string& body) {
  const Result<Json> json = ParseJson(body);
  if (!json.ok() || !json->is_object()) return "no reason";
  const Result<std::string> error = GetStringOr(*json, "error", "no reason");
  const Result<std::string> more = GetStringOr(*json, "error_description", "");
  std::string reason = error.ok() ? *error : "no reason";
  if (more.ok() && !more->empty()) reason += ": " + *more;
  return reason.substr(0, kMaxErrorBytes);
}

}  // namespace

Result<std::string> Issuer::Ask(FetchRequest request, bool refusal_is_answer) {
  request.ca_file = client_.ca_file;
  {
    const std::lock_guard lock(mutex_);
    if (calls_ >= kMaxIssuerCalls)
      return Status::Of(Code::kUnavailable, "{} calls of the issuer wait already", calls_);
    ++calls_;
  }
  Result<Fetched> fetched = fetch_(request);
  {
    const std::lock_guard lock(mutex_);
    --calls_;
  }
  FERRY_TRY(fetched.status());
  if (fetched->status >= 200 && fetched->status < 300) return std::move(fetched->body);
  const bool refused = refusal_is_answer && fetched->status >= 400 && fetched->status < 500;
  return Status::Of(refused ? Code::kPermissionDenied : Code::kUnavailable,
                    "{} answers HTTP status {} ({})", request.url.substr(0, 200), fetched->status,
                    ReasonOf(fetched->body));
}

Result<Discovery> Issuer::Read() {
  const std::string url = DiscoveryUrl(client_.issuer);
  FERRY_ASSIGN_OR_RETURN(const std::string text, Ask({url, "", "", ""}));
  return ParseDiscovery(text, client_.issuer).Context("{}", url);
}

Result<Discovery> Issuer::Look() {
  {
    const std::lock_guard lock(mutex_);
    if (document_ && NowMs() - document_ms_ < kDocumentLifeMs) return *document_;
    if (!failed_.ok() && NowMs() - failed_ms_ < kFailedPauseMs) return failed_;
  }
  Result<Discovery> document = Read();
  const std::lock_guard lock(mutex_);
  if (document.ok()) {
    document_ = *document;
    document_ms_ = NowMs();
    failed_ = OkStatus();
    return document;
  }
  failed_ = document.status();
  failed_ms_ = NowMs();
  // What it said before holds until it says something else: it may be away for a moment.
  if (document_ && document.code() == Code::kUnavailable) return *document_;
  return document;
}

Result<std::shared_ptr<const KeySet>> Issuer::Keys(bool anew) {
  FERRY_ASSIGN_OR_RETURN(const Discovery document, Look());
  {
    const std::lock_guard lock(mutex_);
    const int64_t now_ms = NowMs();
    // Whoever makes up tokens must not make this server ask and ask.
    const bool may_look = anew && now_ms - looked_ms_ >= kKeysPauseMs;
    if (keys_ && !may_look && now_ms - keys_ms_ < kDocumentLifeMs) return keys_;
    if (may_look) looked_ms_ = now_ms;
  }
  FERRY_ASSIGN_OR_RETURN(const std::string text, Ask({document.keys, "", "", ""}));
  FERRY_ASSIGN_OR_RETURN(KeySet keys, KeySet::Parse(text).Context("{}", document.keys));
  const std::lock_guard lock(mutex_);
  keys_ = std::make_shared<const KeySet>(std::move(keys));
  keys_ms_ = NowMs();
  return keys_;
}

Result<Tokens> Issuer::Exchange(const std::string& code, const std::string& verifier,
                                const std::string& return_url) {
  FERRY_ASSIGN_OR_RETURN(const Discovery document, Look());
  std::vector<std::pair<std::string, std::string>> fields = {{"grant_type", "authorization_code"},
                                                             {"code", code},
                                                             {"redirect_uri", return_url},
                                                             {"code_verifier", verifier}};
  FetchRequest request;
  request.url = document.token;
  if (client_.secret.empty() || document.secret_in_body) {
    fields.emplace_back("client_id", client_.id);
    if (!client_.secret.empty()) fields.emplace_back("client_secret", client_.secret);
  } else {
    // RFC 6749, section 2.3.1: both are escaped first.
    const std::string pair = Escaped(client_.id) + ":" + Escaped(client_.secret);
    request.authorization = "Basic " + ToBase64(AsBytes(pair));
  }
  request.form = FormOf(fields);
  FERRY_ASSIGN_OR_RETURN(const std::string text, Ask(std::move(request), true));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("{}", document.token));
  Tokens tokens;
  FERRY_ASSIGN_OR_RETURN(tokens.id_token,
                         GetString(json, "id_token").Context("{}", document.token));
  FERRY_ASSIGN_OR_RETURN(tokens.access_token, GetStringOr(json, "access_token", ""));
  return tokens;
}

Result<Json> Issuer::Check(const std::string& id_token, const std::string& nonce) {
  FERRY_ASSIGN_OR_RETURN(Jwt token, ParseJwt(id_token));
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const KeySet> keys, Keys(false));
  Status verified = keys->Verify(token);
  if (verified.code() == Code::kNotFound) {
    // The issuer may have changed its keys since.
    FERRY_ASSIGN_OR_RETURN(keys, Keys(true));
    verified = keys->Verify(token);
  }
  FERRY_TRY(verified);
  FERRY_TRY(CheckClaims(token.claims, {client_.issuer, client_.id, nonce, clock_.NowUnixMs()}));
  return std::move(token.claims);
}

Result<Json> Issuer::UserInfo(const std::string& access_token, const std::string& subject) {
  FERRY_ASSIGN_OR_RETURN(const Discovery document, Look());
  if (document.user_info.empty() || access_token.empty()) return Json(Json::object());
  FERRY_ASSIGN_OR_RETURN(const std::string text,
                         Ask({document.user_info, "", "Bearer " + access_token, ""}));
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(text).Context("{}", document.user_info));
  FERRY_ASSIGN_OR_RETURN(const std::string named, GetString(json, "sub"));
  // Core 1.0, section 5.3.4: it may be about somebody else.
  if (named != subject)
    return Status(Code::kPermissionDenied, "sub: what the issuer says is of another user");
  return json;
}

}  // namespace ferry::server::oidc
