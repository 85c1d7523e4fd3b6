// Deltas that know numbers: regions of a new file are written as differences to the base's numbers
// of 1, 2 or 4 bytes, coded by what fine-tuning does to weights; everything else by zstd with the
// base as its dictionary. Nothing is known of file formats: where a region comes from and how wide
// its numbers are is found by looking at the bytes.
#pragma once

#include <functional>
#include <memory>

#include "common/base/bytes.h"
#include "common/package/compress.h"

namespace ferry::package {

// The bytes by which a delta of this kind is told from a zstd frame.
bool IsTensorDelta(ByteView begin);
inline constexpr size_t kTensorDeltaMagicBytes = 4;

// Memory beside base and target: an index of at most 64 MiB, and pieces. The sink's errors, or
// kOutOfMemory, kLimitExceeded. `base` and `target` of any size, empty too.
Status MakeTensorDelta(ByteView base, ByteView target, const Sink& sink,
                       const Progress& progress = nullptr);

// Applies one as it arrives, in pieces of any size. Memory beside the base is below 32 MiB. Errors:
// kBadDelta, kTruncatedContent (Finish), kLimitExceeded when it would give more than `max_bytes`
// (before it does), kOutOfMemory, the sink's. One thread at a time.
class TensorPatcher {
 public:
  // `base` is borrowed.
  TensorPatcher(ByteView base, uint64_t max_bytes, Sink sink);
  ~TensorPatcher();
  Status Write(ByteView piece);
  Status Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ferry::package
