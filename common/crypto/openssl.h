// Owners of OpenSSL objects. For this room's .cc files only.
#pragma once

#include <openssl/evp.h>

#include <memory>

namespace ferry::crypto {

struct OpensslFree {
  void operator()(EVP_MD_CTX* p) const { EVP_MD_CTX_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(EVP_PKEY_CTX* p) const { EVP_PKEY_CTX_free(p); }
  void operator()(EVP_CIPHER_CTX* p) const { EVP_CIPHER_CTX_free(p); }
  void operator()(BIO* p) const { BIO_free(p); }
};
template <typename T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

}  // namespace ferry::crypto
