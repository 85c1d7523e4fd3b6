// What an ID token says, and whether it is for us and of now. Pure. Source: OpenID Connect Core
// 1.0, section 3.1.3.7.
// ---- id_token.cc
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace ferry::server::oidc {

inline constexpr int64_t kLeewayMs = 60'000;  // that two clocks may differ by
inline constexpr size_t kMaxSubjectBytes = 255;

struct Expected {
  std::string issuer;
  std::string client_id;
  std::string nonce;
  int64_t now_ms = 0;
};
// kMalformed and kPermissionDenied name the claim, kExpired.
Status CheckClaims(const Json& claims, const Expected& expected);

// The texts of a claim: one, or those of a list; none where it is missing. `name` is a member, or
// members within each other with dots between: "realm_access.roles".
std::vector<std::string> TextsOfClaim(const Json& claims, std::string_view name);

}  // namespace ferry::server::oidc
