// Which weights stay in memory when not all may: the others are read from the mapped file as a pass
// comes to them, and leave memory behind it. Source: own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "device-runtime/llm/arch/describe/tensors.h"

namespace ferry::llm {

struct Weights;

// Bytes of the head's rows that are multiplied before they leave memory.
inline constexpr int64_t kStreamedPieceBytes = int64_t{8} << 20;

// Immutable; any number of passes at once.
class Residency {
 public:
  Residency() = default;  // all stay
  // At most `budget` bytes of weights in memory: as many layers as possible stay, the first ones.
  // `weights` outlives this. kOutOfMemory says how much is needed at least.
  static Result<Residency> Plan(const std::vector<TensorSpec>& specs, const Weights& weights,
                                int64_t layers, int64_t budget);

  // What a pass says before and behind a layer: the next one that does not stay is asked for ahead.
  void Enter(int64_t layer) const;
  void Leave(int64_t layer) const;
  // Behind the lookup of embedding rows, which are read singly, and behind a piece of the head.
  void LeaveWhole() const;
  bool streams_whole() const { return !whole_.empty(); }
  bool streams() const { return streams_whole() || !layers_.empty(); }
  int64_t streamed_bytes() const { return streamed_bytes_; }

 private:
  std::vector<std::vector<ByteView>> layers_;  // [layers] what leaves, or empty: all stay
  std::vector<ByteView> whole_;                // embedding and head, if they do not stay
  int64_t streamed_bytes_ = 0;
};

}  // namespace ferry::llm
