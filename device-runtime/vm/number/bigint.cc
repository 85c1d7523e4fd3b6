#include "device-runtime/vm/number/bigint.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

Value AddSigned(Vm& vm, const Operand& a, const Operand& b, bool negate) {
  const bool b_negative = b.negative != negate;
  const Operand& longer = a.size >= b.size ? a : b;
  const Operand& shorter = a.size >= b.size ? b : a;
  if (a.negative == b_negative) {
    BigInt* out = NewUnclearedBig(vm, longer.size + 1);
    if (out == nullptr) return Value();
    out->limbs[longer.size] =
        AddLimbs(out->limbs, longer.limbs, longer.size, shorter.limbs, shorter.size);
    return FinishInt(vm, out, a.negative);
  }
  const int order = CompareLimbs(a.limbs, a.size, b.limbs, b.size);
  if (order == 0) return Value::SmallInt(0);
  const Operand &x = order > 0 ? a : b, &y = order > 0 ? b : a;
  BigInt* out = NewUnclearedBig(vm, x.size);
  if (out == nullptr) return Value();
  SubLimbs(out->limbs, x.limbs, x.size, y.limbs, y.size);
  return FinishInt(vm, out, order > 0 ? a.negative : b_negative);
}

// Of values that fit 64 bits.
Value SmallBinary(Vm& vm, Operator op, int64_t a, int64_t b, bool* done) {
  *done = true;
  switch (op) {
    case Operator::kAdd:
      return vm.NewInt(a + b);
    case Operator::kSub:
      return vm.NewInt(a - b);
    case Operator::kMul:
      return IntOfWide(vm, static_cast<__int128>(a) * b);
    case Operator::kAnd:
      return Value::SmallInt(a & b);
    case Operator::kOr:
      return Value::SmallInt(a | b);
    case Operator::kXor:
      return Value::SmallInt(a ^ b);
    default:
      *done = false;
      return Value();
  }
}

}  // namespace

Value IntShift(Vm& vm, bool left, Value value, Value by);
Value IntBitwise(Vm& vm, Operator op, const Operand& a, const Operand& b);

bool IntDivMod(Vm& vm, Value a, Value b, Value* quotient, Value* remainder, const char* zero) {
  int64_t i, k;
  if (SmallOf(a, &i) && SmallOf(b, &k) && k != 0) {
    int64_t q = i / k, r = i % k;
    if (r != 0 && (r < 0) != (k < 0)) {
      --q;
      r += k;
    }
    *quotient = vm.NewInt(q);
    *remainder = Value::SmallInt(r);
    return !quotient->empty();
  }
  const Operand x(a), y(b);
  if (y.zero()) {
    vm.Raise(Error::kZeroDivisionError, zero);
    return false;
  }
  const bool differ = x.negative != y.negative;
  if (CompareLimbs(x.limbs, x.size, y.limbs, y.size) < 0) {
    const bool down = differ && !x.zero();
    *quotient = Value::SmallInt(down ? -1 : 0);
    *remainder = down ? AddSigned(vm, x, y, false) : IntOfLimbs(vm, x.limbs, x.size, x.negative);
    return !remainder->empty();
  }
  BigInt* q = NewBig(vm, x.size - y.size + 2);
  if (q == nullptr) return false;
  Scratch rest(vm, y.size);
  if (rest.failed() || !DivideLimbs(vm, x.limbs, x.size, y.limbs, y.size, q->limbs, rest.data()))
    return false;
  const size_t rest_size = TrimmedSize(rest.data(), y.size);
  if (rest_size != 0 && differ) {  // floored
    const Limb one = 1;
    AddLimbs(q->limbs, q->limbs, q->size, &one, 1);
    SubLimbs(rest.data(), y.limbs, y.size, rest.data(), rest_size);
  }
  *quotient = FinishInt(vm, q, differ);
  *remainder = IntOfLimbs(vm, rest.data(), y.size, y.negative);
  return !quotient->empty() && !remainder->empty();
}

Value IntBinary(Vm& vm, int code, Value a, Value b) {
  const auto op = static_cast<Operator>(code);
  int64_t i, k;
  if (SmallOf(a, &i) && SmallOf(b, &k)) {
    bool done;
    Value v = SmallBinary(vm, op, i, k, &done);
    if (done) return v;
  }
  Value quotient, remainder;
  switch (op) {
    case Operator::kLeft:
    case Operator::kRight:
      return IntShift(vm, op == Operator::kLeft, a, b);
    case Operator::kFloorDiv:
      return IntDivMod(vm, a, b, &quotient, &remainder, "integer division or modulo by zero")
                 ? quotient
                 : Value();
    case Operator::kMod:
      return IntDivMod(vm, a, b, &quotient, &remainder, "integer modulo by zero") ? remainder
                                                                                  : Value();
    default:
      break;
  }
  const Operand x(a), y(b);
  if (op == Operator::kMul) return MulInts(vm, x, y);
  if (!ChargeLimbs(vm, static_cast<int64_t>(x.size + y.size))) return Value();
  if (op == Operator::kAdd || op == Operator::kSub)
    return AddSigned(vm, x, y, op == Operator::kSub);
  return IntBitwise(vm, op, x, y);
}

Value Vm::NewInt(int64_t i) {
  if (Value::FitsInt(i)) return Value::SmallInt(i);
  const Limb m = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i);
  return IntOfLimbs(*this, &m, 1, i < 0);
}

Value Vm::NewUnsigned(uint64_t m) {
  return IntOfLimbs(*this, &m, 1, false);
}

Value IntNegate(Vm& vm, Value v) {
  const Operand n(v);
  return IntOfLimbs(vm, n.limbs, n.size, !n.negative);
}

int IntCompare(Value a, Value b) {
  int64_t i, k;
  if (SmallOf(a, &i) && SmallOf(b, &k)) return i < k ? -1 : i > k;
  const Operand x(a), y(b);
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  const int order = CompareLimbs(x.limbs, x.size, y.limbs, y.size);
  return x.negative ? -order : order;
}

int64_t IntBitLength(Value v) {
  return static_cast<int64_t>(Operand(v).bits());
}

bool IntOdd(Value v) {
  const Operand n(v);
  return n.size > 0 && (n.limbs[0] & 1) != 0;
}

int IntSign(Value v) {
  const Operand n(v);
  return n.zero() ? 0 : n.negative ? -1 : 1;
}

bool IntToInt64(Value v, int64_t* out) {
  if (SmallOf(v, out)) return true;
  const Operand n(v);
  if (n.size > 1) return false;
  const Limb m = n.zero() ? 0 : n.limbs[0];
  if (m > static_cast<Limb>(INT64_MAX) + n.negative) return false;
  *out = static_cast<int64_t>(n.negative ? 0 - m : m);
  return true;
}

bool IntToUint64(Value v, uint64_t* out) {
  const Operand n(v);
  if (n.negative || n.size > 1) return false;
  *out = n.zero() ? 0 : n.limbs[0];
  return true;
}

}  // namespace ferry::vm
