#include "device-runtime/llm/load/finite.h"

#include <algorithm>

namespace ferry::llm {
namespace {

// A number is NaN or infinite exactly when all bits of its exponent are set.
template <typename T>
int64_t FirstWithAll(const T* values, int64_t count, T exponent) {
  constexpr int64_t kBlock = 4096;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    T found = 0;
    for (int64_t i = begin; i < end; ++i) {
      found |= static_cast<T>((values[i] & exponent) == exponent);
    }
    if (found == 0) continue;
    for (int64_t i = begin; i < end; ++i) {
      if ((values[i] & exponent) == exponent) return i;
    }
  }
  return -1;
}

}  // namespace

int64_t FirstNonFinite(kernels::WeightType type, const void* values, int64_t count) {
  if (type == kernels::WeightType::kF32) {
    return FirstWithAll<uint32_t>(static_cast<const uint32_t*>(values), count, 0x7f800000);
  }
  if (type == kernels::WeightType::kBF16) {
    return FirstWithAll<uint16_t>(static_cast<const uint16_t*>(values), count, 0x7f80);
  }
  return -1;
}

}  // namespace ferry::llm
