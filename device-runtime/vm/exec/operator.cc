#include <cmath>
#include <cstring>

#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

struct OperatorNames {
  const char* text;
  const char* method;
  const char* reflected;
  const char* in_place;
};
// ORDER: Operator, its first eleven.
constexpr OperatorNames kOperators[] = {{"+", "__add__", "__radd__", "__iadd__"},
                                        {"-", "__sub__", "__rsub__", "__isub__"},
                                        {"*", "__mul__", "__rmul__", "__imul__"},
                                        {"/", "__truediv__", "__rtruediv__", "__itruediv__"},
                                        {"//", "__floordiv__", "__rfloordiv__", "__ifloordiv__"},
                                        {"%", "__mod__", "__rmod__", "__imod__"},
                                        {"** or pow()", "__pow__", "__rpow__", "__ipow__"},
                                        {"@", "__matmul__", "__rmatmul__", "__imatmul__"},
                                        {"&", "__and__", "__rand__", "__iand__"},
                                        {"|", "__or__", "__ror__", "__ior__"},
                                        {"^", "__xor__", "__rxor__", "__ixor__"},
                                        {"<<", "__lshift__", "__rlshift__", "__ilshift__"},
                                        {">>", "__rshift__", "__rrshift__", "__irshift__"}};

bool IsNumber(Value v) {
  return v.IsFloat() || IsInt(v);
}

bool ToDouble(Vm& vm, Value v, double* out) {
  *out = v.IsFloat() ? v.AsFloat() : IntToDouble(v);
  if (!v.IsFloat() && std::isinf(*out)) {
    vm.Raise(Error::kOverflowError, "int too large to convert to float");
    return false;
  }
  return true;
}

Value FloatBinary(Vm& vm, Operator op, double a, double b) {
  switch (op) {
    case Operator::kAdd:
      return Value::Float(a + b);
    case Operator::kSub:
      return Value::Float(a - b);
    case Operator::kMul:
      return Value::Float(a * b);
    case Operator::kDiv:
      if (b == 0) return vm.Raise(Error::kZeroDivisionError, "float division by zero");
      return Value::Float(a / b);
    case Operator::kFloorDiv:
    case Operator::kMod: {
      if (b == 0)
        return vm.Raise(Error::kZeroDivisionError,
                        op == Operator::kMod ? "float modulo" : "float floor division by zero");
      double mod = std::fmod(a, b);
      double div = (a - mod) / b;
      if (mod != 0) {
        if ((b < 0) != (mod < 0)) {
          mod += b;
          div -= 1;
        }
      } else {
        mod = std::copysign(0.0, b);
      }
      if (op == Operator::kMod) return Value::Float(mod);
      if (div == 0) return Value::Float(std::copysign(0.0, a / b));
      const double floored = std::floor(div);
      return Value::Float(div - floored > 0.5 ? floored + 1 : floored);
    }
    case Operator::kPow: {
      if (a == 0 && b < 0)
        return vm.Raise(Error::kZeroDivisionError, "0.0 cannot be raised to a negative power");
      if (a < 0 && std::isfinite(b) && b != std::floor(b))
        return vm.Raise(Error::kValueError, "a negative number to a fractional power is complex");
      const double result = std::pow(a, b);
      if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
        return vm.Raise(Error::kOverflowError, "(34, 'Numerical result out of range')");
      return Value::Float(result);
    }
    default:
      return Value();
  }
}

Value NumberBinary(Vm& vm, Operator op, Value a, Value b, bool* handled) {
  const bool ints = IsInt(a) && IsInt(b);
  *handled = true;
  if (ints && op == Operator::kPow) {
    if (IntCompare(b, Value::SmallInt(0)) >= 0) return IntPow(vm, a, b, Value());
  } else if (ints && op != Operator::kDiv && op != Operator::kMatMul) {
    if (a.IsBool() && b.IsBool() &&
        (op == Operator::kAnd || op == Operator::kOr || op == Operator::kXor))
      return Value::Bool(op == Operator::kAnd  ? a.IsTrue() && b.IsTrue()
                         : op == Operator::kOr ? a.IsTrue() || b.IsTrue()
                                               : a.IsTrue() != b.IsTrue());
    return IntBinary(vm, static_cast<int>(op), a, b);
  }
  if (op > Operator::kPow) {
    *handled = false;
    return Value();
  }
  double x, y;
  if (!ToDouble(vm, a, &x) || !ToDouble(vm, b, &y)) return Value();
  if (ints && op == Operator::kDiv && y == 0)
    return vm.Raise(Error::kZeroDivisionError, "division by zero");
  return FloatBinary(vm, op, x, y);
}

