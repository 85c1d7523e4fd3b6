// Payloads made smaller and sealed on their way to the disk. Internal to the room.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/crypto/secret.h"

namespace ferry::log {

// One byte that says how, then zstd's frame, or the bytes themselves where that is not smaller.
std::string Squeeze(std::string_view plain);
// kMalformed; kLimitExceeded before more than `max_bytes` are made.
Result<std::string> Unsqueeze(std::string_view squeezed, size_t max_bytes);

// The key of one segment. Pieces have numbers; one number never has two plain texts.
class SegmentKey {
 public:
  // `salt` is random for each segment.
  SegmentKey(const crypto::Secret32& log_key, std::string_view salt, uint64_t segment);
  std::string Seal(uint32_t piece, std::string_view aad, std::string_view plain) const;
  // kCorruptContent.
  Result<std::string> Open(uint32_t piece, std::string_view aad, std::string_view sealed) const;

 private:
  crypto::Secret32 key_;
  uint64_t segment_;
};

}  // namespace ferry::log
