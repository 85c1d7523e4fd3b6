#include "cloud-server/oidc/discovery.h"

#include <algorithm>

#include "cloud-server/webhook/post.h"
#include "common/base/json.h"
#include "common/net/http_head.h"

namespace ferry::server::oidc {
namespace {

Result<std::string> UrlOf(const Json& json, const char* member) {
  FERRY_ASSIGN_OR_RETURN(std::string url, GetString(json, member));
  FERRY_TRY(CheckIssuerUrl(url).Context("{}", member));
  return url;
}

// Whether a list, where the document has one, names `wanted`.
Result<bool> Names(const Json& json, const char* member, std::string_view wanted, bool absent) {
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArrayOrNull(json, member));
  if (list == nullptr) return absent;
  return std::any_of(list->begin(), list->end(), [&](const Json& item) {
    return item.is_string() && item.get_ref<const std::string&>() == wanted;
  });
}

}  // namespace

Status CheckIssuerUrl(const std::string& url) {
  FERRY_ASSIGN_OR_RETURN(const WebhookUrl parsed, ParseWebhookUrl(url));
  if (parsed.secure || net::IsLoopback(parsed.host)) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "\"{}\": http is for loopback only, wanted https://",
                    url.substr(0, 80));
}

std::string DiscoveryUrl(std::string_view issuer) {
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return fmt::format("{}/.well-known/openid-configuration", issuer);
}

Result<Discovery> ParseDiscovery(std::string_view text, const std::string& issuer) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  FERRY_ASSIGN_OR_RETURN(const std::string named, GetString(json, "issuer"));
  if (named != issuer)
    return Status::Of(Code::kFailedPrecondition,
                      "the issuer calls itself \"{}\", and not \"{}\" to the letter",
                      named.substr(0, 200), issuer);
  Discovery found;
  FERRY_ASSIGN_OR_RETURN(found.authorization, UrlOf(json, "authorization_endpoint"));
  FERRY_ASSIGN_OR_RETURN(found.token, UrlOf(json, "token_endpoint"));
  FERRY_ASSIGN_OR_RETURN(found.keys, UrlOf(json, "jwks_uri"));
  FERRY_ASSIGN_OR_RETURN(const std::string user_info, GetStringOr(json, "userinfo_endpoint", ""));
  if (!user_info.empty()) {
    FERRY_ASSIGN_OR_RETURN(found.user_info, UrlOf(json, "userinfo_endpoint"));
  }
  FERRY_ASSIGN_OR_RETURN(found.names_itself,
                         GetBoolOr(json, "authorization_response_iss_parameter_supported", false));
  FERRY_ASSIGN_OR_RETURN(const bool code, Names(json, "response_types_supported", "code", true));
  FERRY_ASSIGN_OR_RETURN(const bool pkce,
                         Names(json, "code_challenge_methods_supported", "S256", true));
  if (!code || !pkce)
    return Status(Code::kFailedPrecondition, "the issuer knows no code flow with PKCE (S256)");
  constexpr const char* kSecret = "token_endpoint_auth_methods_supported";
  FERRY_ASSIGN_OR_RETURN(const bool basic, Names(json, kSecret, "client_secret_basic", true));
  FERRY_ASSIGN_OR_RETURN(const bool body, Names(json, kSecret, "client_secret_post", false));
  found.secret_in_body = !basic && body;
  return found;
}

}  // namespace ferry::server::oidc
