// What opens a sealed key ring, and where it is kept.
#pragma once

#include <string>

#include "common/crypto/secret.h"

namespace ferry::server {

inline constexpr const char* kKeyRingSecret = "FERRY_KEY_RING_SECRET";  // 64 hexadecimal digits

struct RingSecret {
  crypto::Secret32 secret;
  bool made = false;  // it did not exist before
};

// The secret of a ring of this salt. `place` says where it is:
//   ""            the environment, FERRY_KEY_RING_SECRET
//   "file:PATH"   a file with 64 hexadecimal digits
//   "pkcs11:.."   a key in a hardware security module (pkcs11/uri.h): the token computes the
//                 secret from the salt, so each ring has one of its own and the key stays inside
// `make`: where there is none it is made; in the environment it cannot be kept, so the caller shows
// it. kNotFound, kInvalidArgument (without its text), and what pkcs11/token.h says.
Result<RingSecret> FindRingSecret(const std::string& place, ByteView salt, bool make);

}  // namespace ferry::server