Value Repeat(Vm& vm, Value sequence, Value by) {
  int64_t count;
  if (!vm.ToIndex(by, &count, "repeat count", true)) return Value();
  if (count < 0) count = 0;
  const uint64_t times = static_cast<uint64_t>(count);
  const auto too_large = [&](uint64_t size, uint64_t limit) {
    return size > 0 && times > limit / size;
  };
  if (IsStr(sequence) || Is(sequence, Type::kBytes)) {
    const std::string_view text =
        IsStr(sequence) ? Text(sequence) : As<BytesObject>(sequence)->view();
    if (too_large(text.size(),
                  std::min<uint64_t>(kMaxStringBytes, static_cast<uint64_t>(vm.heap.limit()))))
      return vm.OutOfMemory();
    std::string out;
    out.reserve(text.size() * times);
    if (!text.empty())
      for (uint64_t i = 0; i < times; ++i) out += text;
    if (!vm.ChargeSteps(static_cast<int64_t>(out.size() / 64))) return Value();
    return IsStr(sequence) ? vm.NewString(out) : vm.NewBytes(out);
  }
  const bool list = Is(sequence, Type::kList);
  const size_t size = list ? As<List>(sequence)->size : As<Tuple>(sequence)->size;
  if (too_large(size, kMaxItems)) return vm.OutOfMemory();
  const size_t total = size * times;
  if (!vm.ChargeSteps(static_cast<int64_t>(total / 16))) return Value();
  Value out = list ? vm.NewList(nullptr, total) : vm.NewTuple(nullptr, total);
  if (out.empty()) return out;
  const Value* from = list ? As<List>(sequence)->items : As<Tuple>(sequence)->items;
  Value* to = list ? As<List>(out)->items : As<Tuple>(out)->items;
  for (size_t i = 0; i < total; ++i) to[i] = from[i % size];
  if (list) As<List>(out)->size = static_cast<uint32_t>(total);
  return out;
}

Value Concatenate(Vm& vm, Value a, Value b) {
  if (IsStr(a) || Is(a, Type::kBytes)) {
    const std::string_view x = IsStr(a) ? Text(a) : As<BytesObject>(a)->view();
    const std::string_view y = IsStr(b) ? Text(b) : As<BytesObject>(b)->view();
    if (x.size() + y.size() > kMaxStringBytes) return vm.OutOfMemory();
    if (!vm.ChargeSteps(static_cast<int64_t>((x.size() + y.size()) / 64))) return Value();
    if (!IsStr(a)) return vm.NewBytes(std::string(x) + std::string(y));
    auto* out = static_cast<String*>(
        vm.heap.NewObject(Type::kString, sizeof(String) + x.size() + y.size()));
    if (out == nullptr) return vm.OutOfMemory();
    out->size = static_cast<uint32_t>(x.size() + y.size());
    out->length = As<String>(a)->length + As<String>(b)->length;
    std::memcpy(out->data, x.data(), x.size());
    std::memcpy(out->data + x.size(), y.data(), y.size());
    return Value::Of(out);
  }
  const bool list = Is(a, Type::kList);
  const size_t n = list ? As<List>(a)->size : As<Tuple>(a)->size;
  const size_t m = list ? As<List>(b)->size : As<Tuple>(b)->size;
  if (!vm.ChargeSteps(static_cast<int64_t>((n + m) / 16))) return Value();
  Value out = list ? vm.NewList(nullptr, n + m) : vm.NewTuple(nullptr, n + m);
  if (out.empty()) return out;
  Value* to = list ? As<List>(out)->items : As<Tuple>(out)->items;
  const Value* x = list ? As<List>(a)->items : As<Tuple>(a)->items;
  const Value* y = list ? As<List>(b)->items : As<Tuple>(b)->items;
  for (size_t i = 0; i < n; ++i) to[i] = x[i];
  for (size_t i = 0; i < m; ++i) to[n + i] = y[i];
  if (list) As<List>(out)->size = static_cast<uint32_t>(n + m);
  return out;
}

