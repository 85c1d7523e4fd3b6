// The keys that an issuer signs with, and whether one of them signed a token. Any thread. Source:
// RFC 7517 (JWK), RFC 7518 (RS256, ES256).
// ---- keys.cc
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cloud-server/oidc/jwt.h"

struct evp_pkey_st;  // of OpenSSL

namespace ferry::server::oidc {

inline constexpr size_t kMaxIssuerKeys = 32;
inline constexpr int kMinRsaBits = 2048, kMaxRsaBits = 4096;

class KeySet {
 public:
  // What of the document is for other uses or other algorithms is passed over. kMalformed,
  // kLimitExceeded; kInvalidArgument for a key for this use that is none.
  static Result<KeySet> Parse(std::string_view text);
  size_t size() const { return keys_.size(); }

  // The algorithm is that of the key, never what a token asks for: a token that is signed by "none"
  // or with a public key as if it were a secret is kUnsupported. kNotFound: no key here is the
  // token's; the issuer may have new ones. kBadSignature.
  Status Verify(const Jwt& token) const;

 private:
  struct Key {
    std::string id;  // empty: it has none
    std::string algorithm;
    std::shared_ptr<evp_pkey_st> key;
  };
  static Result<Key> Read(const Json& json);  // a key without algorithm: not for this use

  std::vector<Key> keys_;
};

}  // namespace ferry::server::oidc
