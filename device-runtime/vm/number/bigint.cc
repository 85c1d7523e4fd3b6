#include "device-runtime/vm/number/bigint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "device-runtime/vm/number/magnitude.h"

namespace ferry::vm {
namespace {

struct Number {
  Magnitude limbs;
  bool negative = false;
};

Number Of(Value v) {
  Number n;
  int64_t i;
  if (SmallOf(v, &i)) {
    n.negative = i < 0;
    for (uint64_t m = n.negative ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i); m != 0;
         m >>= 32)
      n.limbs.push_back(static_cast<uint32_t>(m));
    return n;
  }
  auto* big = As<BigInt>(v);
  n.negative = big->aux == 1;
  n.limbs.assign(big->limbs, big->limbs + big->size);
  return n;
}

// The integer part.
Number OfDouble(double d) {
  int exponent;
  const double fraction = std::frexp(std::fabs(d), &exponent);
  const auto m = static_cast<uint64_t>(std::ldexp(fraction, 53));
  Number n{{static_cast<uint32_t>(m), static_cast<uint32_t>(m >> 32)}, d < 0};
  bool lost;
  n.limbs = exponent >= 53 ? ShiftLeft(n.limbs, static_cast<size_t>(exponent - 53))
                           : ShiftRight(n.limbs, static_cast<size_t>(53 - exponent), &lost);
  Trim(&n.limbs);
  return n;
}

Value Make(Vm& vm, Number n) {
  Trim(&n.limbs);
  if (n.limbs.size() <= 2) {
    uint64_t m = 0;
    for (size_t i = n.limbs.size(); i-- > 0;) m = m << 32 | n.limbs[i];
    if (m <= static_cast<uint64_t>(Value::kMaxInt))
      return Value::SmallInt(n.negative ? -static_cast<int64_t>(m) : static_cast<int64_t>(m));
    if (n.negative && m == static_cast<uint64_t>(Value::kMaxInt) + 1)
      return Value::SmallInt(Value::kMinInt);
  }
  if (n.limbs.size() > kMaxBigIntLimbs)
    return vm.Throw(Error::kOverflowError, "integer of more than {} bits", kMaxBigIntLimbs * 32);
  auto* big = static_cast<BigInt*>(
      vm.heap.NewObject(Type::kBigInt, sizeof(BigInt) + n.limbs.size() * sizeof(uint32_t)));
  if (big == nullptr) return vm.OutOfMemory();
  big->aux = n.negative;
  big->size = static_cast<uint32_t>(n.limbs.size());
  std::memcpy(big->limbs, n.limbs.data(), n.limbs.size() * sizeof(uint32_t));
  return Value::Of(big);
}

Number AddSigned(const Number& a, const Number& b) {
  if (a.negative == b.negative) return {AddMagnitudes(a.limbs, b.limbs), a.negative};
  if (CompareMagnitudes(a.limbs, b.limbs) >= 0)
    return {SubMagnitudes(a.limbs, b.limbs), a.negative};
  return {SubMagnitudes(b.limbs, a.limbs), b.negative};
}

// Floored, as Python divides.
void DivMod(const Number& a, const Number& b, Number* quotient, Number* remainder) {
  DivModMagnitudes(a.limbs, b.limbs, &quotient->limbs, &remainder->limbs);
  quotient->negative = a.negative != b.negative;
  remainder->negative = a.negative;
  if (!remainder->limbs.empty() && a.negative != b.negative) {
    quotient->limbs = AddMagnitudes(quotient->limbs, {1});
    *remainder = AddSigned(*remainder, b);
  }
  if (remainder->limbs.empty()) remainder->negative = false;
}

// Two's complement in `size` limbs.
Magnitude Complement(const Number& n, size_t size) {
  Magnitude out = n.limbs;
  out.resize(size);
  if (!n.negative) return out;
  uint64_t carry = 1;
  for (uint32_t& limb : out) {
    carry += static_cast<uint32_t>(~limb);
    limb = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  return out;
}

Value Bitwise(Vm& vm, Operator op, const Number& a, const Number& b) {
  const size_t size = std::max(a.limbs.size(), b.limbs.size()) + 1;
  Magnitude x = Complement(a, size);
  const Magnitude y = Complement(b, size);
  for (size_t i = 0; i < size; ++i)
    x[i] = op == Operator::kAnd ? x[i] & y[i] : op == Operator::kOr ? x[i] | y[i] : x[i] ^ y[i];
  Number out;
  out.negative = (x.back() & 0x80000000u) != 0;
  out.limbs = x;
  if (out.negative) out.limbs = Complement({x, true}, size);
  return Make(vm, std::move(out));
}

Value Shift(Vm& vm, bool left, Value value, Value by) {
  int64_t count;
  if (!IntToInt64(by, &count)) {
    if (!left) return Value::SmallInt(IntCompare(value, Value::SmallInt(0)) < 0 ? -1 : 0);
    return vm.Raise(Error::kOverflowError, "too many digits in integer");
  }
  if (count < 0) return vm.Raise(Error::kValueError, "negative shift count");
  Number n = Of(value);
  if (left) {
    if (n.limbs.empty()) return Value::SmallInt(0);
    if (count > static_cast<int64_t>(kMaxBigIntLimbs) * 32)
      return vm.Raise(Error::kOverflowError, "too many digits in integer");
    n.limbs = ShiftLeft(n.limbs, static_cast<size_t>(count));
    return Make(vm, std::move(n));
  }
  if (count > static_cast<int64_t>(n.limbs.size()) * 32)
    return Value::SmallInt(n.negative ? -1 : 0);
  bool lost = false;
  n.limbs = ShiftRight(n.limbs, static_cast<size_t>(count), &lost);
  if (n.negative && lost) n.limbs = AddMagnitudes(n.limbs, {1});
  return Make(vm, std::move(n));
}

}  // namespace

Value Vm::NewInt(int64_t i) {
  if (Value::FitsInt(i)) return Value::SmallInt(i);
  const uint64_t m = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  return Make(*this, {{static_cast<uint32_t>(m), static_cast<uint32_t>(m >> 32)}, i < 0});
}

Value Vm::NewUnsigned(uint64_t m) {
  return Make(*this, {{static_cast<uint32_t>(m), static_cast<uint32_t>(m >> 32)}, false});
}

Value IntNegate(Vm& vm, Value v) {
  Number n = Of(v);
  n.negative = !n.negative;
  return Make(vm, std::move(n));
}

Value IntBinary(Vm& vm, int code, Value a, Value b) {
  const auto op = static_cast<Operator>(code);
  if (op == Operator::kLeft || op == Operator::kRight)
    return Shift(vm, op == Operator::kLeft, a, b);
  Number x = Of(a), y = Of(b);
  if (!vm.ChargeSteps(static_cast<int64_t>((x.limbs.size() + y.limbs.size()) / 32))) return Value();
  switch (op) {
    case Operator::kAdd:
      return Make(vm, AddSigned(x, y));
    case Operator::kSub:
      y.negative = !y.negative;
      return Make(vm, AddSigned(x, y));
    case Operator::kMul: {
      if (x.limbs.size() + y.limbs.size() > kMaxBigIntLimbs + 1)
        return vm.Throw(Error::kOverflowError, "integer of more than {} bits",
                        kMaxBigIntLimbs * 32);
      if (!vm.ChargeSteps(static_cast<int64_t>(x.limbs.size() * y.limbs.size() / 16)))
        return Value();
      return Make(vm, {MulMagnitudes(x.limbs, y.limbs), x.negative != y.negative});
    }
    case Operator::kFloorDiv:
    case Operator::kMod: {
      if (y.limbs.empty())
        return vm.Raise(Error::kZeroDivisionError, "integer division or modulo by zero");
      if (!vm.ChargeSteps(static_cast<int64_t>(x.limbs.size() * y.limbs.size() / 16)))
        return Value();
      Number quotient, remainder;
      DivMod(x, y, &quotient, &remainder);
      return Make(vm, op == Operator::kMod ? std::move(remainder) : std::move(quotient));
    }
    default:
      return Bitwise(vm, op, x, y);
  }
}

Value IntPow(Vm& vm, Value base, Value exponent, Value modulus) {
  int64_t e;
  if (!IntToInt64(exponent, &e)) return vm.Raise(Error::kOverflowError, "exponent is too large");
  if (e < 0)
    return vm.Raise(Error::kValueError, "negative exponents are not supported with a modulus");
  if (modulus.empty() && e > static_cast<int64_t>(kMaxBigIntLimbs) * 32 &&
      IntCompare(base, Value::SmallInt(1)) != 0 && IntCompare(base, Value::SmallInt(0)) != 0 &&
      IntCompare(base, Value::SmallInt(-1)) != 0)
    return vm.Raise(Error::kOverflowError, "result of the power is too large");
  const int mul = static_cast<int>(Operator::kMul), mod = static_cast<int>(Operator::kMod);
  Value result = Value::SmallInt(1);
  if (!modulus.empty()) result = IntBinary(vm, mod, result, modulus);
  while (!result.empty()) {
    if (e & 1) {
      result = IntBinary(vm, mul, result, base);
      if (!result.empty() && !modulus.empty()) result = IntBinary(vm, mod, result, modulus);
    }
    e >>= 1;
    if (e == 0 || result.empty()) break;
    base = IntBinary(vm, mul, base, base);
    if (!base.empty() && !modulus.empty()) base = IntBinary(vm, mod, base, modulus);
    if (base.empty()) return base;
  }
  return result;
}

int IntCompare(Value a, Value b) {
  int64_t i, k;
  if (SmallOf(a, &i) && SmallOf(b, &k)) return i < k ? -1 : i > k;
  const Number x = Of(a), y = Of(b);
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  const int order = CompareMagnitudes(x.limbs, y.limbs);
  return x.negative ? -order : order;
}

Value ParseInt(Vm& vm, std::string_view digits, int base) {
  Number n;
  const std::string_view whole = digits;
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    n.negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  const auto bad = [&] {
    return vm.Throw(Error::kValueError, "invalid literal for int() with base {}: '{}'", base,
                    whole);
  };
  if (digits.empty()) return bad();
  if (digits.size() > kMaxBigIntLimbs * 32) return vm.Raise(Error::kValueError, "too many digits");
  if (!vm.ChargeSteps(static_cast<int64_t>(digits.size() * digits.size() / 256))) return Value();
  for (char c : digits) {
    const char low = static_cast<char>(c | 0x20);
    const int digit = c >= '0' && c <= '9'       ? c - '0'
                      : low >= 'a' && low <= 'z' ? low - 'a' + 10
                                                 : 99;
    if (digit >= base) return bad();
    MulAddSmall(&n.limbs, static_cast<uint32_t>(base), static_cast<uint32_t>(digit));
  }
  return Make(vm, std::move(n));
}

std::string IntToText(Value v, int base) {
  Number n = Of(v);
  std::string out;
  const uint32_t piece = base == 10 ? 1000000000u : static_cast<uint32_t>(base);
  while (!n.limbs.empty()) {
    uint32_t digit = DivSmall(&n.limbs, piece);
    for (int i = 0; i < (base == 10 ? 9 : 1) && (i == 0 || !n.limbs.empty() || digit > 0); ++i) {
      out.push_back("0123456789abcdefghijklmnopqrstuvwxyz"[digit % static_cast<uint32_t>(base)]);
      digit /= static_cast<uint32_t>(base);
    }
  }
  if (out.empty()) out.push_back('0');
  if (n.negative) out.push_back('-');
  std::reverse(out.begin(), out.end());
  return out;
}

int64_t IntTextSteps(Value v) {
  const int64_t limbs = Is(v, Type::kBigInt) ? As<BigInt>(v)->size : 0;
  return limbs * limbs / 64;
}

int64_t IntBitLength(Value v) {
  return static_cast<int64_t>(BitLength(Of(v).limbs));
}

double IntToDouble(Value v) {
  int64_t i;
  if (SmallOf(v, &i)) return static_cast<double>(i);
  Number n = Of(v);
  const auto bits = static_cast<int>(BitLength(n.limbs));
  // 64 bits with a sticky last one round as the whole number does.
  bool lost = false;
  if (bits > 64) n.limbs = ShiftRight(n.limbs, static_cast<size_t>(bits - 64), &lost);
  uint64_t m = n.limbs[0] | (n.limbs.size() > 1 ? static_cast<uint64_t>(n.limbs[1]) << 32 : 0);
  if (lost) m |= 1;
  const double d = std::ldexp(static_cast<double>(m), bits > 64 ? bits - 64 : 0);
  return n.negative ? -d : d;
}

Value IntFromDouble(Vm& vm, double d) {
  d = std::trunc(d);
  if (std::fabs(d) < 1e14) return Value::SmallInt(static_cast<int64_t>(d));
  return Make(vm, OfDouble(d));
}

bool IntToInt64(Value v, int64_t* out) {
  if (SmallOf(v, out)) return true;
  auto* big = As<BigInt>(v);
  if (big->size > 2) return false;
  const uint64_t m = big->limbs[0] | static_cast<uint64_t>(big->size > 1 ? big->limbs[1] : 0) << 32;
  if (m > static_cast<uint64_t>(INT64_MAX)) return false;
  *out = big->aux ? -static_cast<int64_t>(m) : static_cast<int64_t>(m);
  return true;
}

uint64_t IntHash(Value v) {
  int64_t i;
  if (IntToInt64(v, &i)) return static_cast<uint64_t>(i);
  uint64_t h = As<BigInt>(v)->aux;
  for (uint32_t limb : Of(v).limbs) h = h * 0x9E3779B97F4A7C15ull + limb;
  return h;
}

int CompareIntDouble(Value v, double d) {
  if (std::isinf(d)) return d > 0 ? -1 : 1;
  int64_t i;
  if (SmallOf(v, &i)) {  // 48 bits are exact in a double
    const auto x = static_cast<double>(i);
    return x < d ? -1 : x > d;
  }
  // Past 47 bits a double of that size has no fraction to lose but the least of it.
  if (std::fabs(d) < 1e14) return As<BigInt>(v)->aux ? -1 : 1;
  const Number x = Of(v), y = OfDouble(d);
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  const int order = CompareMagnitudes(x.limbs, y.limbs);
  return x.negative ? -order : order;
}

}  // namespace ferry::vm
