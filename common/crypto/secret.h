// Secret bytes of fixed length that are wiped when they die.
#pragma once

#include <array>

#include "common/base/bytes.h"
#include "common/sys/random.h"

namespace ferry::crypto {

// Overwrites `bytes` in a way that the compiler keeps.
void Wipe(std::span<uint8_t> bytes);

// 32 secret bytes: a seed, a private scalar, a content key. Copies are wiped too.
class Secret32 {
 public:
  static constexpr size_t kBytes = 32;
  static Secret32 Generate(sys::Random& random);
  // kMalformed unless there are 32 bytes; `what` names them in the error.
  static Result<Secret32> From(ByteView bytes, std::string_view what);

  Secret32(const Secret32&) = default;
  Secret32& operator=(const Secret32&) = default;
  ~Secret32() { Wipe(bytes_); }
  ByteView bytes() const { return bytes_; }

 private:
  Secret32() = default;
  std::array<uint8_t, kBytes> bytes_{};
};

using PublicKey = std::array<uint8_t, 32>;  // Ed25519 or X25519, as its holder says
// kMalformed unless there are 32 bytes.
Result<PublicKey> ToPublicKey(ByteView bytes, std::string_view what);

}  // namespace ferry::crypto
