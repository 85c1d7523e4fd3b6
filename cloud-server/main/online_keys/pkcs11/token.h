// A key that never leaves its hardware security module. Source: PKCS #11 (OASIS, version 2.40).
#pragma once

#include "cloud-server/main/online_keys/pkcs11/uri.h"
#include "common/crypto/secret.h"

namespace ferry::server {

inline constexpr const char* kPkcs11Pin = "FERRY_PKCS11_PIN";

// HMAC-SHA-256 of `message` under a secret key of the token, by CKM_SHA256_HMAC. `make`: where the
// token has no such key it makes one (256 bits, sensitive, not extractable), and `made` says so.
//
// kUnsupported: the module cannot be loaded, or not do this. kNotFound: no such token or key, with
// what there is. kPermissionDenied: the PIN. kUnavailable: the module's own error, by its number.
// One call at a time in a process: the module is initialised, and let go at the end.
struct TokenMac {
  crypto::Secret32 mac;
  bool made = false;
};
Result<TokenMac> MacInToken(const Pkcs11Uri& uri, ByteView message, bool make);

}  // namespace ferry::server
