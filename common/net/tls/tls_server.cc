#include <openssl/ssl.h>

#include <string_view>

#include "common/net/client.h"
#include "common/net/door_tls.h"
#include "common/net/tls/believed.h"
#include "common/net/tls/openssl.h"
#include "common/net/tls/tickets.h"
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

// Doors for browsers speak this alone; who offers nothing of it may mean it all the same.
int ChooseHttp(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
               unsigned in_size, void*) {
  constexpr unsigned char kHttp[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  const int how = SSL_select_next_proto(&chosen, out_size, kHttp, sizeof kHttp - 1, in, in_size);
  *out = chosen;
  return how == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

Status BadOption(const char* what) {
  return Status::Of(Code::kInvalidArgument, "TLS server: {}: {}", what, OpensslError());
}

}  // namespace

namespace {

// What all doors have in common.
Result<Context> MakeContext(const std::string& certificate_pem, const std::string& private_key_pem,
                            int least_version) {
  try {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    SSL_CTX* ctx = context->native_handle();
    ErrorCode error;
    context->use_certificate_chain(asio::buffer(certificate_pem), error);
    if (error) return BadOption("certificate");
    context->use_private_key(asio::buffer(private_key_pem), asio::ssl::context::pem, error);
    if (error || SSL_CTX_check_private_key(ctx) != 1) return BadOption("private key");
    SSL_CTX_set_min_proto_version(ctx, least_version);
    // An idle connection then costs 13 KiB instead of 46.
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    // Tickets let a device that comes back skip the public-key part of the handshake; the server
    // keeps nothing for it.
    SSL_CTX_set_num_tickets(ctx, 1);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_timeout(ctx, kTicketLifeSeconds);
    if (!SealTickets(ctx, private_key_pem)) return BadOption("tickets");
    static constexpr unsigned char kSessionContext[] = "ferry";
    SSL_CTX_set_session_id_context(ctx, kSessionContext, sizeof kSessionContext - 1);
    return context;
  } catch (const std::exception& e) {
    return Status::Of(Code::kInternal, "TLS server: {}", e.what());
  }
}

}  // namespace

Result<Context> MakeServerContext(const ServerOptions& options) {
  FERRY_ASSIGN_OR_RETURN(Context context, MakeContext(options.certificate_pem,
                                                      options.private_key_pem, TLS1_3_VERSION));
  if (!options.further.empty()) {
    FERRY_TRY(ShowBelieved(context->native_handle(), options.further));
    // The newest key's: the one before may be in a thief's hands.
    if (!SealTickets(context->native_handle(), options.further.back().private_key_pem))
      return BadOption("tickets");
  }
  const bool split = options.split.executor != nullptr;
  SSL_CTX_set_alpn_select_cb(context->native_handle(),
                             split ? ChooseProtocol<true> : ChooseProtocol<false>, nullptr);
  return context;
}

Result<Context> MakeDoorTls(const CertificateAndKey& identity) {
  FERRY_ASSIGN_OR_RETURN(Context context, MakeContext(identity.certificate_pem,
                                                      identity.private_key_pem, TLS1_2_VERSION));
  SSL_CTX* ctx = context->native_handle();
  // What TLS 1.2 is allowed: keys that are gone after the session, and no ciphers with padding.
  if (SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) return BadOption("ciphers");
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_alpn_select_cb(ctx, ChooseHttp, nullptr);
  return context;
}

std::string AgreedProtocol(Stream& stream) {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(stream.native_handle(), &name, &size);
  return std::string(reinterpret_cast<const char*>(name), size);
}

}  // namespace ferry::net
