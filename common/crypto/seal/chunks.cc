#include "common/crypto/seal/chunks.h"

#include <algorithm>

#include "common/crypto/hash.h"

namespace ferry::crypto {

ChunkCipher::ChunkCipher(const Secret32& key, ByteView salt) {
  Bytes info = ToBytes("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM");
  info.push_back(0);
  info.insert(info.end(), salt.begin(), salt.end());  // the application context is empty
  // 76 bytes are two blocks of SHA-512: always possible.
  Bytes derived = HkdfSha512Expand(key.bytes(), info, kAeadKeyBytes + kAeadNonceBytes + 32).value();
  const ByteView all(derived);
  aead_ = std::make_unique<Aead>(all.first(kAeadKeyBytes));
  std::copy_n(all.begin() + kAeadKeyBytes, kAeadNonceBytes, base_nonce_.begin());
  std::copy_n(all.begin() + kAeadKeyBytes + kAeadNonceBytes, 32, commitment_.begin());
  Wipe(derived);
}

std::array<uint8_t, kAeadNonceBytes> ChunkCipher::Nonce(uint64_t chunk) const {
  std::array<uint8_t, kAeadNonceBytes> nonce = base_nonce_;
  for (int i = 0; i < 8; ++i) {
    nonce[kAeadNonceBytes - 1 - i] ^= static_cast<uint8_t>(chunk >> (8 * i));
  }
  return nonce;
}

Status ChunkCipher::Seal(uint64_t chunk, ByteView plain, uint8_t* out) {
  if (chunk >= kMaxSealChunks) {
    return Status::Of(Code::kLimitExceeded, "sealing: more than {} chunks", kMaxSealChunks);
  }
  aead_->Seal(Nonce(chunk), {}, plain, out);
  return OkStatus();
}

Status ChunkCipher::Open(uint64_t chunk, bool last, ByteView sealed, uint8_t* out) {
  if (chunk < kMaxSealChunks && aead_->Open(Nonce(chunk), {}, sealed, out)) return OkStatus();
  return Status::Of(Code::kCorruptContent, "sealed content: chunk {}{} does not match its tag",
                    chunk, last ? " (the last)" : "");
}

Result<std::unique_ptr<ChunkCipher>> OpenHeader(const Secret32& key, ByteView header) {
  if (header.size() < kSealHeaderBytes) {
    return Status::Of(Code::kTruncatedContent, "sealed content: {} bytes of its {}-byte header",
                      header.size(), kSealHeaderBytes);
  }
  auto cipher = std::make_unique<ChunkCipher>(key, header.first(kSealSaltBytes));
  const ByteView commitment = header.subspan(kSealSaltBytes, kSealHeaderBytes - kSealSaltBytes);
  if (!ConstantTimeEqual(cipher->commitment(), commitment)) {
    return Status(Code::kWrongKey,
                  "sealed content: this key does not open it (or its header was "
                  "changed)");
  }
  return cipher;
}

}  // namespace ferry::crypto
