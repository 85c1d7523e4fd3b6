// Between ints and doubles; hashes of both.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

constexpr uint64_t kHashPrime = (uint64_t{1} << 61) - 1;
constexpr int kHashBits = 61;

uint64_t Fold(unsigned __int128 x) {
  return static_cast<uint64_t>(x % kHashPrime);
}

int64_t Signed(uint64_t hash, bool negative) {
  const auto h = static_cast<int64_t>(hash);
  const int64_t out = negative ? -h : h;
  return out == -1 ? -2 : out;
}

// The whole part of d as a mantissa of 53 bits and a shift.
struct Parts {
  uint64_t mantissa;
  int shift;
};
Parts Split(double d) {
  int exponent;
  const double fraction = std::frexp(std::fabs(d), &exponent);
  return {static_cast<uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

}  // namespace

double IntToDouble(Value v) {
  int64_t i;
  if (SmallOf(v, &i)) return static_cast<double>(i);
  const Operand n(v);
  if (n.zero()) return 0;
  // The leading 64 bits with a sticky last one round as the whole number does.
  Limb top = n.limbs[n.size - 1];
  int exponent = 0;
  if (n.size > 1) {
    const auto shift = static_cast<unsigned>(std::countl_zero(top));
    const Limb below = n.limbs[n.size - 2];
    if (shift != 0) top = top << shift | below >> (64 - shift);
    bool lost = shift == 0 ? below != 0 : below << shift != 0;
    for (size_t k = 0; k + 2 < n.size && !lost; ++k) lost = n.limbs[k] != 0;
    top |= lost;
    const size_t bits = (n.size - 1) * 64 - shift;
    exponent = bits > 2000 ? 2000 : static_cast<int>(bits);
  }
  const double d = std::ldexp(static_cast<double>(top), exponent);
  return n.negative ? -d : d;
}

Value IntFromDouble(Vm& vm, double d) {
  d = std::trunc(d);
  if (std::fabs(d) < 1e14) return Value::SmallInt(static_cast<int64_t>(d));
  const Parts parts = Split(d);
  Limb limbs[18] = {};
  if (parts.shift < 0) {
    limbs[0] = parts.mantissa >> -parts.shift;
  } else {
    const size_t at = static_cast<size_t>(parts.shift) / 64;
    ShiftUp(limbs + at, &parts.mantissa, 1, static_cast<unsigned>(parts.shift) % 64);
  }
  return IntOfLimbs(vm, limbs, 18, d < 0);
}

int CompareIntDouble(Value v, double d) {
  if (std::isinf(d)) return d > 0 ? -1 : 1;
  int64_t i;
  if (SmallOf(v, &i)) {  // 48 bits are exact in a double
    const auto x = static_cast<double>(i);
    return x < d ? -1 : x > d;
  }
  const Operand n(v);
  if (n.negative != (d < 0)) return n.negative ? -1 : 1;
  const int sign = n.negative ? -1 : 1;
  if (std::fabs(d) < 1e14) return sign;
  const Parts parts = Split(d);
  Limb limbs[18] = {};
  bool fraction = false;
  if (parts.shift < 0) {
    limbs[0] = parts.mantissa >> -parts.shift;
    fraction = limbs[0] << -parts.shift != parts.mantissa;
  } else {
    ShiftUp(limbs + parts.shift / 64, &parts.mantissa, 1, static_cast<unsigned>(parts.shift) % 64);
  }
  const int order = CompareLimbs(n.limbs, n.size, limbs, TrimmedSize(limbs, 18));
  return order != 0 ? sign * order : fraction ? -sign : 0;
}

Value IntTrueDivide(Vm& vm, Value a, Value b) {
  const Operand x(a), y(b);
  if (y.zero()) return vm.Raise(Error::kZeroDivisionError, "division by zero");
  const bool negative = x.negative != y.negative;
  if (x.zero()) return Value::Float(negative ? -0.0 : 0.0);
  const auto p = static_cast<int64_t>(x.bits()), q = static_cast<int64_t>(y.bits());
  if (p <= 53 && q <= 53) return Value::Float(IntToDouble(a) / IntToDouble(b));
  if (p - q > 1025)
    return vm.Raise(Error::kOverflowError, "integer division result too large for a float");
  if (p - q < -1080) return Value::Float(negative ? -0.0 : 0.0);
  // A quotient of 66 or 67 bits and a sticky one.
  const int64_t shift = 66 - (p - q);
  const int left = static_cast<int>(Operator::kLeft);
  Value quotient, rest;
  if (shift > 0) a = IntBinary(vm, left, a, Value::SmallInt(shift));
  if (shift < 0) b = IntBinary(vm, left, b, Value::SmallInt(-shift));
  if (negative && !a.empty()) a = IntNegate(vm, a);
  if (a.empty() || b.empty() || !IntDivMod(vm, a, b, &quotient, &rest, "")) return Value();
  const Operand whole(quotient);
  auto bits = static_cast<unsigned __int128>(whole.limbs[0]) |
              (whole.size > 1 ? static_cast<unsigned __int128>(whole.limbs[1]) << 64 : 0);
  bits = bits << 1 | (IntSign(rest) != 0);
  const auto size = static_cast<int64_t>(whole.bits()) + 1;
  // Halves to even at the last place of a double, a subnormal one too.
  const int64_t drop = std::max<int64_t>(size - 53, -1074 + shift + 1);
  if (drop > 126) return Value::Float(negative ? -0.0 : 0.0);
  const unsigned __int128 unit = static_cast<unsigned __int128>(1) << drop;
  const unsigned __int128 below = bits & (unit - 1);
  auto kept = static_cast<uint64_t>(bits >> drop);
  kept += below > unit / 2 || (below == unit / 2 && (kept & 1) != 0);
  const double d = std::ldexp(static_cast<double>(kept), static_cast<int>(drop - shift - 1));
  if (std::isinf(d))
    return vm.Raise(Error::kOverflowError, "integer division result too large for a float");
  return Value::Float(negative ? -d : d);
}

int64_t IntHash(Value v) {
  int64_t i;
  if (SmallOf(v, &i)) return i == -1 ? -2 : i;
  const Operand n(v);
  uint64_t hash = 0;
  for (size_t k = n.size; k-- > 0;)
    hash = Fold(static_cast<unsigned __int128>(hash) * 8 + n.limbs[k]);
  return Signed(hash, n.negative);
}

int64_t DoubleHash(double d) {
  if (std::isnan(d)) return static_cast<int64_t>(std::bit_cast<uint64_t>(d) & 0xFFFFFFFF);
  if (std::isinf(d)) return d > 0 ? 314159 : -314159;
  if (d == 0) return 0;
  const Parts parts = Split(d);
  // times 2**shift: a rotation of 61 bits
  const int turn = ((parts.shift % kHashBits) + kHashBits) % kHashBits;
  return Signed(Fold(static_cast<unsigned __int128>(parts.mantissa) << turn), d < 0);
}

}  // namespace ferry::vm
