// X25519 key agreement (RFC 7748).
#pragma once

#include <memory>

#include "common/crypto/secret.h"

struct evp_pkey_st;

namespace ferry::crypto {

// A key pair to which others wrap keys (hpke.h); any thread.
class AgreementKey {
 public:
  static AgreementKey Generate(sys::Random& random);
  static AgreementKey FromPrivate(const Secret32& scalar);
  const PublicKey& public_key() const { return public_; }
  const Secret32& scalar() const { return scalar_; }
  // The shared secret with the holder of `peer`; kInvalidArgument for a wrong length or a point of
  // low order (the result would be zero).
  Result<Secret32> Agree(ByteView peer) const;

 private:
  explicit AgreementKey(const Secret32& scalar);
  Secret32 scalar_;
  PublicKey public_{};
  std::shared_ptr<evp_pkey_st> key_;  // made once: that costs as much as an agreement
};

}  // namespace ferry::crypto
