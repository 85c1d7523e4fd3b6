// SentencePiece's compiled normalization: the longest key that begins at a place is replaced by its
// value. Source: the format of sentencepiece's precompiled_charsmap: the size of a double array
// (Yata's Darts-clone), the array, then values that end in a zero byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::llm {

inline constexpr size_t kMaxCharsmapBytes = 16 << 20;
inline constexpr size_t kMaxCharsmapKey = 128;  // bytes that a key may have

// Immutable; any thread.
class Charsmap {
 public:
  // kMalformed, kLimitExceeded. Keys and values are checked as they are met: what leads outside of
  // the array is no key.
  static Result<Charsmap> Create(std::string blob);

  // Appends the normalized `text` (valid UTF-8); false, with nothing appended, when nothing
  // changes.
  bool Append(std::string_view text, std::string& out) const;
  const std::string& blob() const { return blob_; }

 private:
  struct Match {
    size_t length = 0;  // 0: none
    std::string_view value;
  };
  Match Longest(std::string_view text) const;
  uint32_t Unit(uint64_t at) const;

  std::string blob_;
  size_t units_ = 0;
  size_t values_ = 0;     // where they begin in blob_
  bool plain_[256] = {};  // ASCII that stays as it is before ASCII
};

}  // namespace ferry::llm
