// A client of web servers, which any authority of the system may vouch for.
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "common/net/tls/tls.h"

namespace ferry::net {

Result<Context> MakeWebContext() {
  try {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
    SSL_CTX* ctx = context->native_handle();
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
    // Without any there, every handshake fails, and says why.
    SSL_CTX_set_default_verify_paths(ctx);
    return context;
  } catch (const std::exception& e) {
    return Status::Of(Code::kInternal, "TLS client: {}", e.what());
  }
}

Status PrepareWebClient(Stream& stream, const std::string& host) {
  SSL* ssl = stream.native_handle();
  if (ssl == nullptr) return Status(Code::kOutOfMemory, "TLS client");
  ErrorCode not_an_address;
  asio::ip::make_address(host, not_an_address);
  bool ok = true;
  if (not_an_address) {
    // Server name indication is for names only (RFC 6066, section 3).
    ok = SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 && SSL_set1_host(ssl, host.c_str()) == 1;
  } else {
    ok = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  return ok ? OkStatus() : Status(Code::kOutOfMemory, "TLS client");
}

}  // namespace ferry::net
