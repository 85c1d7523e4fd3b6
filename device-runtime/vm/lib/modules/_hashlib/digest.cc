#include "device-runtime/vm/lib/modules/_hashlib/digest.h"

#include <algorithm>
#include <cstring>

namespace ferry::vm {
namespace {

constexpr const HashKind* kKinds[] = {&kBlake2b,  &kBlake2s, &kMd5,      &kSha1,     &kSha224,
                                      &kSha256,   &kSha384,  &kSha3_224, &kSha3_256, &kSha3_384,
                                      &kSha3_512, &kSha512,  &kShake128, &kShake256};

}  // namespace

size_t HashKindCount() {
  return std::size(kKinds);
}
const HashKind& HashKindAt(size_t i) {
  return *kKinds[i];
}
int FindHashKind(std::string_view name) {
  for (size_t i = 0; i < std::size(kKinds); ++i)
    if (name == kKinds[i]->name) return static_cast<int>(i);
  return -1;
}

void BeginDigest(Digest* digest, int kind) {
  std::memset(digest, 0, sizeof *digest);
  digest->kind = static_cast<uint32_t>(kind);
  digest->size = HashKindAt(digest->kind).size;
  HashKindAt(digest->kind).begin(digest);
}

// The last block stays in the buffer: BLAKE2 marks it.
void UpdateDigest(Digest* digest, std::string_view bytes) {
  const HashKind& kind = HashKindAt(digest->kind);
  while (!bytes.empty()) {
    if (digest->buffered == kind.block) {
      kind.take(digest, digest->buffer);
      digest->buffered = 0;
    }
    if (digest->buffered == 0 && bytes.size() > kind.block) {
      digest->length += kind.block;
      kind.take(digest, reinterpret_cast<const uint8_t*>(bytes.data()));
      bytes.remove_prefix(kind.block);
      continue;
    }
    const size_t size = std::min<size_t>(bytes.size(), kind.block - digest->buffered);
    std::memcpy(digest->buffer + digest->buffered, bytes.data(), size);
    digest->buffered += static_cast<uint32_t>(size);
    digest->length += size;
    bytes.remove_prefix(size);
  }
}

void FinishDigest(const Digest& digest, uint8_t* out, size_t size) {
  Digest last = digest;
  const HashKind& kind = HashKindAt(last.kind);
  const bool blake = kind.begin == kBlake2b.begin || kind.begin == kBlake2s.begin;
  if (last.buffered == kind.block && !blake) {
    kind.take(&last, last.buffer);
    last.buffered = 0;
  }
  kind.finish(&last, out, size);
}

}  // namespace ferry::vm
