#include "common/net/tls/openssl.h"

#include <openssl/err.h>

#include "common/base/bytes.h"

namespace ferry::net {

std::string OpensslError() {
  char text[256];
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "no detail";
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

OpensslPtr<X509> CertificateFromPem(const std::string& pem) {
  OpensslPtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (bio == nullptr) return nullptr;
  return OpensslPtr<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

std::string PinOf(X509* certificate) {
  uint8_t digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest, &size) != 1) return "";
  return "sha256:" + ToHex({digest, size});
}

}  // namespace ferry::net
