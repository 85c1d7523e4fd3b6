// Reader of safetensors files, in place. Source: Hugging Face's safetensors documentation: an
// 8-byte little-endian header length, a JSON header, then the tensors' bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::formats {

inline constexpr uint64_t kMaxSafetensorsHeader = 32 << 20;
inline constexpr size_t kMaxSafetensorsRank = 8;

// Borrows the file's bytes.
struct SafetensorsTensor {
  std::string name;
  std::string dtype;           // as the file says: "BF16", "F32", ...
  std::vector<int64_t> shape;  // row-major; their product times the dtype's size is bytes.size()
  ByteView bytes;              // little-endian, at any alignment
};

// Immutable; any thread. Lives no longer than the file's bytes.
class Safetensors {
 public:
  // Checks everything: header, dtypes, shapes, and that the tensors cover the data without gap or
  // overlap. kBadModel names `file_name` and the tensor; kLimitExceeded for a header past
  // kMaxSafetensorsHeader.
  static Result<Safetensors> Read(ByteView file, std::string_view file_name);

  const std::vector<SafetensorsTensor>& tensors() const { return tensors_; }  // sorted by name
  const SafetensorsTensor* Find(std::string_view name) const;                 // or null

 private:
  std::vector<SafetensorsTensor> tensors_;
};

}  // namespace ferry::formats
