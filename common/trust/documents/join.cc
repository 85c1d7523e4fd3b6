#include "common/trust/join.h"

#include "common/base/json.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kPrefix = "ferry1.";
constexpr size_t kMaxTextBytes = 4096;
constexpr size_t kSecretBytes = 32;

}  // namespace

std::string JoinTokenToText(const JoinToken& token) {
  Json json = {{"authority", token.authority},
               {"host", token.host},
               {"port", token.port},
               {"root_sha256", ToHex(token.root_sha256)},
               {"root_version", token.root_version},
               {"secret", ToHex(token.secret)},
               {"tenant", token.tenant}};
  return std::string(kPrefix) + ToBase64(AsBytes(WriteJson(json)));
}

Result<JoinToken> JoinTokenFromText(std::string_view text) {
  if (text.size() > kMaxTextBytes)
    return Status::Of(Code::kLimitExceeded, "join token: more than {} bytes", kMaxTextBytes);
  if (!text.starts_with(kPrefix)) {
    if (text.starts_with("ferry"))
      return Status::Of(Code::kUnsupported, "join token: not of the form {}...", kPrefix);
    return Status::Of(Code::kMalformed, "join token: does not start with {}", kPrefix);
  }
  FERRY_ASSIGN_OR_RETURN(Bytes raw, FromBase64(text.substr(kPrefix.size())).Context("join token"));
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(AsText(raw)).Context("join token"));
  JoinToken token;
  FERRY_ASSIGN_OR_RETURN(token.tenant, GetString(json, "tenant").Context("join token"));
  FERRY_ASSIGN_OR_RETURN(token.host, GetString(json, "host").Context("join token"));
  FERRY_ASSIGN_OR_RETURN(token.authority, GetString(json, "authority").Context("join token"));
  FERRY_ASSIGN_OR_RETURN(int64_t port, GetInt(json, "port").Context("join token"));
  if (port < 1 || port > 65535)
    return Status::Of(Code::kMalformed, "join token: port {} is not one of 1 to 65535", port);
  token.port = static_cast<uint16_t>(port);
  FERRY_ASSIGN_OR_RETURN(token.root_version, GetInt(json, "root_version").Context("join token"));
  if (token.root_version < 1) return Status(Code::kMalformed, "join token: root_version below 1");
  FERRY_ASSIGN_OR_RETURN(token.root_sha256, GetHash32(json, "root_sha256").Context("join token"));
  FERRY_ASSIGN_OR_RETURN(std::string secret, GetString(json, "secret").Context("join token"));
  FERRY_ASSIGN_OR_RETURN(token.secret, FromHex(secret).Context("join token: secret"));
  if (token.secret.size() != kSecretBytes)
    return Status::Of(Code::kMalformed, "join token: secret has {} bytes, not {}",
                      token.secret.size(), kSecretBytes);
  return token;
}

}  // namespace ferry::trust
