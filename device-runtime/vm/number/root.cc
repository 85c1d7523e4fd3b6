// Square roots and greatest common divisors. Source: Knuth, The Art of Computer Programming 2,
// 4.5.2, algorithm L (Lehmer).
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

// out = x a + y b, which is not negative and below the larger of a and b; n limbs each.
void Combine(Limb* out, const Limb* a, const Limb* b, size_t n, int64_t x, int64_t y) {
  __int128 carry = 0;
  for (size_t i = 0; i < n; ++i) {
    // Signs differ, so the sum of the two products fits.
    const __int128 sum = static_cast<__int128>(a[i]) * x + static_cast<__int128>(b[i]) * y + carry;
    out[i] = static_cast<Limb>(sum);
    carry = sum >> 64;
  }
}

// Bits [from, from + 62) of a.
int64_t Window(const Limb* a, size_t n, size_t from) {
  const size_t at = from / 64;
  const unsigned shift = from % 64;
  Limb out = at < n ? a[at] >> shift : 0;
  if (shift != 0 && at + 1 < n) out |= a[at + 1] << (64 - shift);
  return static_cast<int64_t>(out & ((Limb{1} << 62) - 1));
}

struct Steps {
  int64_t a = 1, b = 0, c = 0, d = 1;
};

// As many steps of Euclid's algorithm as the leading bits decide.
Steps Lead(int64_t x, int64_t y) {
  Steps s;
  while (y + s.c != 0 && y + s.d != 0) {
    const int64_t q = (x + s.a) / (y + s.c);
    if (q != (x + s.b) / (y + s.d)) break;
    s = {s.c, s.d, s.a - q * s.c, s.b - q * s.d};
    const int64_t rest = x - q * y;
    x = y;
    y = rest;
  }
  return s;
}

Value LongGcd(Vm& vm, const Operand& first, const Operand& second) {
  const size_t room = first.size;  // first >= second
  Scratch scratch(vm, 4 * room);
  if (scratch.failed()) return Value();
  Limb *a = scratch.data(), *b = a + room, *c = b + room, *d = c + room;
  std::memset(a, 0, 4 * room * sizeof(Limb));
  std::memcpy(a, first.limbs, first.size * sizeof(Limb));
  std::memcpy(b, second.limbs, second.size * sizeof(Limb));
  size_t n = first.size, m = second.size;
  while (m > 1) {
    if (!ChargeLimbs(vm, static_cast<int64_t>(4 * n))) return Value();
    const size_t from = BitLength(a, n) - 62;
    const Steps s = Lead(Window(a, n, from), Window(b, n, from));
    if (s.b == 0) {
      if (!DivideLimbs(vm, a, n, b, m, nullptr, c)) return Value();
      std::memset(a, 0, n * sizeof(Limb));
      std::memcpy(a, c, m * sizeof(Limb));
      std::swap(a, b);
    } else {
      Combine(c, a, b, n, s.a, s.b);
      Combine(d, a, b, n, s.c, s.d);
      std::swap(a, c);
      std::swap(b, d);
    }
    n = TrimmedSize(a, n);
    m = TrimmedSize(b, n);
  }
  if (m == 0) return IntOfLimbs(vm, a, n, false);
  const Limb rest = std::gcd(DivSmall(a, n, b[0]), b[0]);
  return IntOfLimbs(vm, &rest, 1, false);
}

}  // namespace

Value IntGcd(Vm& vm, Value a, Value b) {
  const Operand x(a), y(b);
  if (x.zero() || y.zero()) {
    const Operand& rest = x.zero() ? y : x;
    return IntOfLimbs(vm, rest.limbs, rest.size, false);
  }
  if (x.size == 1 && y.size == 1) {
    const Limb out = std::gcd(x.limbs[0], y.limbs[0]);
    return IntOfLimbs(vm, &out, 1, false);
  }
  const bool swap = CompareLimbs(x.limbs, x.size, y.limbs, y.size) < 0;
  return LongGcd(vm, swap ? y : x, swap ? x : y);
}

// Newton with as many bits as are right so far: each turn doubles them.
Value IntSqrt(Vm& vm, Value v) {
  const Operand n(v);
  if (n.zero()) return Value::SmallInt(0);
  if (n.size == 1) {
    auto root = static_cast<uint64_t>(std::sqrt(static_cast<double>(n.limbs[0])));
    while (static_cast<unsigned __int128>(root) * root > n.limbs[0]) --root;
    while (static_cast<unsigned __int128>(root + 1) * (root + 1) <= n.limbs[0]) ++root;
    return vm.NewUnsigned(root);
  }
  const auto op = [&](Operator o, Value a, Value b) {
    return a.empty() || b.empty() ? Value() : IntBinary(vm, static_cast<int>(o), a, b);
  };
  const auto small = [](int64_t i) { return Value::SmallInt(i); };
  const auto half = static_cast<int64_t>((n.bits() - 1) / 2);
  Value root = small(1);
  int64_t known = 0;
  for (int i = std::bit_width(static_cast<uint64_t>(half)); i-- > 0 && !root.empty();) {
    const int64_t before = known;
    known = half >> i;
    Value quotient = op(Operator::kFloorDiv,
                        op(Operator::kRight, v, small(2 * half - before - known + 1)), root);
    root = op(Operator::kAdd, op(Operator::kLeft, root, small(known - before - 1)), quotient);
  }
  Value square = op(Operator::kMul, root, root);
  if (square.empty()) return square;
  return IntCompare(square, v) > 0 ? op(Operator::kSub, root, small(1)) : root;
}

Value IntRound(Vm& vm, Value v, int64_t digits) {
  const Value zero = Value::SmallInt(0);
  if (digits >= 0) return IntBinary(vm, static_cast<int>(Operator::kAdd), v, zero);
  // 10**-digits is larger than twice the number: nothing is left.
  if (-digits > IntBitLength(v) / 3 + 2) return zero;
  const auto op = [&](Operator o, Value a, Value b) {
    return a.empty() || b.empty() ? Value() : IntBinary(vm, static_cast<int>(o), a, b);
  };
  Value unit = IntPow(vm, Value::SmallInt(10), Value::SmallInt(-digits), Value());
  Value quotient, rest;
  if (unit.empty() || !IntDivMod(vm, v, unit, &quotient, &rest, "")) return Value();
  Value twice = op(Operator::kAdd, rest, rest);
  if (twice.empty()) return twice;
  const int order = IntCompare(twice, unit);
  if (order > 0 || (order == 0 && IntOdd(quotient)))
    quotient = op(Operator::kAdd, quotient, Value::SmallInt(1));
  return op(Operator::kMul, quotient, unit);
}

}  // namespace ferry::vm
