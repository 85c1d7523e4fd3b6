// TLS for doors that browsers and command lines come to; devices' own door is server.h.
// ---- tls/tls_server.cc
#pragma once

#include <memory>

#include "common/net/certificate.h"

namespace boost::asio::ssl {
class context;
}

namespace ferry::net {

// TLS 1.3, or 1.2 with forward secrecy for browsers that have no better, and HTTP/1.1 in it.
// kInvalidArgument names what is wrong with certificate (its chain behind it) or key.
Result<std::shared_ptr<boost::asio::ssl::context>> MakeDoorTls(const CertificateAndKey& identity);

}  // namespace ferry::net
