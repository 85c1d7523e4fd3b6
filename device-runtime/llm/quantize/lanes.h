// Four floats at once, for whatever processor the room is compiled for.
#pragma once

#include <cstdint>
#include <cstring>

namespace ferry::llm {

using FourFloats = float __attribute__((vector_size(16)));

inline FourFloats LoadFour(const float* from) {
  FourFloats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}
// The nearest whole number, halves to even, of |x| < 2^22.
inline FourFloats NearestFour(FourFloats x) {
  const float whole = 12582912.0f;  // 1.5 * 2^23: its neighbours are 1 apart
  return (x + whole) - whole;
}
inline double SumFour(FourFloats x) {
  return (static_cast<double>(x[0]) + static_cast<double>(x[1])) +
         (static_cast<double>(x[2]) + static_cast<double>(x[3]));
}

// Nearest codes of a form's bits, as floats.
class Coder {
 public:
  // 0 for a scale of 0: all codes are 0 then.
  Coder(int bits, float scale, float shift)
      : factor_(scale == 0 ? 0 : 1 / scale),
        shift_(shift),
        low_(static_cast<float>(-(1 << (bits - 1)))),
        high_(static_cast<float>((1 << (bits - 1)) - 1)) {}
  FourFloats operator()(FourFloats weights) const {
    FourFloats x = (weights - shift_) * factor_;
    x = x > low_ ? x : FourFloats{} + low_;
    x = x < high_ ? x : FourFloats{} + high_;
    return NearestFour(x);
  }

 private:
  float factor_, shift_, low_, high_;
};

}  // namespace ferry::llm
