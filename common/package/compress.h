// zstd with limits, and deltas (zstd's patch-from: the base package is the dictionary). Source: RFC
// 8878; zstd manual, ZSTD_CCtx_refPrefix.
#pragma once

#include "common/base/bytes.h"

namespace ferry::package {

inline constexpr int kDefaultLevel = 19;
// The largest window that Decompress and ApplyDelta accept: 2^31 bytes is zstd's own limit.
inline constexpr int kMaxWindowLog = 31;
inline constexpr int kPlainWindowLog = 27;  // without a base: 128 MiB, as the zstd tool takes

// One zstd frame that records its content size and checksum. kOutOfMemory, kInternal.
Result<Bytes> Compress(ByteView plain, int level = kDefaultLevel);
// kCorruptContent, kTruncatedContent; kLimitExceeded when it would give more than `max_bytes`,
// before that much is allocated.
Result<Bytes> Decompress(ByteView compressed, uint64_t max_bytes);

// A frame that only opens with `base` at hand; both must fit memory, up to 2^31 - 1 bytes each.
Result<Bytes> MakeDelta(ByteView base, ByteView target, int level = kDefaultLevel);
// kBadDelta when the frame does not fit `base` or is damaged; kLimitExceeded as above.
Result<Bytes> ApplyDelta(ByteView base, ByteView delta, uint64_t max_bytes);

}  // namespace ferry::package
