#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>

#include "common/net/authority.h"
#include "common/net/tls/believed.h"
#include "common/net/tls/openssl.h"
#include "common/net/tls/sessions.h"
#include "common/net/tls/tls.h"

namespace ferry::net {
namespace {

constexpr std::string_view kPinPrefix = "sha256:";

// A certificate, or the hash of one that the server sends.
struct Authority {
  OpensslPtr<X509> certificate;
  std::string pin;
};

// What a context believes.
struct Trusted {
  std::vector<Authority> authorities;
  Sessions sessions;           // with servers that they vouched for
  std::string* why = nullptr;  // for streams without a Judgement
};

int JudgementIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

// Owned by the SSL_CTX, freed with it.
int AuthorityIndex() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* ptr, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<Trusted*>(ptr);
      });
  return index;
}

Trusted* TrustedOf(SSL* ssl) {
  return static_cast<Trusted*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), AuthorityIndex()));
}

X509* FindPinned(const std::string& pin, STACK_OF(X509) * chain) {
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    X509* certificate = sk_X509_value(chain, i);
    if (PinOf(certificate) == pin) return certificate;
  }
  return nullptr;
}

// "" when `leaf` was issued by `authority` for TLS servers and is valid now.
std::string CheckChain(X509* authority, X509* leaf, STACK_OF(X509) * chain) {
  OpensslPtr<X509_STORE> store(X509_STORE_new());
  OpensslPtr<X509_STORE_CTX> context(X509_STORE_CTX_new());
  if (store == nullptr || context == nullptr || X509_STORE_add_cert(store.get(), authority) != 1 ||
      X509_STORE_CTX_init(context.get(), store.get(), leaf, chain) != 1 ||
      X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER) != 1) {
    return "out of memory";
  }
  // The authority may have another above it, or be the server's own certificate.
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_PARTIAL_CHAIN);
  if (X509_verify_cert(context.get()) == 1) return "";
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
}

bool NamesHost(X509* leaf, const std::string& host) {
  return X509_check_ip_asc(leaf, host.c_str(), 0) == 1 ||
         X509_check_host(leaf, host.c_str(), host.size(), 0, nullptr) == 1;
}

// `host` null: it is not looked at.
std::string Judge(const Trusted& trusted, const std::string* host, X509_STORE_CTX* context) {
  X509* leaf = X509_STORE_CTX_get0_cert(context);
  STACK_OF(X509)* chain = X509_STORE_CTX_get0_untrusted(context);
  std::string why = "it does not show the pinned authority";
  for (const Authority& one : trusted.authorities) {
    X509* authority = one.certificate.get();
    if (authority == nullptr) authority = FindPinned(one.pin, chain);
    if (authority == nullptr) continue;
    why = CheckChain(authority, leaf, chain);
    if (why.empty()) break;
  }
  if (!why.empty()) return why;
  return host == nullptr || NamesHost(leaf, *host) ? "" : "its certificate does not name this host";
}

// Replaces OpenSSL's own verification.
int VerifyServer(X509_STORE_CTX* context, void*) {
  SSL* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* judgement = static_cast<Judgement*>(SSL_get_ex_data(ssl, JudgementIndex()));
  const Trusted* trusted = TrustedOf(ssl);
  if (trusted == nullptr || (judgement == nullptr && trusted->why == nullptr)) return 0;
  std::string& why = judgement != nullptr ? judgement->why_untrusted : *trusted->why;
  why = Judge(*trusted, judgement != nullptr ? &judgement->host : nullptr, context);
  if (why.empty()) return 1;
  X509_STORE_CTX_set_error(context, X509_V_ERR_CERT_UNTRUSTED);
  return 0;
}

// A ticket came. 0: the session stays OpenSSL's.
int OnSession(SSL* ssl, SSL_SESSION* session) {
  const auto* judgement = static_cast<const Judgement*>(SSL_get_ex_data(ssl, JudgementIndex()));
  Trusted* trusted = TrustedOf(ssl);
  if (judgement == nullptr || judgement->server.empty() || trusted == nullptr) return 0;
  trusted->sessions.Keep(judgement->server, session);
  return 0;
}

