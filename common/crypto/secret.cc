#include "common/crypto/secret.h"

#include <openssl/crypto.h>

#include <algorithm>

namespace ferry::crypto {

void Wipe(std::span<uint8_t> bytes) {
  OPENSSL_cleanse(bytes.data(), bytes.size());
}

Secret32 Secret32::Generate(sys::Random& random) {
  Secret32 secret;
  random.Fill(secret.bytes_);
  return secret;
}

Result<Secret32> Secret32::From(ByteView bytes, std::string_view what) {
  if (bytes.size() != kBytes) {
    return Status::Of(Code::kMalformed, "{}: {} bytes, not {}", what, bytes.size(), kBytes);
  }
  Secret32 secret;
  std::copy(bytes.begin(), bytes.end(), secret.bytes_.begin());
  return secret;
}

Result<PublicKey> ToPublicKey(ByteView bytes, std::string_view what) {
  PublicKey key;
  if (bytes.size() != key.size()) {
    return Status::Of(Code::kMalformed, "{}: {} bytes, not {}", what, bytes.size(), key.size());
  }
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

}  // namespace ferry::crypto
