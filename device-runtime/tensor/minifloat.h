// Floating point of 8 and 4 bits, by value. Sources: OCP 8-bit Floating Point Specification 1.0
// (E4M3FN, E5M2), OCP Microscaling Formats 1.0 (E8M0, E2M1), ONNX's float8 page (FNUZ kinds).
#pragma once

#include <cstdint>

#include "device-runtime/tensor/dtype.h"

namespace ferry::tensor {

// The value of an element's bits (a 4-bit one: in the low half). `dtype` is one of kF8* or kF4E2M1.
float MiniToFloat(DType dtype, uint8_t bits);

enum class MiniRounding : uint8_t { kNearestEven, kUp, kDown };  // the last two: kF8E8M0 only

// The nearest element, ties to even. Beyond the largest: that one if `saturate`, else infinity
// where the format has it, else NaN. NaN stays NaN; in the format without one (kF4E2M1) it becomes
// -0. kF8E8M0 has only powers of two: the sign is dropped, what is smaller than the smallest
// becomes that one if `saturate`, else NaN.
uint8_t FloatToMini(DType dtype, float value, bool saturate = true,
                    MiniRounding rounding = MiniRounding::kNearestEven);

}  // namespace ferry::tensor