Result<Authority> ParseAuthority(const std::string& authority) {
  Authority trusted;
  if (authority.starts_with(kPinPrefix)) {
    const Result<Bytes> hash = FromHex(authority.substr(kPinPrefix.size()));
    if (!hash.ok() || hash->size() != 32) {
      return Status(Code::kInvalidArgument, "authority: not \"sha256:\" and 64 digits");
    }
    trusted.pin = std::string(kPinPrefix) + ToHex(*hash);
  } else {
    trusted.certificate = CertificateFromPem(authority);
    if (trusted.certificate == nullptr) {
      return Status::Of(Code::kInvalidArgument, "authority: no certificate in PEM: {}",
                        OpensslError());
    }
  }
  return trusted;
}

Result<std::unique_ptr<Trusted>> ParseAuthorities(const std::vector<std::string>& authorities) {
  auto trusted = std::make_unique<Trusted>();
  for (const std::string& text : authorities) {
    FERRY_ASSIGN_OR_RETURN(Authority authority, ParseAuthority(text));
    trusted->authorities.push_back(std::move(authority));
  }
  return trusted;
}

std::vector<std::string> PinsOf(const Trusted& trusted) {
  std::vector<std::string> pins;
  for (const Authority& one : trusted.authorities)
    pins.push_back(one.certificate == nullptr ? one.pin : PinOf(one.certificate.get()));
  return pins;
}

Status Believe(SSL_CTX* ctx, std::unique_ptr<Trusted> trusted) {
  SSL_CTX_set_cert_verify_callback(ctx, VerifyServer, nullptr);
  if (SSL_CTX_set_ex_data(ctx, AuthorityIndex(), trusted.get()) != 1)
    return Status(Code::kOutOfMemory, "TLS client");
  (void)trusted.release();
  return OkStatus();
}

}  // namespace

Status BelieveOnly(ssl_ctx_st* context, const std::string& authority, std::string* why) {
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Trusted> trusted, ParseAuthorities({authority}));
  trusted->why = why;
  return Believe(context, std::move(trusted));
}

Result<std::string> ParsePin(std::string_view text) {
  std::string pin(text);
  std::transform(pin.begin(), pin.end(), pin.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  if (!pin.starts_with(kPinPrefix)) pin = std::string(kPinPrefix) + pin;
  FERRY_TRY(ParseAuthority(pin).status());
  return pin;
}

Result<Context> MakeClientContext(const std::vector<std::string>& authorities) {
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Trusted> trusted, ParseAuthorities(authorities));
  try {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
    SSL_CTX* ctx = context->native_handle();
    SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx, OnSession);
    FERRY_TRY(SayBelieved(ctx, PinsOf(*trusted)));
    FERRY_TRY(Believe(ctx, std::move(trusted)));
    return context;
  } catch (const std::exception& e) {
    return Status::Of(Code::kInternal, "TLS client: {}", e.what());
  }
}

Status PrepareClient(Stream& stream, Judgement* judgement, const char* protocol) {
  SSL* ssl = stream.native_handle();
  std::string list(1, static_cast<char>(std::strlen(protocol)));
  list += protocol;
  const bool ok = SSL_set_ex_data(ssl, JudgementIndex(), judgement) == 1 &&
                  SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(list.data()),
                                      static_cast<unsigned>(list.size())) == 0;
  // A short handshake shows no certificate: the session's must name this host.
  const auto names = [&](X509* certificate) { return NamesHost(certificate, judgement->host); };
  const auto session =
      judgement->server.empty() ? nullptr : TrustedOf(ssl)->sessions.Find(judgement->server, names);
  // One that does not fit costs a whole handshake, no error.
  if (session != nullptr) SSL_set_session(ssl, session.get());
  // Server name indication is for names only (RFC 6066, section 3).
  ErrorCode not_an_address;
  asio::ip::make_address(judgement->host, not_an_address);
  if (not_an_address) SSL_set_tlsext_host_name(ssl, judgement->host.c_str());
  return ok ? OkStatus() : Status(Code::kOutOfMemory, "TLS client");
}

}  // namespace ferry::net
