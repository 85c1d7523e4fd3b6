// What stands for text that no token has: bytes ("<0x0A>"), else the unknown token, else nothing.
#pragma once

#include <string_view>
#include <vector>

#include "device-runtime/llm/tokenizer/pipeline/serial.h"
#include "device-runtime/llm/tokenizer/pipeline/vocabulary.h"

namespace ferry::llm {

struct Fallback {
  bool bytes = false;
  bool fuse = false;  // unknown characters in a row are one unknown token
  uint32_t unknown = kNoToken;

  friend bool operator==(const Fallback&, const Fallback&) = default;
};

void WriteFallback(const Fallback& fallback, SerialWriter& writer);
Result<Fallback> ReadFallback(SerialReader& reader);

// Immutable; any thread.
class FallbackIds {
 public:
  FallbackIds() = default;
  // kMalformed when the unknown token is none of the vocabulary.
  static Result<FallbackIds> Create(const Fallback& fallback, const Vocabulary& vocabulary);

  // Appends what stands for `text`; `again`: what stands before it is unknown, too. Returns whether
  // an unknown token stands for it.
  template <typename Ids>
  bool Append(std::string_view text, bool again, Ids& ids) const {
    if (AppendBytes(text, ids)) return false;
    if (fallback_.unknown == kNoToken) return false;
    if (!again || !fallback_.fuse) ids.push_back(fallback_.unknown);
    return true;
  }
  const Fallback& fallback() const { return fallback_; }

 private:
  template <typename Ids>
  bool AppendBytes(std::string_view text, Ids& ids) const {
    if (!fallback_.bytes) return false;
    for (const char c : text) {
      if (byte_ids_[static_cast<uint8_t>(c)] == kNoToken) return false;
    }
    for (const char c : text) ids.push_back(byte_ids_[static_cast<uint8_t>(c)]);
    return true;
  }

  Fallback fallback_;
  uint32_t byte_ids_[256] = {};
};

}  // namespace ferry::llm
