// Public keys in PEM, as other tools' metadata holds them: verification only. Sources: FIPS 186-4
// (ECDSA), RFC 8017 (RSASSA-PSS), RFC 7468 (PEM).
// ---- pem/pem_key.cc
#pragma once

#include <string_view>

#include "common/base/bytes.h"

namespace ferry::crypto {

inline constexpr size_t kMaxPemBytes = 16 << 10;
inline constexpr int kMinRsaBits = 2048;
inline constexpr int kMaxRsaBits = 8192;  // a larger one costs the verifier too much

enum class PemScheme {
  kEcdsaP256,  // over SHA-256; signatures in DER
  kRsaPss,     // SHA-256, MGF1 with SHA-256, any length of salt
};

class PemKey {
 public:
  // kMalformed for what is no public key in PEM; kUnsupported for another kind, curve or size.
  static Result<PemKey> Parse(PemScheme scheme, std::string_view pem);
  bool Verify(ByteView message, ByteView signature) const;
  // SubjectPublicKeyInfo: the same bytes for the same key, however its PEM was written.
  const Bytes& der() const { return der_; }

 private:
  PemScheme scheme_ = PemScheme::kEcdsaP256;
  Bytes der_;
};

}  // namespace ferry::crypto
