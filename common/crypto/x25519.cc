#include "common/crypto/x25519.h"

#include "common/crypto/openssl.h"

namespace ferry::crypto {

AgreementKey::AgreementKey(const Secret32& scalar) : scalar_(scalar) {
  const ByteView bytes = scalar_.bytes();
  key_ = OpensslPtr<EVP_PKEY>(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, bytes.data(), bytes.size()));
  size_t size = public_.size();
  CHECK(key_ != nullptr && EVP_PKEY_get_raw_public_key(key_.get(), public_.data(), &size) == 1);
}

AgreementKey AgreementKey::Generate(sys::Random& random) {
  return AgreementKey(Secret32::Generate(random));
}

AgreementKey AgreementKey::FromPrivate(const Secret32& scalar) {
  return AgreementKey(scalar);
}

Result<Secret32> AgreementKey::Agree(ByteView peer) const {
  FERRY_ASSIGN_OR_RETURN(const PublicKey peer_key, ToPublicKey(peer, "X25519 public key"));
  OpensslPtr<EVP_PKEY> other(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, peer_key.data(), peer_key.size()));
  if (other == nullptr) return Status(Code::kOutOfMemory, "X25519 key");
  OpensslPtr<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new(key_.get(), nullptr));
  std::array<uint8_t, Secret32::kBytes> shared;
  size_t size = shared.size();
  // OpenSSL refuses a result of zero itself, which only points of low order give.
  const bool agreed = context != nullptr && EVP_PKEY_derive_init(context.get()) == 1 &&
                      EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1 &&
                      EVP_PKEY_derive(context.get(), shared.data(), &size) == 1;
  if (!agreed) {
    return Status(Code::kInvalidArgument, "X25519 public key: a point of low order");
  }
  Result<Secret32> secret = Secret32::From(shared, "X25519 result");
  Wipe(shared);
  return secret;
}

}  // namespace ferry::crypto
