// A server's keys, certificates and name as one sealed file: a node is started with it in an empty
// directory. Its secret comes by another way, in the environment.
//
//   "ferry key ring 1\n" | salt (32) | sealed JSON: {"files":[{"path","permissions","bytes"}]}
//
// Sealed by a key of its own each time: HKDF of the secret under the salt.
#pragma once

#include <string>
#include <vector>

#include "common/crypto/secret.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

inline constexpr const char* kKeyRingSecret = "FERRY_KEY_RING_SECRET";  // 64 hexadecimal digits

// What is in the directory of a server and no other node makes by itself, without where the rows
// are.
Result<Bytes> SealKeyRing(const std::string& directory, const crypto::Secret32& secret,
                          sys::Random& random);
// Makes `directory` that of a node; nothing when a server lives there already. kWrongKey,
// kMalformed, kCorruptContent.
Status UnsealKeyRing(ByteView ring, const crypto::Secret32& secret, const std::string& directory);
// Of the environment. kInvalidArgument, without its text; kNotFound when it is not set.
Result<crypto::Secret32> KeyRingSecret();

struct SealKeysCommand {
  std::string directory;
  std::string to;
  bool json = false;
};
// `ferry-server keys seal`: writes the file, and prints the secret unless the environment has one.
Status RunSealKeys(const SealKeysCommand& command);
// For `run --key-ring`.
Status UseKeyRing(const std::string& file, const std::string& directory);

}  // namespace ferry::server
