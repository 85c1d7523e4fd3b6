#include "device-runtime/llm/load/finite.h"

#include <cmath>
#include <cstring>

#include "device-runtime/kernels/packed/pack.h"

namespace ferry::llm {
namespace {

// A number is NaN or infinite exactly when all bits of its exponent are set. Eight bytes at a time:
// adding the exponent's lowest bit to the exponent alone then carries into the sign's place.
template <typename T>
int64_t FirstWithFullExponent(const void* values, int64_t count, T exponent) {
  constexpr int64_t kLanes = sizeof(uint64_t) / sizeof(T);
  const T lowest = static_cast<T>(exponent & (~exponent + 1));
  const T sign = static_cast<T>(T{1} << (8 * sizeof(T) - 1));
  uint64_t exponents = 0, lowests = 0, signs = 0;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    const int shift = static_cast<int>(8 * sizeof(T)) * static_cast<int>(lane);
    exponents |= uint64_t{exponent} << shift;
    lowests |= uint64_t{lowest} << shift;
    signs |= uint64_t{sign} << shift;
  }
  const auto* bytes = static_cast<const uint8_t*>(values);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    uint64_t word;
    std::memcpy(&word, bytes + i * static_cast<int64_t>(sizeof(T)), sizeof(word));
    if ((((word & exponents) + lowests) & signs) != 0) break;
  }
  for (; i < count; ++i) {
    T number;
    std::memcpy(&number, bytes + i * static_cast<int64_t>(sizeof(T)), sizeof(number));
    if ((number & exponent) == exponent) return i;
  }
  return -1;
}

}  // namespace

int64_t FirstNonFinite(kernels::WeightType type, const void* values, int64_t count) {
  if (type == kernels::WeightType::kF32) {
    return FirstWithFullExponent<uint32_t>(values, count, 0x7f800000);
  }
  if (type == kernels::WeightType::kBF16) {
    return FirstWithFullExponent<uint16_t>(values, count, 0x7f80);
  }
  if (type == kernels::WeightType::kF16) {
    return FirstWithFullExponent<uint16_t>(values, count, 0x7c00);
  }
  return -1;
}

int64_t FirstNonFiniteRow(const kernels::PackedMatrix& matrix) {
  const int64_t groups = kernels::PackedGroups(matrix.form.group, matrix.columns);
  for (int64_t row = 0; row < matrix.rows; ++row) {
    for (int64_t g = 0; g < groups; ++g) {
      if (!std::isfinite(kernels::PackedScaleOf(matrix, row, g)) ||
          !std::isfinite(kernels::PackedShiftOf(matrix, row, g))) {
        return row;
      }
    }
  }
  return -1;
}

}  // namespace ferry::llm
