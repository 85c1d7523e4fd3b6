#include "cloud-server/oidc/id_token.h"

#include <algorithm>

#include "common/base/bytes.h"
#include "common/crypto/hash.h"

namespace ferry::server::oidc {
namespace {

constexpr double kMaxSeconds = 1e11;  // far from where milliseconds overflow

Result<int64_t> TimeOf(const Json& claims, const char* name) {
  FERRY_ASSIGN_OR_RETURN(const double seconds, GetNumber(claims, name));
  if (!(seconds >= 0 && seconds < kMaxSeconds))
    return Status::Of(Code::kMalformed, "{}: no time", name);
  return static_cast<int64_t>(seconds * 1000);
}

Status CheckAudience(const Json& claims, const std::string& client_id) {
  const std::vector<std::string> audience = TextsOfClaim(claims, "aud");
  if (std::find(audience.begin(), audience.end(), client_id) == audience.end())
    return Status(Code::kPermissionDenied, "aud: the token is for another client");
  FERRY_ASSIGN_OR_RETURN(const std::string party, GetStringOr(claims, "azp", ""));
  if (audience.size() > 1 && party.empty())
    return Status(Code::kPermissionDenied, "azp: missing beside several aud");
  if (!party.empty() && party != client_id)
    return Status(Code::kPermissionDenied, "azp: the token was made for another client");
  return OkStatus();
}

Status CheckTimes(const Json& claims, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(const int64_t ends_ms, TimeOf(claims, "exp"));
  FERRY_ASSIGN_OR_RETURN(const int64_t made_ms, TimeOf(claims, "iat"));
  if (ends_ms + kLeewayMs <= now_ms)
    return Status::Of(Code::kExpired, "exp: over since {} s", (now_ms - ends_ms) / 1000);
  if (made_ms - kLeewayMs > now_ms)
    return Status::Of(Code::kClockSkew, "iat: {} s ahead of this clock", (made_ms - now_ms) / 1000);
  if (!claims.contains("nbf")) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const int64_t begins_ms, TimeOf(claims, "nbf"));
  if (begins_ms - kLeewayMs > now_ms)
    return Status::Of(Code::kClockSkew, "nbf: {} s ahead of this clock",
                      (begins_ms - now_ms) / 1000);
  return OkStatus();
}

}  // namespace

Status CheckClaims(const Json& claims, const Expected& expected) {
  FERRY_ASSIGN_OR_RETURN(const std::string issuer, GetString(claims, "iss"));
  if (issuer != expected.issuer)
    return Status(Code::kPermissionDenied, "iss: the token is another issuer's");
  FERRY_TRY(CheckAudience(claims, expected.client_id));
  FERRY_TRY(CheckTimes(claims, expected.now_ms));
  FERRY_ASSIGN_OR_RETURN(const std::string nonce, GetString(claims, "nonce"));
  if (!crypto::ConstantTimeEqual(AsBytes(nonce), AsBytes(expected.nonce)))
    return Status(Code::kPermissionDenied, "nonce: the token is of another sign-in");
  FERRY_ASSIGN_OR_RETURN(const std::string subject, GetString(claims, "sub"));
  if (subject.empty() || subject.size() > kMaxSubjectBytes)
    return Status::Of(Code::kMalformed, "sub: not 1 to {} bytes", kMaxSubjectBytes);
  return OkStatus();
}

std::vector<std::string> TextsOfClaim(const Json& claims, std::string_view name) {
  const Json* at = &claims;
  std::string_view rest = name;
  // A name with dots may be one member: "https://example.org/groups".
  if (claims.is_object() && claims.contains(std::string(name))) {
    at = &*claims.find(std::string(name));
    rest = {};
  }
  while (!rest.empty()) {
    const size_t dot = rest.find('.');
    if (!at->is_object()) return {};
    const auto found = at->find(std::string(rest.substr(0, dot)));
    if (found == at->end()) return {};
    at = &*found;
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  }
  std::vector<std::string> texts;
  if (at->is_string()) texts.push_back(at->get_ref<const std::string&>());
  if (!at->is_array()) return texts;
  for (const Json& item : *at)
    if (item.is_string()) texts.push_back(item.get_ref<const std::string&>());
  return texts;
}

}  // namespace ferry::server::oidc