Value SetBinary(Vm& vm, Operator op, Value a, Value b) {
  auto *x = As<Dict>(a), *y = As<Dict>(b);
  if (!vm.ChargeSteps((x->count + y->count) / 8)) return Value();
  Value out = vm.NewDict(a.object()->type);
  if (out.empty()) return out;
  Roots roots(vm);  // __hash__ and __eq__ may collect
  roots.Add(a);
  roots.Add(b);
  roots.Add(out);
  auto* result = As<Dict>(out);
  bool failed = false;
  const auto add = [&](Dict* from, Dict* other, bool when_in_other, bool always) {
    for (uint32_t i = 0; i < from->used && !failed; ++i) {
      Value key = from->entries[i].key;
      if (key.empty()) continue;
      Roots held(vm);
      held.Add(key);
      if (!always && (vm.DictFind(other, key, &failed) != nullptr) != when_in_other) continue;
      if (!failed && !vm.DictSet(result, key, Value::None())) failed = true;
    }
  };
  add(x, y, op == Operator::kAnd, op == Operator::kOr);
  if (op == Operator::kOr || op == Operator::kXor) add(y, x, false, op == Operator::kOr);
  return failed ? Value() : out;
}

Value TypeBinary(Vm& vm, Operator op, Value a, Value b, bool in_place, bool* handled) {
  *handled = true;
  if (IsNumber(a) && IsNumber(b)) return NumberBinary(vm, op, a, b, handled);
  const Type x = a.IsObject() ? a.object()->type : Type::kFree;
  const Type y = b.IsObject() ? b.object()->type : Type::kFree;
  const auto sequence = [](Type t) {
    return t == Type::kString || t == Type::kBytes || t == Type::kList || t == Type::kTuple;
  };
  if (op == Operator::kAdd && in_place && x == Type::kList)
    return vm.Extend(As<List>(a), b) ? a : Value();
  if (op == Operator::kAdd && sequence(x) && x == y) return Concatenate(vm, a, b);
  if (op == Operator::kMul && sequence(x) && IsInt(b)) return Repeat(vm, a, b);
  if (op == Operator::kMul && sequence(y) && IsInt(a)) return Repeat(vm, b, a);
  if (op == Operator::kMod && x == Type::kString) return vm.PercentFormat(As<String>(a), b);
  if (IsSet(a) && IsSet(b) &&
      (op == Operator::kSub || (op >= Operator::kAnd && op <= Operator::kXor)))
    return SetBinary(vm, op, a, b);
  if (op == Operator::kOr && x == Type::kDict && y == Type::kDict) {
    Roots roots(vm);
    roots.Add(a);
    roots.Add(b);
    const Value out = roots.Add(in_place ? a : vm.NewDict());
    if (out.empty() || (!in_place && !vm.DictMerge(As<Dict>(out), a, false))) return Value();
    return vm.DictMerge(As<Dict>(out), b, false) ? out : Value();
  }
  *handled = false;
  return Value();
}

bool HasMethods(Value v) {
  return Is(v, Type::kInstance) || Is(v, Type::kNativeObject) || Is(v, Type::kException);
}

}  // namespace

