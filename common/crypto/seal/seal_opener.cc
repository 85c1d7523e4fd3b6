#include <algorithm>

#include "common/crypto/seal.h"
#include "common/crypto/seal/chunks.h"

namespace ferry::crypto {

struct SealOpener::State {
  State(const Secret32& k, uint64_t promised, ByteSink to)
      : key(k), sealed_bytes(promised), sink(std::move(to)) {
    plain.resize(kSealChunkBytes);
  }
  ~State() { Wipe(plain); }

  Status Write(ByteView piece) {
    if (finished) return Status(Code::kCorruptContent, "sealed content: bytes after its end");
    total += piece.size();
    if (sealed_bytes != 0 && total > sealed_bytes) {
      return Status::Of(Code::kCorruptContent, "sealed content: more than the promised {} bytes",
                        sealed_bytes);
    }
    while (!piece.empty()) {
      const size_t want = cipher == nullptr ? kSealHeaderBytes : kSealedChunkBytes;
      const size_t n = std::min(piece.size(), want - buffer.size());
      buffer.insert(buffer.end(), piece.begin(), piece.begin() + static_cast<ptrdiff_t>(n));
      piece = piece.subspan(n);
      if (buffer.size() < want) break;
      if (cipher == nullptr) {
        FERRY_ASSIGN_OR_RETURN(cipher, OpenHeader(key, buffer));
        buffer.clear();
      } else {
        FERRY_TRY(OpenChunk(false));
      }
    }
    return OkStatus();
  }

  Status Finish() {
    if (finished) return OkStatus();
    if (sealed_bytes != 0 && total < sealed_bytes) {
      return Status::Of(Code::kTruncatedContent, "sealed content: {} of {} bytes", total,
                        sealed_bytes);
    }
    if (cipher == nullptr) FERRY_TRY(OpenHeader(key, buffer));
    if (buffer.size() < kSealTagBytes) {
      return Status::Of(Code::kTruncatedContent,
                        "sealed content: it ends after {} bytes without a last chunk", total);
    }
    finished = true;
    return OpenChunk(true);
  }

  Status OpenChunk(bool last) {
    FERRY_TRY(cipher->Open(chunk++, last, buffer, plain.data()));
    const size_t size = buffer.size() - kSealTagBytes;
    buffer.clear();
    return size == 0 ? OkStatus() : sink(ByteView(plain).first(size));
  }

  Secret32 key;
  uint64_t sealed_bytes;
  ByteSink sink;
  std::unique_ptr<ChunkCipher> cipher;
  Bytes buffer, plain;
  uint64_t total = 0, chunk = 0;
  bool finished = false;
  Status failure;
};

SealOpener::SealOpener(const Secret32& key, uint64_t sealed_bytes, ByteSink sink)
    : state_(std::make_unique<State>(key, sealed_bytes, std::move(sink))) {}

SealOpener::~SealOpener() = default;

Status SealOpener::Write(ByteView sealed) {
  if (state_->failure.ok()) state_->failure = state_->Write(sealed);
  return state_->failure;
}

Status SealOpener::Finish() {
  if (state_->failure.ok()) state_->failure = state_->Finish();
  return state_->failure;
}

Result<Bytes> Unseal(const Secret32& key, ByteView sealed) {
  Bytes plain;
  SealOpener opener(key, 0, [&](ByteView piece) {
    plain.insert(plain.end(), piece.begin(), piece.end());
    return OkStatus();
  });
  FERRY_TRY(opener.Write(sealed));
  FERRY_TRY(opener.Finish());
  return plain;
}

}  // namespace ferry::crypto
