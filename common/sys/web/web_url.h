// Where a web server gives something: http and https URLs. Source: RFC 3986, section 3, as far as
// content needs it.
// ---- web_url.cc
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/sys/net.h"

namespace ferry::sys {

inline constexpr size_t kMaxWebUrl = 4096;  // bytes; a signed address of S3 takes some 600

struct WebUrl {
  Endpoint at;         // kWeb or kPlainWeb
  std::string target;  // path and query as they stand in a request's first line; "/" at least
};

// Ports that are not said are 443 and 80; an IPv6 address stands in brackets. kMalformed for
// another scheme, a user, a fragment, and what does not stand in a request's first line as it is.
Result<WebUrl> ParseWebUrl(std::string_view url);

// As a request's Host says it: the port only where it is not the scheme's.
std::string HostFieldOf(const Endpoint& at);

// Who gives it, for texts: "https://host", without the target, which may carry a signature.
std::string PlaceOf(const Endpoint& at);

}  // namespace ferry::sys
