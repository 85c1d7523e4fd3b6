// Owners of OpenSSL's objects. For this room only.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace ferry::net {

struct OpensslFree {
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(BIO* p) const { BIO_free(p); }
  void operator()(X509_STORE* p) const { X509_STORE_free(p); }
  void operator()(X509_STORE_CTX* p) const { X509_STORE_CTX_free(p); }
  void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
  void operator()(SSL_SESSION* p) const { SSL_SESSION_free(p); }
  void operator()(BIGNUM* p) const { BN_free(p); }
  void operator()(ASN1_TIME* p) const { ASN1_TIME_free(p); }
  void operator()(GENERAL_NAMES* p) const { GENERAL_NAMES_free(p); }
};
template <typename T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

// The text of OpenSSL's last error, whose queue it empties.
std::string OpensslError();
// The first certificate of a PEM text; null when there is none.
OpensslPtr<X509> CertificateFromPem(const std::string& pem);
// "sha256:<hex>" of its DER form.
std::string PinOf(X509* certificate);

}  // namespace ferry::net
