// What the kernels on bytes share with their callers. Plain numbers: files of instruction sets
// include it.
#pragma once

#include <cstdint>

namespace ferry::kernels {

enum class QuantType : uint8_t { kU8, kI8, kF32, kI32 };
inline constexpr int kQuantTypeCount = 4;
inline constexpr int64_t QuantTypeBytes(QuantType type) {
  return type == QuantType::kU8 || type == QuantType::kI8 ? 1 : 4;
}

// From a sum of integers to an element of the output:
//   r = fma(float(sum), factor, offset)
//   with an addend:  if rounds_first: r = nearest(clip(r, first_low, first_high))
//                    r = fma(float(add) - add_zero, add_factor, r * first_factor)
//   r = clip(r, low, high)
//   kU8, kI8: nearest(r) + zero (halves to even); kF32: r. kI32: the sum itself, nothing else.
// Clips may be infinite for kF32; for kU8 and kI8 low + zero and high + zero are whole and lie in
// the type's range, and NaN becomes the lower bound.
struct QuantEpilogue {
  QuantType type = QuantType::kU8;
  const float* factor = nullptr;  // of each column
  const float* offset = nullptr;  // of each column, or null
  const uint8_t* add = nullptr;   // laid out as the output, or null
  bool add_signed = false;
  bool rounds_first = false;
  float add_zero = 0, add_factor = 0;
  float first_low = 0, first_high = 0, first_factor = 1;
  float low = -__builtin_inff();
  float high = __builtin_inff();
  int32_t zero = 0;
};

// An addition or product of bytes: a [outer, repeat, inner], b [outer, inner]; with x = a - a_zero,
// w = b - b_zero
//   addition: r = fma(w, b_factor, x * a_factor)    product: r = (x * w) * a_factor
//   y = nearest(clip(r, low, high)) + zero; low + zero and high + zero are whole and fit y's type.
struct QuantBinaryShape {
  int64_t outer = 1, repeat = 1, inner = 0;
  bool multiplies = false;
  bool a_signed = false, b_signed = false;
  float a_zero = 0, b_zero = 0, a_factor = 1, b_factor = 1, low = 0, high = 0;
  int32_t zero = 0;
};
}  // namespace ferry::kernels
