// Key files: JSON
// {"type":"ferry-key","kind":"ed25519"|"x25519"|"secret","public":hex,"private":hex} written with
// mode 0600; PKCS#8 PEM is read too. Reading a private key whose file the group or others may read
// is refused with kPermissionDenied.
#pragma once

#include "common/crypto/ed25519.h"
#include "common/crypto/x25519.h"
#include "common/sys/filesystem.h"

namespace ferry::crypto {

inline constexpr uint64_t kMaxKeyFileBytes = 16 << 10;

// Errors when reading: kNotFound, kPermissionDenied, kMalformed (also when the public part is not
// of the private one); each names the path. Writing replaces atomically.
Status WriteKey(sys::FileSystem& fs, const std::string& path, const SigningKey& key);
Status WriteKey(sys::FileSystem& fs, const std::string& path, const AgreementKey& key);
Status WriteKey(sys::FileSystem& fs, const std::string& path, const Secret32& secret);
Result<SigningKey> ReadSigningKey(sys::FileSystem& fs, const std::string& path);
Result<AgreementKey> ReadAgreementKey(sys::FileSystem& fs, const std::string& path);
Result<Secret32> ReadSecret(sys::FileSystem& fs, const std::string& path);

}  // namespace ferry::crypto
