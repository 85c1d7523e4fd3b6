// Types of tensors in GGUF files: values are stored in blocks. Source: ggml's enumeration ggml_type
// and the sizes of its block structures, which are facts of the format.
#pragma once

#include <cstdint>
#include <string_view>

namespace ferry::formats {

struct GgufTensorType {
  uint32_t number;
  std::string_view name;
  uint32_t block_values;  // a row holds whole blocks
  uint32_t block_bytes;
};

enum GgufTensorNumber : uint32_t {
  kGgufF32 = 0,
  kGgufF16 = 1,
  kGgufQ4_0 = 2,
  kGgufQ4_1 = 3,
  kGgufQ5_0 = 6,
  kGgufQ5_1 = 7,
  kGgufQ8_0 = 8,
  kGgufQ4_K = 12,
  kGgufQ5_K = 13,
  kGgufQ6_K = 14,
  kGgufBF16 = 30,
  kGgufMXFP4 = 39,
};

// Null for a number without a row.
const GgufTensorType* FindGgufTensorType(uint32_t number);

}  // namespace ferry::formats
