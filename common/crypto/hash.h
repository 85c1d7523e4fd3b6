// Hashes, MACs and key derivation, thin over OpenSSL. Sources: FIPS 180-4, RFC 2104, RFC 5869.
#pragma once

#include <array>
#include <memory>

#include "common/base/bytes.h"

namespace ferry::crypto {

using Sha256Digest = std::array<uint8_t, 32>;
using Sha512Digest = std::array<uint8_t, 64>;

Sha256Digest Sha256(ByteView bytes);
Sha512Digest Sha512(ByteView bytes);
std::string Sha256Hex(ByteView bytes);

// SHA-256 over pieces. One thread at a time.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(Sha256Stream&&) noexcept;
  Sha256Stream& operator=(Sha256Stream&&) noexcept;
  void Update(ByteView piece);
  // The digest of all pieces; the stream then starts anew.
  Sha256Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Sha256Digest HmacSha256(ByteView key, ByteView message);

// HKDF. Expand: 0 < length <= 255 digests, else kInvalidArgument.
Sha256Digest HkdfSha256Extract(ByteView salt, ByteView input_key);
Result<Bytes> HkdfSha256Expand(ByteView prk, ByteView info, size_t length);
Result<Bytes> HkdfSha512Expand(ByteView prk, ByteView info, size_t length);

// Whether both are equal, in time that depends on the lengths only.
bool ConstantTimeEqual(ByteView a, ByteView b);

}  // namespace ferry::crypto
