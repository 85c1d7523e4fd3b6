#include "device-runtime/formats/gguf/tensor_type.h"

#include <algorithm>
#include <iterator>

namespace ferry::formats {
namespace {

// Sorted by number.
constexpr GgufTensorType kGgufTensorTypes[] = {
    {kGgufF32, "F32", 1, 4},
    {kGgufF16, "F16", 1, 2},
    {kGgufQ4_0, "Q4_0", 32, 18},
    {kGgufQ4_1, "Q4_1", 32, 20},
    {kGgufQ5_0, "Q5_0", 32, 22},
    {kGgufQ5_1, "Q5_1", 32, 24},
    {kGgufQ8_0, "Q8_0", 32, 34},
    {9, "Q8_1", 32, 36},
    {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110},
    {kGgufQ4_K, "Q4_K", 256, 144},
    {kGgufQ5_K, "Q5_K", 256, 176},
    {kGgufQ6_K, "Q6_K", 256, 210},
    {15, "Q8_K", 256, 292},
    {24, "I8", 1, 1},
    {25, "I16", 1, 2},
    {26, "I32", 1, 4},
    {27, "I64", 1, 8},
    {28, "F64", 1, 8},
    {kGgufBF16, "BF16", 1, 2},
    {kGgufMXFP4, "MXFP4", 32, 17},
};

}  // namespace

const GgufTensorType* FindGgufTensorType(uint32_t number) {
  const auto* row = std::lower_bound(
      std::begin(kGgufTensorTypes), std::end(kGgufTensorTypes), number,
      [](const GgufTensorType& type, uint32_t wanted) { return type.number < wanted; });
  return row != std::end(kGgufTensorTypes) && row->number == number ? row : nullptr;
}

}  // namespace ferry::formats
