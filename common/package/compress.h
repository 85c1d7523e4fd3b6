// zstd with limits, and deltas (zstd's patch-from: the base package is the dictionary). Source: RFC
// 8878; zstd manual, ZSTD_CCtx_refPrefix.
#pragma once

#include <functional>
#include <memory>

#include "common/base/bytes.h"

namespace ferry::package {

// Windows: without a base 8 MiB, which bounds what a device needs to open any artefact; with a base
// the window spans base and target, up to zstd's own limit of 2^31 bytes.
inline constexpr int kPlainWindowLog = 23;
inline constexpr int kMaxWindowLog = 31;
inline constexpr uint64_t kMaxDeltaBytes = (uint64_t{1} << 31) - 1;  // base and target together

// zstd's best level that still is quick for `bytes` of input: 19 up to 16 MiB, 9 above (weights of
// that size hardly compress at any level).
int LevelFor(uint64_t bytes);

// Called now and then with bytes done and bytes in all.
using Progress = std::function<void(uint64_t, uint64_t)>;
using Sink = std::function<Status(ByteView)>;

// One zstd frame that records its content size and a checksum; its pieces go to `sink`. With a
// `base` that is not empty the frame is a delta, which only opens with the same base at hand.
// kOutOfMemory, kLimitExceeded (kMaxDeltaBytes), or the sink's error.
Status CompressTo(ByteView base, ByteView plain, const Sink& sink,
                  const Progress& progress = nullptr);
Result<Bytes> Compress(ByteView plain);
Result<Bytes> MakeDelta(ByteView base, ByteView target);

// Opens one frame as it arrives, in pieces of any size. Errors: kCorruptContent (kBadDelta with a
// base), kTruncatedContent, kLimitExceeded when it would give more than `max_bytes` (before that
// much is allocated or given), kOutOfMemory. One thread at a time.
class Decompressor {
 public:
  // `base` is borrowed.
  Decompressor(ByteView base, uint64_t max_bytes, Sink sink);
  ~Decompressor();
  Status Write(ByteView piece);
  // kTruncatedContent unless the frame was complete.
  Status Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Result<Bytes> Decompress(ByteView compressed, uint64_t max_bytes);
Result<Bytes> ApplyDelta(ByteView base, ByteView delta, uint64_t max_bytes);

}  // namespace ferry::package
