#include <algorithm>

#include "common/crypto/seal.h"
#include "common/crypto/seal/chunks.h"

namespace ferry::crypto {

uint64_t SealedSize(uint64_t plain_bytes) {
  return kSealHeaderBytes + plain_bytes + (plain_bytes / kSealChunkBytes + 1) * kSealTagBytes;
}

Result<uint64_t> PlainSize(uint64_t sealed_bytes) {
  const uint64_t body = sealed_bytes - std::min<uint64_t>(sealed_bytes, kSealHeaderBytes);
  const uint64_t rest = body % kSealedChunkBytes;
  if (sealed_bytes < kSealHeaderBytes || rest < kSealTagBytes) {
    return Status::Of(Code::kTruncatedContent, "sealed content: {} bytes cannot be all of it",
                      sealed_bytes);
  }
  return body / kSealedChunkBytes * kSealChunkBytes + rest - kSealTagBytes;
}

struct SealWriter::State {
  State(const Secret32& key, ByteView salt, ByteSink to) : cipher(key, salt), sink(std::move(to)) {
    header.assign(salt.begin(), salt.end());
    header.insert(header.end(), cipher.commitment().begin(), cipher.commitment().end());
    buffer.reserve(kSealChunkBytes);
    sealed.resize(kSealedChunkBytes);
  }
  ~State() { Wipe(buffer); }

  Status Emit() {
    if (!header.empty()) {
      FERRY_TRY(sink(header));
      header.clear();
    }
    FERRY_TRY(cipher.Seal(chunk++, buffer, sealed.data()));
    const size_t size = buffer.size() + kSealTagBytes;
    buffer.clear();
    return sink(ByteView(sealed).first(size));
  }

  ChunkCipher cipher;
  ByteSink sink;
  Bytes header;  // empty once written
  Bytes buffer, sealed;
  uint64_t chunk = 0;
};

SealWriter::SealWriter(const Secret32& key, sys::Random& random, ByteSink sink) {
  std::array<uint8_t, kSealSaltBytes> salt;
  random.Fill(salt);
  state_ = std::make_unique<State>(key, salt, std::move(sink));
}

SealWriter::~SealWriter() = default;

Status SealWriter::Write(ByteView plain) {
  Bytes& buffer = state_->buffer;
  while (!plain.empty()) {
    const size_t n = std::min(plain.size(), kSealChunkBytes - buffer.size());
    buffer.insert(buffer.end(), plain.begin(), plain.begin() + static_cast<ptrdiff_t>(n));
    plain = plain.subspan(n);
    if (buffer.size() == kSealChunkBytes) FERRY_TRY(state_->Emit());
  }
  return OkStatus();
}

Status SealWriter::Finish() {
  return state_->Emit();
}

Result<Bytes> Seal(const Secret32& key, ByteView plain, sys::Random& random) {
  Bytes sealed;
  sealed.reserve(SealedSize(plain.size()));
  SealWriter writer(key, random, [&](ByteView piece) {
    sealed.insert(sealed.end(), piece.begin(), piece.end());
    return OkStatus();
  });
  FERRY_TRY(writer.Write(plain));
  FERRY_TRY(writer.Finish());
  return sealed;
}

}  // namespace ferry::crypto
