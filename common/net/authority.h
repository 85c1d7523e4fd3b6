// Whom TLS clients believe that bring their own sockets.
// ---- tls/tls_client.cc
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"

struct ssl_ctx_st;

namespace ferry::net {

// Makes an SSL_CTX believe servers of `authority` alone (as in ClientOptions::authority). The
// caller checks that the certificate names the host. `why` outlives the context and becomes what
// was wrong with a server. kInvalidArgument.
Status BelieveOnly(ssl_ctx_st* context, const std::string& authority, std::string* why);

// "sha256:<hex>" of a pin as people copy it: with or without that prefix, in either case.
// kInvalidArgument.
Result<std::string> ParsePin(std::string_view text);

}  // namespace ferry::net
