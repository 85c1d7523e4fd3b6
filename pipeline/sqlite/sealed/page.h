// One page of a sealed database, as it lies on the disk: ciphertext, then in the bytes that SQLite
// leaves free at the end of each page the salt of its key, the nonce and the tag (AES-256-GCM,
// NIST SP 800-38D). Internal to the room.
//
// Each opening of a database draws a salt and derives a key of its own (HKDF-SHA-256, RFC 5869), so
// that random nonces stay far from their limit of 2^32 messages a key, however old a file grows.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "common/base/bytes.h"
#include "common/crypto/aead.h"
#include "common/crypto/cipher/block.h"
#include "common/crypto/secret.h"

namespace ferry::sqlite {

inline constexpr size_t kPageBytes = 4096;  // SQLite's default; sealed files have no other
inline constexpr size_t kSaltBytes = 16;
inline constexpr size_t kReservedBytes =
    kSaltBytes + crypto::kAeadNonceBytes + crypto::kAeadTagBytes;
inline constexpr size_t kSealedBytes = kPageBytes - kReservedBytes;
// In front of a sealed file, in place of SQLite's "SQLite format 3": what it is, and by which key.
inline constexpr size_t kFrontBytes = 16;
inline constexpr char kSealedMagic[] = "FERRYSQL";

using Salt = std::array<uint8_t, kSaltBytes>;
using Front = std::array<uint8_t, kFrontBytes>;

// The same for all pages of a file. One thread at a time.
class PageSealer {
 public:
  explicit PageSealer(const crypto::Secret32& key);

  // What a file of this key begins with.
  const Front& front() const { return front_; }
  // `place` tells pages apart: one that was moved on the disk does not open. The plain page's last
  // kReservedBytes are zero, and false is the answer when they are not. `from` is the first byte
  // that is sealed: those before it lie as they are.
  [[nodiscard]] bool Seal(uint64_t place, size_t from, const uint8_t* plain, uint8_t* out);
  // False when the page is damaged, of another place or of another key.
  [[nodiscard]] bool Open(uint64_t place, size_t from, const uint8_t* sealed, uint8_t* out);
  // The 16 bytes of a frame of SQLite's log that tell of its page's content: its checksum.
  void HideBlock(uint64_t place, const uint8_t* plain, uint8_t* out);
  void ShowBlock(uint64_t place, const uint8_t* hidden, uint8_t* out);

 private:
  crypto::Aead& KeyOf(const Salt& salt);

  const crypto::Secret32 key_;
  Front front_{};
  Salt salt_{};  // of this opening
  std::unique_ptr<crypto::BlockCipher> block_;
  std::map<Salt, std::unique_ptr<crypto::Aead>> keys_;  // by their pages' salt
};

}  // namespace ferry::sqlite
