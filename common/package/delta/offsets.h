// Where in the base the bytes of a new file may come from. Private to common/package.
#pragma once

#include <array>
#include <vector>

#include "common/base/bytes.h"

namespace ferry::package::delta {

// Samples of the base by what hardly changes when weights are tuned: whole bytes, or only the upper
// bytes of numbers of 2 and 4 bytes. At most 64 MiB for a base of any size.
class BaseIndex {
 public:
  explicit BaseIndex(ByteView base);

  // The `most` likeliest starts in the base of what lies at `at` of `target` for `length` bytes, as
  // offsets to add to a position in the target, the likeliest first.
  std::vector<int64_t> Offsets(ByteView target, size_t at, size_t length, size_t most) const;

 private:
  static constexpr size_t kKinds = 4;
  struct Sample {
    uint32_t check = 0;
    uint32_t at = 0;  // in units of `unit_`, plus 1
  };
  static uint64_t Print(ByteView bytes, size_t at, size_t kind);

  ByteView base_;
  size_t unit_;
  unsigned bits_;
  std::array<std::vector<Sample>, kKinds> samples_;
};

}  // namespace ferry::package::delta
