// Ed25519 signatures (RFC 8032).
#pragma once

#include <memory>

#include "common/crypto/secret.h"

struct evp_pkey_st;

namespace ferry::crypto {

inline constexpr size_t kSignatureBytes = 64;
using Signature = std::array<uint8_t, kSignatureBytes>;

// A key pair; any thread.
class SigningKey {
 public:
  static SigningKey Generate(sys::Random& random);
  static SigningKey FromSeed(const Secret32& seed);
  const PublicKey& public_key() const { return public_; }
  const Secret32& seed() const { return seed_; }
  Signature Sign(ByteView message) const;

 private:
  explicit SigningKey(const Secret32& seed);
  Secret32 seed_;
  PublicKey public_{};
  std::shared_ptr<evp_pkey_st> key_;  // made once: that costs as much as a signature
};

// Whether `signature` is one of `message` by the holder of `key`; false for any wrong length too.
bool Verify(ByteView key, ByteView message, ByteView signature);

}  // namespace ferry::crypto
