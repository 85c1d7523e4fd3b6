#include "device-runtime/vm/number/wide.h"

#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

using Wide = __int128;

bool WideOf(Value v, Wide* out) {
  if (v.IsSmallInt()) {
    *out = v.AsSmallInt();
    return true;
  }
  if (!IsExact(v, Type::kBigInt) || As<BigInt>(v)->size != 1) return false;
  const Wide limb = As<BigInt>(v)->limbs[0];
  *out = As<BigInt>(v)->aux != 0 ? -limb : limb;
  return true;
}

// Floored; both magnitudes are below 2**64.
void DivMod(Wide x, Wide y, Wide* quotient, Wide* remainder) {
  const auto m = static_cast<uint64_t>(x < 0 ? -x : x), n = static_cast<uint64_t>(y < 0 ? -y : y);
  Wide q = m / n, r = m % n;
  if ((x < 0) != (y < 0)) {
    if (r != 0) {
      ++q;
      r = n - r;
    }
    q = -q;
  }
  *quotient = q;
  *remainder = y < 0 ? -r : r;
}

}  // namespace

bool WideBinary(Vm& vm, Operator op, Value x, Value y, Value* out) {
  Wide a, b, r, ignored;
  if (!WideOf(x, &a) || !WideOf(y, &b)) return false;
  switch (op) {
    case Operator::kAdd:
      r = a + b;
      break;
    case Operator::kSub:
      r = a - b;
      break;
    case Operator::kMul:
      if (__builtin_mul_overflow(a, b, &r)) return false;
      break;
    case Operator::kFloorDiv:
      if (b == 0) return false;
      DivMod(a, b, &r, &ignored);
      break;
    case Operator::kMod:
      if (b == 0) return false;
      DivMod(a, b, &ignored, &r);
      break;
    case Operator::kAnd:
      r = a & b;
      break;
    case Operator::kOr:
      r = a | b;
      break;
    case Operator::kXor:
      r = a ^ b;
      break;
    case Operator::kLeft:
      if (b < 0 || b > 62) return false;
      r = a * (Wide{1} << b);
      break;
    case Operator::kRight:
      if (b < 0) return false;
      r = a >> static_cast<int>(b > 127 ? Wide{127} : b);
      break;
    default:
      return false;
  }
  *out = IntOfWide(vm, r);
  return true;
}

}  // namespace ferry::vm
