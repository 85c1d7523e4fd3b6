// AES-256 on single blocks (FIPS 197), for what has no room for a nonce or a tag: it hides a block
// and nothing more, and equal blocks look equal. Where there is room, aead.h is the choice.
#pragma once

#include <memory>

#include "common/base/bytes.h"

namespace ferry::crypto {

inline constexpr size_t kBlockBytes = 16;

// One key; many blocks. One thread at a time.
class BlockCipher {
 public:
  explicit BlockCipher(ByteView key);  // 32 bytes
  ~BlockCipher();
  // 16 bytes each; `out` may be where `in` is.
  void Encrypt(const uint8_t* in, uint8_t* out);
  void Decrypt(const uint8_t* in, uint8_t* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ferry::crypto
