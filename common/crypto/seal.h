// Sealed content: AES-256-GCM in chunks, with key commitment and a last chunk that is always
// shorter. Source: C2SP chunked-encryption, the instance with SHA-512 and AEAD_AES_256_GCM
// ("Cobblestone-256").
//
//   salt (24) | commitment (32) | chunk 0 | chunk 1 | ... | last chunk
//
// Each chunk is up to 16384 bytes of content and a tag of 16; all but the last are full, the last
// holds 0 to 16383. One key seals one artefact and is never used again.
#pragma once

#include <functional>
#include <memory>

#include "common/crypto/secret.h"
#include "common/sys/filesystem.h"

namespace ferry::crypto {

inline constexpr size_t kSealChunkBytes = 16384;
inline constexpr size_t kSealTagBytes = 16;
inline constexpr size_t kSealSaltBytes = 24;
inline constexpr size_t kSealHeaderBytes = 56;
inline constexpr uint64_t kMaxSealChunks = uint64_t{1} << 38;

using ByteSink = std::function<Status(ByteView)>;

uint64_t SealedSize(uint64_t plain_bytes);
// kTruncatedContent when no sealed content has this length.
Result<uint64_t> PlainSize(uint64_t sealed_bytes);

// Seals a stream; sealed pieces go to the sink. One thread at a time.
class SealWriter {
 public:
  SealWriter(const Secret32& key, sys::Random& random, ByteSink sink);
  ~SealWriter();
  Status Write(ByteView plain);
  Status Finish();  // the last chunk; call once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Opens a stream as it arrives, in pieces of any size. Content reaches the sink only after its
// chunk's tag was checked. Errors: kWrongKey (commitment), kCorruptContent (names the chunk),
// kTruncatedContent. After an error every call returns it again.
class SealOpener {
 public:
  // `sealed_bytes`, when not 0, is the length that signed metadata promise: less is
  // kTruncatedContent, more is kCorruptContent. Without it a cut inside the last chunk looks like a
  // changed one.
  SealOpener(const Secret32& key, uint64_t sealed_bytes, ByteSink sink);
  ~SealOpener();
  Status Write(ByteView sealed);
  Status Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads any part of sealed content. One thread at a time.
class SealedReader : public sys::ReadableFile {
 public:
  // Checks length, commitment and the last chunk (so that the length is authentic).
  static Result<std::unique_ptr<SealedReader>> Open(std::unique_ptr<sys::ReadableFile> sealed,
                                                    const Secret32& key);
  ~SealedReader() override;
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override;
  Result<uint64_t> Size() const override;

 private:
  struct State;
  explicit SealedReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whole contents in memory.
Result<Bytes> Seal(const Secret32& key, ByteView plain, sys::Random& random);
Result<Bytes> Unseal(const Secret32& key, ByteView sealed);

}  // namespace ferry::crypto
