#include "common/crypto/ed25519.h"

#include "common/crypto/openssl.h"

namespace ferry::crypto {

SigningKey::SigningKey(const Secret32& seed) : seed_(seed) {
  const ByteView bytes = seed_.bytes();
  key_ = OpensslPtr<EVP_PKEY>(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes.data(), bytes.size()));
  size_t size = public_.size();
  CHECK(key_ != nullptr && EVP_PKEY_get_raw_public_key(key_.get(), public_.data(), &size) == 1);
}

SigningKey SigningKey::Generate(sys::Random& random) {
  return SigningKey(Secret32::Generate(random));
}

SigningKey SigningKey::FromSeed(const Secret32& seed) {
  return SigningKey(seed);
}

Signature SigningKey::Sign(ByteView message) const {
  OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  Signature signature;
  size_t size = signature.size();
  CHECK(context != nullptr);
  CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1);
  CHECK(EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()) ==
        1);
  return signature;
}

bool Verify(ByteView key, ByteView message, ByteView signature) {
  if (key.size() != std::tuple_size_v<PublicKey> || signature.size() != kSignatureBytes) {
    return false;
  }
  OpensslPtr<EVP_PKEY> pkey(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()));
  OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  if (pkey == nullptr || context == nullptr) return false;
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, pkey.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(),
                          message.size()) == 1;
}

}  // namespace ferry::crypto
