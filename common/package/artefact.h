// Artefacts: what travels. seal_CEK(zstd(plain)) for full packages and exclusive files,
// seal_CEK(the smaller of a tensor-aware delta and a zstd patch-from base) for deltas; each under a
// fresh content key of its own.
#pragma once

#include <string>

#include "common/crypto/secret.h"
#include "common/package/compress.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "common/trust/targets.h"

namespace ferry::package {

struct SealedArtefact {
  crypto::Secret32 content_key;
  uint64_t length = 0;            // of the sealed file
  crypto::Sha256Digest sha256{};  // of the sealed file
  uint64_t plain_length = 0;
  crypto::Sha256Digest plain_sha256{};
};

// Compresses and seals `plain` into the file `to`, under a fresh key.
Result<SealedArtefact> SealArtefact(sys::FileSystem& fs, const std::string& to, ByteView plain,
                                    sys::Random& random, const Progress& progress = nullptr);
// Above this, base and new package together, zstd's tables would take too much memory, and only the
// tensor-aware delta is made.
inline constexpr uint64_t kMaxPatchFromBytes = uint64_t{256} << 20;

// The same with the delta from `base`, the smaller of the two kinds. Not for an empty base.
Result<SealedArtefact> SealDelta(sys::FileSystem& fs, const std::string& to, ByteView base,
                                 ByteView plain, sys::Random& random,
                                 const Progress& progress = nullptr);

// Opens the sealed file `from` into the plain file `to` (made anew, fsynced), in pieces: memory
// does not grow with the artefact (a delta's base is mapped, its window is the base and the
// result). Checks, in this order: length and SHA-256 of the sealed file while reading, key
// commitment and every chunk tag, the zstd frame, plain length and plain SHA-256. On failure `to`
// is removed. `base` is the plain base package of a delta, ignored otherwise. Errors: kWrongKey,
// kCorruptContent, kTruncatedContent, kBadDelta, kDiskFull, kIo, kLimitExceeded.
Status OpenArtefact(sys::FileSystem& fs, const std::string& from, const std::string& to,
                    const crypto::Secret32& content_key, const trust::TargetEntry& entry,
                    ByteView base = {});

// Whether the sealed file has the entry's length and SHA-256 (before asking for its key).
Status CheckSealedFile(sys::FileSystem& fs, const std::string& path,
                       const trust::TargetEntry& entry);

}  // namespace ferry::package
