#include "cloud-server/oidc/jwt.h"

#include <algorithm>

namespace ferry::server::oidc {
namespace {

Result<Json> ObjectOfPart(std::string_view part) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, FromBase64Url(part));
  FERRY_ASSIGN_OR_RETURN(Json json, ParseJson(AsText(bytes)));
  if (!json.is_object()) return Status(Code::kMalformed, "not an object");
  return json;
}

}  // namespace

std::string ToBase64Url(ByteView bytes) {
  std::string text = ToBase64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.resize(std::min(text.find('='), text.size()));
  return text;
}

Result<Bytes> FromBase64Url(std::string_view text) {
  if (text.find_first_of("+/=") != std::string_view::npos)
    return Status(Code::kMalformed, "not base64url");
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  return FromBase64(standard);
}

Result<Jwt> ParseJwt(std::string_view text) {
  if (text.size() > kMaxJwtBytes)
    return Status::Of(Code::kLimitExceeded, "the token is over {} bytes", kMaxJwtBytes);
  const size_t first = text.find('.');
  const size_t last = text.rfind('.');
  if (first == std::string_view::npos || first == last || text.find('.', first + 1) != last)
    return Status(Code::kMalformed, "a signed token has three parts");
  Jwt token;
  FERRY_ASSIGN_OR_RETURN(const Json header,
                         ObjectOfPart(text.substr(0, first)).Context("the token's header"));
  if (header.contains("crit"))
    return Status(Code::kUnsupported, "the token's header: \"crit\" names what is not known");
  FERRY_ASSIGN_OR_RETURN(token.algorithm, GetString(header, "alg").Context("the token's header"));
  FERRY_ASSIGN_OR_RETURN(token.key_id,
                         GetStringOr(header, "kid", "").Context("the token's header"));
  FERRY_ASSIGN_OR_RETURN(
      token.claims,
      ObjectOfPart(text.substr(first + 1, last - first - 1)).Context("the token's claims"));
  FERRY_ASSIGN_OR_RETURN(token.signature,
                         FromBase64Url(text.substr(last + 1)).Context("the token's signature"));
  token.signed_part = text.substr(0, last);
  return token;
}

}  // namespace ferry::server::oidc
