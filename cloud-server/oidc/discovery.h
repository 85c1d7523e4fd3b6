// What an issuer says of itself: where it is asked what. Pure. Source: OpenID Connect Discovery
// 1.0, sections 3 and 4; RFC 9207.
// ---- discovery.cc
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::server::oidc {

// https, or http on loopback, with a host and without a password. kInvalidArgument.
Status CheckIssuerUrl(const std::string& url);
// Where the document is.
std::string DiscoveryUrl(std::string_view issuer);

struct Discovery {
  std::string authorization;  // where browsers are sent to
  std::string token;
  std::string keys;
  std::string user_info;        // empty: there is none
  bool names_itself = false;    // in each answer, against mixed-up issuers
  bool secret_in_body = false;  // it takes the client's secret no other way
};
// kFailedPrecondition for a document that is another issuer's, or of one that cannot do what is
// needed here; kMalformed, kInvalidArgument.
Result<Discovery> ParseDiscovery(std::string_view text, const std::string& issuer);

}  // namespace ferry::server::oidc
