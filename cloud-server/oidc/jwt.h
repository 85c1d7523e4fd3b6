// Signed tokens in their compact form. Pure. Source: RFC 7515 (JWS), RFC 7519 (JWT).
// ---- jwt.cc
#pragma once

#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/json.h"

namespace ferry::server::oidc {

inline constexpr size_t kMaxJwtBytes = 64 << 10;

// RFC 4648, section 5, without padding; kMalformed for anything that ToBase64Url would not write.
std::string ToBase64Url(ByteView bytes);
Result<Bytes> FromBase64Url(std::string_view text);

// A token that was taken apart; nothing of it is believed yet.
struct Jwt {
  std::string algorithm;    // as its header says
  std::string key_id;       // empty: the header names none
  Json claims;              // an object
  std::string signed_part;  // what the signature covers
  Bytes signature;
};
// kMalformed, kLimitExceeded; kUnsupported for a header that asks for more than is known here.
Result<Jwt> ParseJwt(std::string_view text);

}  // namespace ferry::server::oidc
