#include <algorithm>

#include "device-runtime/vm/lib/modules/math/real.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

Value Op(Vm& vm, Operator op, Value a, Value b) {
  return a.empty() || b.empty() ? Value() : IntBinary(vm, static_cast<int>(op), a, b);
}

// An int, or what __index__ gives.
Value WholeOf(Vm& vm, Value v) {
  if (IsInt(v)) return v;
  bool found;
  Value result = vm.CallSpecial(v, vm.names.index, nullptr, 0, &found);
  if (found && (result.empty() || IsInt(result))) return result;
  return vm.Throw(Error::kTypeError, "'{}' object cannot be interpreted as an integer",
                  vm.TypeName(v));
}

Value ISqrt(Vm& vm, Args& args) {
  Value n = ExpectOne(vm, args, "math", "isqrt") ? WholeOf(vm, args[0]) : Value();
  if (n.empty()) return n;
  if (IntSign(n) < 0) return vm.Raise(Error::kValueError, "isqrt() argument must be nonnegative");
  return IntSqrt(vm, n);
}

Value Gcd(Vm& vm, Args& args) {
  Value out = Value::SmallInt(0);
  for (uint32_t i = 0; i < args.count && !out.empty(); ++i) {
    Value v = WholeOf(vm, args[i]);
    out = v.empty() ? v : IntGcd(vm, out, v);
  }
  return out;
}

Value Lcm(Vm& vm, Args& args) {
  Value out = Value::SmallInt(1);
  for (uint32_t i = 0; i < args.count && !out.empty(); ++i) {
    Value v = WholeOf(vm, args[i]);
    if (v.empty()) return v;
    if (IntSign(out) == 0 || IntSign(v) == 0) {
      out = Value::SmallInt(0);
      continue;
    }
    out = Op(vm, Operator::kMul, Op(vm, Operator::kFloorDiv, out, IntGcd(vm, out, v)), v);
    if (!out.empty() && IntSign(out) < 0) out = IntNegate(vm, out);
  }
  return out;
}

// low * (low + 1) * ... * high, by halves, so that factors stay of like size.
Value Product(Vm& vm, int64_t low, int64_t high) {
  if (low > high) return Value::SmallInt(1);
  if (high - low < 4) {
    Value out = vm.NewInt(low);
    for (int64_t i = low + 1; i <= high; ++i) out = Op(vm, Operator::kMul, out, vm.NewInt(i));
    return vm.ChargeSteps(1) ? out : Value();
  }
  const int64_t middle = low + (high - low) / 2;
  Value first = Product(vm, low, middle);
  return first.empty() ? first : Op(vm, Operator::kMul, first, Product(vm, middle + 1, high));
}

Value Factorial(Vm& vm, Args& args) {
  Value v = ExpectOne(vm, args, "math", "factorial") ? WholeOf(vm, args[0]) : Value();
  if (v.empty()) return v;
  if (IntSign(v) < 0)
    return vm.Raise(Error::kValueError, "factorial() not defined for negative values");
  int64_t n;
  if (!IntToInt64(v, &n))
    return vm.Raise(Error::kOverflowError,
                    "factorial() argument should not exceed 9223372036854775807");
  // More bits than any int has: nothing of it is worth doing.
  if (n > static_cast<int64_t>(kMaxBigIntLimbs) * 64) return vm.TooLarge();
  return Product(vm, 2, n);
}

bool NotNegative(Vm& vm, Value v, const char* name) {
  if (IntSign(v) >= 0) return true;
  vm.Throw(Error::kValueError, "{} must be a non-negative integer", name);
  return false;
}

// n (n - 1) ... of k factors.
Value Falling(Vm& vm, Value n, int64_t k) {
  if (k == 0) return Value::SmallInt(1);
  if (k == 1) return n;
  const int64_t half = k / 2;
  if (!vm.ChargeSteps(1)) return Value();
  Value first = Falling(vm, n, half);
  if (first.empty()) return first;
  return Op(vm, Operator::kMul, first,
            Falling(vm, Op(vm, Operator::kSub, n, Value::SmallInt(half)), k - half));
}

Value Perm(Vm& vm, Args& args) {
  if (!ExpectSome(vm, args, "math", "perm", 1, 2)) return Value();
  if (args.count == 1 || args[1].IsNone()) {
    Args one{args.args, 1};
    Value n = WholeOf(vm, args[0]);
    if (n.empty()) return n;
    one.args = &n;
    return Factorial(vm, one);
  }
  Value n = WholeOf(vm, args[0]), k = n.empty() ? n : WholeOf(vm, args[1]);
  if (k.empty() || !NotNegative(vm, n, "n") || !NotNegative(vm, k, "k")) return Value();
  if (IntCompare(k, n) > 0) return Value::SmallInt(0);
  int64_t count;
  if (!IntToInt64(k, &count) || count > Value::kMaxInt)
    return vm.Raise(Error::kOverflowError, "k must not exceed 9223372036854775807");
  if (count > static_cast<int64_t>(kMaxBigIntLimbs) * 64) return vm.TooLarge();
  return Falling(vm, n, count);
}

Value Comb(Vm& vm, Args& args) {
  if (!ExpectSome(vm, args, "math", "comb", 2, 2)) return Value();
  Value n = WholeOf(vm, args[0]), k = n.empty() ? n : WholeOf(vm, args[1]);
  if (k.empty() || !NotNegative(vm, n, "n") || !NotNegative(vm, k, "k")) return Value();
  if (IntCompare(k, n) > 0) return Value::SmallInt(0);
  Value rest = Op(vm, Operator::kSub, n, k);
  if (rest.empty()) return rest;
  if (IntCompare(rest, k) < 0) k = rest;
  int64_t count;
  if (!IntToInt64(k, &count))
    return vm.Raise(Error::kOverflowError, "min(n - k, k) must not exceed 9223372036854775807");
  if (count > static_cast<int64_t>(kMaxBigIntLimbs) * 64) return vm.TooLarge();
  Value top = Falling(vm, n, count);
  return Op(vm, Operator::kFloorDiv, top, top.empty() ? top : Product(vm, 2, count));
}

constexpr BuiltinRow kRows[] = {{"comb", Comb}, {"factorial", Factorial},
                                {"gcd", Gcd},   {"isqrt", ISqrt},
                                {"lcm", Lcm},   {"perm", Perm}};

}  // namespace

std::span<const BuiltinRow> MathWholeRows() {
  return kRows;
}

}  // namespace ferry::vm
