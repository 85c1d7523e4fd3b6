// AES-256-GCM with a 12-byte nonce and a 16-byte tag after the ciphertext (NIST SP 800-38D). For
// this room, common/net and cloud-server/have; whoever calls it sees to it that no nonce is used
// twice with a key.
#pragma once

#include <memory>

#include "common/base/bytes.h"

namespace ferry::crypto {

inline constexpr size_t kAeadKeyBytes = 32;
inline constexpr size_t kAeadNonceBytes = 12;
inline constexpr size_t kAeadTagBytes = 16;

// One key; many messages. One thread at a time.
class Aead {
 public:
  explicit Aead(ByteView key);  // 32 bytes
  ~Aead();
  // `out` has room for plain.size() + 16 and may begin where `plain` does.
  void Seal(ByteView nonce, ByteView aad, ByteView plain, uint8_t* out);
  // `out` has room for sealed.size() - 16; false, and nothing of use in `out`, when the tag is
  // wrong.
  [[nodiscard]] bool Open(ByteView nonce, ByteView aad, ByteView sealed, uint8_t* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ferry::crypto
