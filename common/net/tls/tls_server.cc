#include <openssl/ssl.h>

#include <string_view>

#include "common/net/client.h"
#include "common/net/tls/openssl.h"
#include "common/net/tls/tls.h"

namespace ferry::net {
namespace {

// Server's choice among what the client offers; none in common ends the handshake.
template <bool kSplit>
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* in, unsigned in_size, void*) {
  for (const std::string_view known :
       {std::string_view(kFrameProtocol), std::string_view(kSplitFrameProtocol),
        std::string_view(kHttpProtocol)}) {
    if (!kSplit && known == kSplitFrameProtocol) continue;
    for (unsigned at = 0; at < in_size; at += in[at] + 1u) {
      const unsigned size = in[at];
      if (at + 1 + size > in_size) break;
      if (std::string_view(reinterpret_cast<const char*>(in) + at + 1, size) != known) continue;
      *out = in + at + 1;
      *out_size = static_cast<unsigned char>(size);
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

Status BadOption(const char* what) {
  return Status::Of(Code::kInvalidArgument, "TLS server: {}: {}", what, OpensslError());
}

}  // namespace

Result<Context> MakeServerContext(const ServerOptions& options) {
  try {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    SSL_CTX* ctx = context->native_handle();
    ErrorCode error;
    context->use_certificate_chain(asio::buffer(options.certificate_pem), error);
    if (error) return BadOption("certificate");
    context->use_private_key(asio::buffer(options.private_key_pem), asio::ssl::context::pem, error);
    if (error || SSL_CTX_check_private_key(ctx) != 1) return BadOption("private key");
    SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
    // An idle connection then costs 13 KiB instead of 46.
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    // Tickets let a device that comes back skip the public-key part of the handshake.
    SSL_CTX_set_num_tickets(ctx, 1);
    static constexpr unsigned char kSessionContext[] = "ferry";
    SSL_CTX_set_session_id_context(ctx, kSessionContext, sizeof kSessionContext - 1);
    const bool split = options.split.executor != nullptr;
    SSL_CTX_set_alpn_select_cb(ctx, split ? ChooseProtocol<true> : ChooseProtocol<false>, nullptr);
    return context;
  } catch (const std::exception& e) {
    return Status::Of(Code::kInternal, "TLS server: {}", e.what());
  }
}

std::string AgreedProtocol(Stream& stream) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(stream.native_handle(), &name, &size);
  return std::string(reinterpret_cast<const char*>(name), size);
}

}  // namespace ferry::net
