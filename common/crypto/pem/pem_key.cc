#include "common/crypto/pem/pem_key.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "common/crypto/openssl.h"

namespace ferry::crypto {
namespace {

Status CheckEcdsaP256(EVP_PKEY* key) {
  char group[64] = {};
  size_t length = 0;
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
      EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 &&
      std::string_view(group, length) == "prime256v1") {
    return OkStatus();
  }
  return Status(Code::kUnsupported, "no key of the curve P-256");
}

Status CheckRsa(EVP_PKEY* key) {
  const int bits = EVP_PKEY_get_bits(key);
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA && bits >= kMinRsaBits && bits <= kMaxRsaBits) {
    return OkStatus();
  }
  return Status::Of(Code::kUnsupported, "no RSA key of {} to {} bits", kMinRsaBits, kMaxRsaBits);
}

}  // namespace

Result<PemKey> PemKey::Parse(PemScheme scheme, std::string_view pem) {
  if (pem.size() > kMaxPemBytes) {
    return Status::Of(Code::kMalformed, "a PEM key of {} bytes, at most {}", pem.size(),
                      kMaxPemBytes);
  }
  OpensslPtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (bio == nullptr) return Status(Code::kOutOfMemory, "reading a PEM key");
  OpensslPtr<EVP_PKEY> key(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr) return Status(Code::kMalformed, "no public key in PEM");
  FERRY_TRY(scheme == PemScheme::kEcdsaP256 ? CheckEcdsaP256(key.get()) : CheckRsa(key.get()));
  const int length = i2d_PUBKEY(key.get(), nullptr);
  if (length <= 0) return Status(Code::kMalformed, "no public key in PEM");
  PemKey out;
  out.scheme_ = scheme;
  out.der_.resize(static_cast<size_t>(length));
  uint8_t* at = out.der_.data();
  i2d_PUBKEY(key.get(), &at);
  return out;
}

bool PemKey::Verify(ByteView message, ByteView signature) const {
  const uint8_t* at = der_.data();
  OpensslPtr<EVP_PKEY> key(d2i_PUBKEY(nullptr, &at, static_cast<long>(der_.size())));
  OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  if (key == nullptr || context == nullptr) return false;
  EVP_PKEY_CTX* options = nullptr;  // belongs to `context`
  if (EVP_DigestVerifyInit(context.get(), &options, EVP_sha256(), nullptr, key.get()) != 1) {
    return false;
  }
  if (scheme_ == PemScheme::kRsaPss &&
      (EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) != 1 ||
       EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_AUTO) != 1)) {
    return false;
  }
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(),
                          message.size()) == 1;
}

}  // namespace ferry::crypto