Value Vm::Binary(int code, Value a, Value b, bool in_place) {
  bool handled = false;
  const auto op = static_cast<Operator>(code);
  Value result = TypeBinary(*this, op, a, b, in_place, &handled);
  if (handled) return result;
  Roots roots(*this);  // the first method that is tried may collect
  roots.Add(a);
  roots.Add(b);
  const OperatorNames& text = kOperators[code];
  const auto attempt = [&](Value self, const char* name, Value other) {
    if (!HasMethods(self)) return false;
    String* method = Intern(name);
    if (method == nullptr) return true;
    bool found;
    result = CallSpecial(self, method, &other, 1, &found);
    return found && (result.empty() || result != not_implemented);
  };
  if (in_place && attempt(a, text.in_place, b)) return result;
  const bool derived =
      HasMethods(b) && ClassOf(b) != ClassOf(a) && IsSubclass(ClassOf(b), ClassOf(a));
  if (derived && attempt(b, text.reflected, a)) return result;
  if (attempt(a, text.method, b)) return result;
  if (!derived && attempt(b, text.reflected, a)) return result;
  if (failed()) return Value();
  if (op == Operator::kAdd && (IsStr(a)))
    return Throw(Error::kTypeError, "can only concatenate str (not \"{}\") to str", TypeName(b));
  if (op == Operator::kAdd && Is(a, Type::kList))
    return Throw(Error::kTypeError, "can only concatenate list (not \"{}\") to list", TypeName(b));
  return Throw(Error::kTypeError, "unsupported operand type(s) for {}{}: '{}' and '{}'", text.text,
               in_place ? "=" : "", TypeName(a), TypeName(b));
}

Value Vm::Unary(int code, Value v) {
  const auto op = static_cast<Operator>(code);
  if (v.IsFloat() && op != Operator::kInvert)
    return op == Operator::kNegative ? Value::Float(-v.AsFloat()) : v;
  if (IsInt(v)) {
    if (op == Operator::kNegative) return IntNegate(*this, v);
    if (op == Operator::kInvert)
      return IntBinary(*this, static_cast<int>(Operator::kSub), Value::SmallInt(-1), v);
    int64_t i;
    return v.IsBool() && SmallOf(v, &i) ? Value::SmallInt(i) : v;
  }
  bool found;
  Value result = CallSpecial(v,
                             op == Operator::kNegative   ? names.neg
                             : op == Operator::kPositive ? names.pos
                                                         : names.invert,
                             nullptr, 0, &found);
  if (found) return result;
  return Throw(Error::kTypeError, "bad operand type for unary {}: '{}'",
               op == Operator::kNegative   ? "-"
               : op == Operator::kPositive ? "+"
                                           : "~",
               TypeName(v));
}

bool Vm::Truth(Value v, bool* truth) {
  if (v.IsBool() || v.IsNone()) {
    *truth = v.IsTrue();
  } else if (v.IsSmallInt()) {
    *truth = v.AsSmallInt() != 0;
  } else if (v.IsFloat()) {
    *truth = v.AsFloat() != 0;
  } else if (!v.IsObject() || v.object()->type == Type::kBigInt) {
    *truth = !v.empty();
  } else if (Is(v, Type::kInstance) || Is(v, Type::kNativeObject) || Is(v, Type::kException)) {
    bool found;
    Value result = CallSpecial(v, names.boolean, nullptr, 0, &found);
    if (found) {
      if (result.empty()) return false;
      if (!result.IsBool()) {
        Throw(Error::kTypeError, "__bool__ should return bool, returned {}", TypeName(result));
        return false;
      }
      *truth = result.IsTrue();
      return true;
    }
    *truth = true;
    int64_t length;
    if (!FindInClass(ClassOf(v), names.len).empty()) {
      if (!Length(v, &length)) return false;
      *truth = length != 0;
    }
  } else {
    switch (v.object()->type) {
      case Type::kString:
        *truth = As<String>(v)->size != 0;
        break;
      case Type::kBytes:
        *truth = As<BytesObject>(v)->size != 0;
        break;
      case Type::kList:
        *truth = As<List>(v)->size != 0;
        break;
      case Type::kTuple:
        *truth = As<Tuple>(v)->size != 0;
        break;
      case Type::kDict:
      case Type::kSet:
      case Type::kFrozenSet:
        *truth = As<Dict>(v)->count != 0;
        break;
      case Type::kRange:
        *truth = As<Range>(v)->length != 0;
        break;
      default:
        *truth = true;
    }
  }
  return true;
}

}  // namespace ferry::vm
