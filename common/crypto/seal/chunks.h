// Keys and chunks of sealed content (seal.h). For this room only.
#pragma once

#include "common/crypto/aead.h"
#include "common/crypto/seal.h"

namespace ferry::crypto {

inline constexpr size_t kSealedChunkBytes = kSealChunkBytes + kSealTagBytes;

// What one (key, salt) gives: the AEAD, the nonces and the commitment.
class ChunkCipher {
 public:
  ChunkCipher(const Secret32& key, ByteView salt);
  ByteView commitment() const { return commitment_; }
  // `out`: plain.size() + 16. kLimitExceeded past kMaxSealChunks.
  Status Seal(uint64_t chunk, ByteView plain, uint8_t* out);
  // `out`: sealed.size() - 16. kCorruptContent names the chunk.
  Status Open(uint64_t chunk, bool last, ByteView sealed, uint8_t* out);

 private:
  std::array<uint8_t, kAeadNonceBytes> Nonce(uint64_t chunk) const;
  std::unique_ptr<Aead> aead_;
  std::array<uint8_t, kAeadNonceBytes> base_nonce_;
  std::array<uint8_t, 32> commitment_;
};

// Reads the 56 bytes at the front; kWrongKey when `key` did not seal them.
Result<std::unique_ptr<ChunkCipher>> OpenHeader(const Secret32& key, ByteView header);

}  // namespace ferry::crypto
