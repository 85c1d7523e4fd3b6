// Which authorities a client believes, said in its first message, so that a server whose authority
// is being replaced shows each client the one it knows. A private extension (RFC 8446, 4.2 and 11);
// draft-ietf-tls-trust-anchor-ids does the same for public authorities. For this room only.
#pragma once

#include <openssl/ssl.h>

#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/net/certificate.h"

namespace ferry::net {

inline constexpr unsigned kBelievedExtension = 65'391;  // reserved for private use
inline constexpr size_t kMaxBelieved = 16;              // pins of 32 bytes each; more are not read

// Connections of the client context say that they believe these authorities. kInvalidArgument: not
// "sha256:<hex>", or more than kMaxBelieved.
Status SayBelieved(SSL_CTX* client, const std::vector<std::string>& pins);

// Connections of the server context show the last of `chains` (the server's certificate, then its
// authority's, and the key) whose authority the client says it believes; else what the context has.
// kInvalidArgument for a certificate or key that is none.
Status ShowBelieved(SSL_CTX* server, const std::vector<CertificateAndKey>& chains);

}  // namespace ferry::net
