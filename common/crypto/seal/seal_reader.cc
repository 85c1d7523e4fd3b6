#include <algorithm>
#include <cstring>

#include "common/crypto/seal.h"
#include "common/crypto/seal/chunks.h"

namespace ferry::crypto {

struct SealedReader::State {
  std::unique_ptr<sys::ReadableFile> file;
  std::unique_ptr<ChunkCipher> cipher;
  uint64_t size = 0;             // of the content
  Bytes sealed, plain;           // one chunk
  uint64_t loaded = UINT64_MAX;  // the chunk in `plain`

  ~State() { Wipe(plain); }

  Status Load(uint64_t chunk) {
    if (chunk == loaded) return OkStatus();
    loaded = UINT64_MAX;
    const uint64_t begin = chunk * kSealChunkBytes;
    const size_t bytes = std::min<uint64_t>(kSealChunkBytes, size - begin);
    sealed.resize(bytes + kSealTagBytes);
    plain.resize(bytes);
    FERRY_ASSIGN_OR_RETURN(const size_t got,
                           file->ReadAt(kSealHeaderBytes + chunk * kSealedChunkBytes, sealed));
    if (got < sealed.size()) {
      return Status::Of(Code::kTruncatedContent, "sealed content: it ends within chunk {}", chunk);
    }
    FERRY_TRY(cipher->Open(chunk, chunk == size / kSealChunkBytes, sealed, plain.data()));
    loaded = chunk;
    return OkStatus();
  }
};

SealedReader::SealedReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
SealedReader::~SealedReader() = default;

Result<std::unique_ptr<SealedReader>> SealedReader::Open(std::unique_ptr<sys::ReadableFile> sealed,
                                                         const Secret32& key) {
  FERRY_ASSIGN_OR_RETURN(const uint64_t sealed_bytes, sealed->Size());
  auto state = std::make_unique<State>();
  uint8_t header[kSealHeaderBytes];
  FERRY_ASSIGN_OR_RETURN(const size_t got, sealed->ReadAt(0, header));
  FERRY_ASSIGN_OR_RETURN(state->cipher, OpenHeader(key, ByteView(header, got)));
  FERRY_ASSIGN_OR_RETURN(state->size, PlainSize(sealed_bytes));
  state->file = std::move(sealed);
  FERRY_TRY(state->Load(state->size / kSealChunkBytes));
  return std::unique_ptr<SealedReader>(new SealedReader(std::move(state)));
}

Result<size_t> SealedReader::ReadAt(uint64_t offset, std::span<uint8_t> out) const {
  size_t done = 0;
  while (done < out.size() && offset < state_->size) {
    FERRY_TRY(state_->Load(offset / kSealChunkBytes));
    const size_t within = offset % kSealChunkBytes;
    const size_t n = std::min(out.size() - done, state_->plain.size() - within);
    std::memcpy(out.data() + done, state_->plain.data() + within, n);
    done += n;
    offset += n;
  }
  return done;
}

Result<uint64_t> SealedReader::Size() const {
  return state_->size;
}

}  // namespace ferry::crypto
