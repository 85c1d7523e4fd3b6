#include "common/net/tls/believed.h"

#include <algorithm>
#include <memory>

#include "common/net/authority.h"
#include "common/net/tls/openssl.h"

namespace ferry::net {
namespace {

constexpr size_t kPinBytes = 32;

struct Chain {
  OpensslPtr<X509> certificate;
  OpensslPtr<X509> authority;
  OpensslPtr<EVP_PKEY> key;
  Bytes pin;  // of the authority
};

// What a context's callbacks use; freed with the context.
struct Believed {
  Bytes said;                 // of a client
  std::vector<Chain> chains;  // of a server
};

int BelievedIndex() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* own, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<Believed*>(own);
      });
  return index;
}

// Of a connection: the chain to show, counted from 1.
int ChosenIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

Status Give(SSL_CTX* context, std::unique_ptr<Believed> believed) {
  if (SSL_CTX_set_ex_data(context, BelievedIndex(), believed.get()) != 1)
    return Status(Code::kOutOfMemory, "TLS context");
  (void)believed.release();
  return OkStatus();
}

Result<Bytes> PinBytes(const std::string& pin) {
  FERRY_ASSIGN_OR_RETURN(const std::string parsed, ParsePin(pin));
  return FromHex(parsed.substr(parsed.find(':') + 1));
}

// `argument` is the context's Believed: it lives as long as connections of the context.
int AddSaid(SSL*, unsigned, unsigned, const unsigned char** out, size_t* size, X509*, size_t, int*,
            void* argument) {
  const auto* believed = static_cast<const Believed*>(argument);
  *out = believed->said.data();
  *size = believed->said.size();
  return 1;
}

bool Says(const unsigned char* in, size_t size, const Bytes& pin) {
  for (size_t at = 0; at + kPinBytes <= size; at += kPinBytes)
    if (std::equal(pin.begin(), pin.end(), in + at)) return true;
  return false;
}

int ReadSaid(SSL* ssl, unsigned, unsigned, const unsigned char* in, size_t size, X509*, size_t,
             int*, void* argument) {
  const auto* believed = static_cast<const Believed*>(argument);
  const size_t read = std::min(size, kMaxBelieved * kPinBytes);
  for (size_t i = believed->chains.size(); i > 0; --i) {
    if (!Says(in, read, believed->chains[i - 1].pin)) continue;
    SSL_set_ex_data(ssl, ChosenIndex(), reinterpret_cast<void*>(i));
    break;
  }
  return 1;  // an odd list is of no client of ours, and gets what all get
}

int ShowChosen(SSL* ssl, void* argument) {
  const auto* believed = static_cast<const Believed*>(argument);
  const auto chosen = reinterpret_cast<size_t>(SSL_get_ex_data(ssl, ChosenIndex()));
  if (chosen == 0) return 1;
  const Chain& chain = believed->chains[chosen - 1];
  STACK_OF(X509)* above = sk_X509_new_null();
  if (above == nullptr || sk_X509_push(above, chain.authority.get()) == 0) {
    sk_X509_free(above);
    return 0;
  }
  const int used = SSL_use_cert_and_key(ssl, chain.certificate.get(), chain.key.get(), above, 1);
  sk_X509_free(above);
  return used;
}

Result<Chain> ReadChain(const CertificateAndKey& pem) {
  Chain chain;
  chain.certificate = CertificateFromPem(pem.certificate_pem);
  const size_t last = pem.certificate_pem.rfind("-----BEGIN CERTIFICATE-----");
  if (last != std::string::npos && last != 0)
    chain.authority = CertificateFromPem(pem.certificate_pem.substr(last));
  OpensslPtr<BIO> bio(
      BIO_new_mem_buf(pem.private_key_pem.data(), static_cast<int>(pem.private_key_pem.size())));
  const auto no_password = [](char*, int, int, void*) { return 0; };
  if (bio != nullptr)
    chain.key.reset(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  if (chain.certificate == nullptr || chain.authority == nullptr || chain.key == nullptr ||
      X509_check_private_key(chain.certificate.get(), chain.key.get()) != 1) {
    return Status::Of(Code::kInvalidArgument, "TLS server: a further chain: {}", OpensslError());
  }
  FERRY_ASSIGN_OR_RETURN(chain.pin, PinBytes(PinOf(chain.authority.get())));
  return chain;
}

}  // namespace

Status SayBelieved(SSL_CTX* client, const std::vector<std::string>& pins) {
  if (pins.size() > kMaxBelieved) {
    return Status::Of(Code::kInvalidArgument, "{} authorities, at most {}", pins.size(),
                      kMaxBelieved);
  }
  auto believed = std::make_unique<Believed>();
  for (const std::string& pin : pins) {
    FERRY_ASSIGN_OR_RETURN(const Bytes bytes, PinBytes(pin));
    believed->said.insert(believed->said.end(), bytes.begin(), bytes.end());
  }
  if (SSL_CTX_add_custom_ext(client, kBelievedExtension, SSL_EXT_CLIENT_HELLO, AddSaid, nullptr,
                             believed.get(), nullptr, nullptr) != 1)
    return Status::Of(Code::kInternal, "TLS client: {}", OpensslError());
  return Give(client, std::move(believed));
}

Status ShowBelieved(SSL_CTX* server, const std::vector<CertificateAndKey>& chains) {
  auto believed = std::make_unique<Believed>();
  for (const CertificateAndKey& pem : chains) {
    FERRY_ASSIGN_OR_RETURN(Chain chain, ReadChain(pem));
    believed->chains.push_back(std::move(chain));
  }
  if (SSL_CTX_add_custom_ext(server, kBelievedExtension, SSL_EXT_CLIENT_HELLO, nullptr, nullptr,
                             nullptr, ReadSaid, believed.get()) != 1)
    return Status::Of(Code::kInternal, "TLS server: {}", OpensslError());
  SSL_CTX_set_cert_cb(server, ShowChosen, believed.get());
  return Give(server, std::move(believed));
}

}  // namespace ferry::net
