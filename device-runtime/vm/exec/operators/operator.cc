#include <algorithm>
#include <cmath>
#include <cstring>

#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/collections/view.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/failure/warnings.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/complex.h"

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

// As the C library's error number would say it.
Value RaiseRange(Vm& vm) {
  Value parts[] = {Value::SmallInt(34), vm.NewString("Numerical result out of range")};
  Value args = parts[1].empty() ? Value() : vm.NewTuple(parts, 2);
  if (!args.empty())
    vm.pending = vm.MakeException(vm.errors[static_cast<int>(Error::kOverflowError)], args);
  return Value();
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
      if (a < 0 && std::isfinite(b) && b != std::floor(b)) return ComplexPower(vm, {a, 0}, {b, 0});
      const double result = std::pow(a, b);
      if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) return RaiseRange(vm);
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
  if (ints && op == Operator::kDiv) return IntTrueDivide(vm, a, b);
  double x, y;
  if (!ToDouble(vm, a, &x) || !ToDouble(vm, b, &y)) return Value();
  return FloatBinary(vm, op, x, y);
}

void Fill(char* to, std::string_view with, size_t total) {
  for (size_t at = 0; at < total; at += with.size()) std::memcpy(to + at, with.data(), with.size());
}

Value RepeatText(Vm& vm, const String* text, uint64_t times) {
  const size_t total = text->size * times;
  if (total <= 1) return vm.NewString(total == 0 ? std::string_view() : text->view());
  String* out = vm.NewStringObject(total);
  if (out == nullptr) return Value();
  out->length = static_cast<uint32_t>(text->length * times);
  Fill(out->data, text->view(), total);
  return Value::Of(out);
}

Value RepeatBytes(Vm& vm, std::string_view bytes, size_t total) {
  auto* out = Cast<BytesObject>(vm.heap.NewObject(Type::kBytes, sizeof(BytesObject) + total));
  if (out == nullptr) return vm.OutOfMemory();
  out->size = static_cast<uint32_t>(total);
  Fill(out->data, bytes, total);
  return Value::Of(out);
}

Value Repeat(Vm& vm, Value sequence, Value by) {
  int64_t count;
  if (!vm.ToIndex(by, &count, "length")) return Value();
  if (count < 0) count = 0;
  const uint64_t times = static_cast<uint64_t>(count);
  const auto too_large = [&](uint64_t size, uint64_t limit) {
    return size > 0 && times > limit / size;
  };
  if (IsStr(sequence) || Is(sequence, Type::kBytes)) {
    const std::string_view text =
        IsStr(sequence) ? Text(sequence) : As<BytesObject>(sequence)->view();
    if (too_large(text.size(), INT64_MAX))
      return vm.Throw(Error::kOverflowError, "repeated {} too long",
                      IsStr(sequence) ? "string is" : "bytes are");
    if (too_large(text.size(),
                  std::min<uint64_t>(kMaxStringBytes, static_cast<uint64_t>(vm.heap.limit()))))
      return vm.TooLarge();
    const size_t total = text.size() * times;
    if (!vm.ChargeSteps(static_cast<int64_t>(total / 64))) return Value();
    return IsStr(sequence) ? RepeatText(vm, As<String>(sequence), times)
                           : RepeatBytes(vm, text, total);
  }
  const bool list = Is(sequence, Type::kList);
  const size_t size = list ? As<List>(sequence)->size : As<Tuple>(sequence)->size;
  if (too_large(size, kMaxItems)) return vm.TooLarge();
  const size_t total = size * times;
  if (!vm.ChargeSteps(static_cast<int64_t>(total / 16))) return Value();
  Value out = list ? vm.NewList(nullptr, total) : vm.NewTuple(nullptr, total);
  if (out.empty()) return out;
  const Value* from = list ? As<List>(sequence)->items : As<Tuple>(sequence)->items;
  Value* to = list ? As<List>(out)->items : As<Tuple>(out)->items;
  if (size == 1) {
    std::fill_n(to, total, from[0]);
  } else {
    for (size_t i = 0; i < total; i += size)
      std::memcpy(static_cast<void*>(to + i), from, size * sizeof(Value));
  }
  if (list) As<List>(out)->size = static_cast<uint32_t>(total);
  return out;
}

// list *= n
Value RepeatInPlace(Vm& vm, Value list, Value by) {
  const Value more = Repeat(vm, list, by);
  if (more.empty()) return more;
  std::swap(As<List>(list)->items, As<List>(more)->items);
  std::swap(As<List>(list)->size, As<List>(more)->size);
  std::swap(As<List>(list)->capacity, As<List>(more)->capacity);
  return list;
}

Value Concatenate(Vm& vm, Value a, Value b) {
  if (IsStr(a) || Is(a, Type::kBytes)) {
    const std::string_view x = IsStr(a) ? Text(a) : As<BytesObject>(a)->view();
    const std::string_view y = IsStr(b) ? Text(b) : As<BytesObject>(b)->view();
    if (x.size() + y.size() > kMaxStringBytes) return vm.TooLarge();
    if (IsStr(a)) return vm.AppendString(As<String>(a), As<String>(b));
    if (!vm.ChargeSteps(static_cast<int64_t>((x.size() + y.size()) / 64))) return Value();
    return vm.NewBytes(std::string(x) + std::string(y));
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
  if (n > 0) std::memcpy(static_cast<void*>(to), x, n * sizeof(Value));
  if (m > 0) std::memcpy(static_cast<void*>(to + n), y, m * sizeof(Value));
  if (list) As<List>(out)->size = static_cast<uint32_t>(n + m);
  return out;
}

}  // namespace

Value Vm::BinaryPlain(int code, Value a, Value b, bool in_place, bool* handled) {
  Vm& vm = *this;
  const auto op = static_cast<Operator>(code);
  *handled = true;
  if (a.IsObject() && b.IsObject()) {  // the usual kinds need no look at the others
    const Type type = a.object()->type;
    if (op == Operator::kAdd && IsExact(b, type) &&
        (type == Type::kTuple || (type == Type::kList && !in_place)))
      return Concatenate(vm, a, b);
    if (type == Type::kSet && IsExact(b, type) &&
        (op == Operator::kSub || op == Operator::kOr || op == Operator::kAnd))
      return SetBinary(vm, code, a, b, in_place);
  }
  a = Plain(a);
  if (op != Operator::kMod || !IsStr(a)) b = Plain(b);  // % shows it as it is
  if (IsNumber(a) && IsNumber(b)) return NumberBinary(vm, op, a, b, handled);
  const Type x = a.IsObject() ? a.object()->type : Type::kFree;
  const Type y = b.IsObject() ? b.object()->type : Type::kFree;
  if ((x == Type::kComplex && (y == x || IsNumber(b))) || (y == Type::kComplex && IsNumber(a)))
    return ComplexBinary(vm, static_cast<int>(op), a, b, handled);
  if (x == Type::kByteArray || x == Type::kArray || (x == Type::kBytes && op != Operator::kMul) ||
      (y == Type::kByteArray && IsInt(a)) || (y == Type::kArray && IsInt(a))) {
    Value out = BufferBinary(vm, static_cast<int>(op), a, b, in_place, handled);
    if (*handled) return out;
    *handled = true;
  }
  const auto sequence = [](Type t) {
    return t == Type::kString || t == Type::kBytes || t == Type::kList || t == Type::kTuple;
  };
  if (op == Operator::kAdd && in_place && x == Type::kList)
    return vm.Extend(As<List>(a), b) ? a : Value();
  if (op == Operator::kAdd && sequence(x) && x == y) return Concatenate(vm, a, b);
  if (op == Operator::kMul && in_place && x == Type::kList && IsInt(b))
    return RepeatInPlace(vm, a, b);
  if (op == Operator::kMul && sequence(x) && IsInt(b)) return Repeat(vm, a, b);
  if (op == Operator::kMul && sequence(y) && IsInt(a)) return Repeat(vm, b, a);
  if (op == Operator::kMod && x == Type::kString) return vm.PercentFormat(As<String>(a), b);
  if (IsSet(a) && IsSet(b) &&
      (op == Operator::kSub || (op >= Operator::kAnd && op <= Operator::kXor)))
    return SetBinary(vm, static_cast<int>(op), a, b, in_place);
  if ((op == Operator::kSub || (op >= Operator::kAnd && op <= Operator::kXor)) &&
      (IsSetView(a) || IsSetView(b)))
    return ViewBinary(*this, op, a, b);
  if (op == Operator::kOr && (IsTypeLike(a) || IsTypeLike(b)) && (IsTypeLike(a) || a.IsNone()) &&
      (IsTypeLike(b) || b.IsNone()))
    return UnionOf(*this, a, b);
  if (op == Operator::kOr && in_place && x == Type::kDict && y != Type::kDict) {
    String* name = vm.Intern("update");
    const Value args[] = {a, b};
    const Value update =
        name == nullptr ? Value() : vm.FindInClass(vm.classes[static_cast<int>(Type::kDict)], name);
    return update.empty() || vm.Call(update, args, 2).empty() ? Value() : a;
  }
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

// a op b where a class of a script may have a say.
static Value CustomBinary(Vm& vm, int code, Value a, Value b, bool in_place, int skip) {
  Roots roots(vm);  // the first method that is tried may collect
  roots.Add(a);
  roots.Add(b);
  const OperatorNames& text = kOperators[code];
  Value result = vm.not_implemented;
  const auto attempt = [&](Value self, const char* name, Value other) {
    String* method = HasMethods(self) ? vm.Intern(name) : nullptr;
    bool found = false;
    if (method != nullptr && skip > 0) {
      --skip;
      found = true;
      result = vm.not_implemented;
    } else if (method != nullptr) {
      result = vm.CallSpecial(self, method, &other, 1, &found);
    }
    if (!found) result = vm.not_implemented;
    return found;
  };
  Class *x = vm.ClassOf(a), *y = vm.ClassOf(b);
  bool plain = false;
  const auto built_in = [&] {
    if (plain) return;
    plain = true;
    bool handled;
    result = vm.BinaryPlain(code, a, b, in_place, &handled);
    if (!handled && !vm.failed()) result = vm.not_implemented;
  };
  if (in_place && attempt(a, text.in_place, b) && result != vm.not_implemented) return result;
  // A built-in class's own way in place comes before what a class derived from it has for the plain
  // operator, but for *=.
  if (in_place && Derived(a) && code != static_cast<int>(Operator::kMul)) {
    String* name = vm.Intern(text.in_place);
    if (name == nullptr) return Value();
    if (!vm.FindInClass(x, name).empty()) built_in();
    if (result != vm.not_implemented) return result;
  }
  bool reflected = false;
  if (x != y && HasMethods(b)) {
    String* name = vm.Intern(text.reflected);
    if (name == nullptr) return Value();
    const Value method = vm.FindSpecial(y, name);
    reflected = vm.IsSubclass(y, x) && !method.empty() && method != vm.FindSpecial(x, name);
  }
  if (reflected && attempt(b, text.reflected, a) && result != vm.not_implemented) return result;
  // Sequences repeat, and an int takes a float, only after the methods of both operands.
  const Value left = Plain(a), right = Plain(b);
  const bool later =
      (code == static_cast<int>(Operator::kMul) && !(IsNumber(left) && IsNumber(right))) ||
      (IsInt(left) && right.IsFloat()) || (IsNumber(left) && IsComplex(right));
  const bool own = attempt(a, text.method, b);
  if (!own && !later) built_in();
  if (result != vm.not_implemented) return result;
  const bool other = !reflected && x != y && attempt(b, text.reflected, a);
  if (result != vm.not_implemented) return result;
  if (!other && (later ? !own : !reflected && x != y)) built_in();
  return result;
}

// A sequence times an object with __index__.
static Value RepeatBy(Vm& vm, Value a, Value b, bool in_place) {
  const auto sequence = [](Value v) {
    return IsStr(v) || Is(v, Type::kBytes) || Is(v, Type::kList) || Is(v, Type::kTuple);
  };
  const auto buffer = [](Value v) { return Is(v, Type::kByteArray) || Is(v, Type::kArray); };
  if (!sequence(a) && !buffer(a)) std::swap(a, b);
  if (!sequence(a) && !buffer(a)) return vm.not_implemented;
  if (!IsInt(b) && vm.FindInClass(vm.ClassOf(b), vm.names.index).empty())
    return vm.Throw(Error::kTypeError, "can't multiply sequence by non-int of type '{}'",
                    vm.TypeName(b));
  int64_t count;
  if (!vm.ToIndex(b, &count, "repeat count", true)) return Value();
  const Value by = Value::SmallInt(std::clamp<int64_t>(count, 0, Value::kMaxInt));
  if (buffer(a)) {
    bool handled;
    return vm.BinaryPlain(static_cast<int>(Operator::kMul), a, by, in_place, &handled);
  }
  return in_place && Is(a, Type::kList) ? RepeatInPlace(vm, a, by) : Repeat(vm, a, by);
}

Value Vm::Binary(int code, Value a, Value b, bool in_place, int skip) {
  const auto op = static_cast<Operator>(code);
  if (!HasMethods(a) && !HasMethods(b)) {
    if (op == Operator::kMod && IsExact(a, Type::kString)) return PercentFormat(As<String>(a), b);
    bool handled = false;
    const Value result = BinaryPlain(code, a, b, in_place, &handled);
    if (handled) return result;
  } else {
    const Value result = CustomBinary(*this, code, a, b, in_place, skip);
    if (result != not_implemented) return result;
  }
  if (op == Operator::kMul) {
    const Value result = RepeatBy(*this, a, b, in_place);
    if (result != not_implemented) return result;
  }
  const OperatorNames& text = kOperators[code];
  if (failed()) return Value();
  if (op == Operator::kAdd && (IsStr(a)))
    return Throw(Error::kTypeError, "can only concatenate str (not \"{}\") to str", TypeName(b));
  if (op == Operator::kAdd && Is(a, Type::kTuple))
    return Throw(Error::kTypeError, "can only concatenate tuple (not \"{}\") to tuple",
                 TypeName(b));
  if (op == Operator::kAdd && Is(a, Type::kList))
    return Throw(Error::kTypeError, "can only concatenate list (not \"{}\") to list", TypeName(b));
  return Throw(Error::kTypeError, "unsupported operand type(s) for {}{}: '{}' and '{}'", text.text,
               in_place ? "=" : "", TypeName(a), TypeName(b));
}

Value Vm::UnaryPlain(int code, Value given) {
  const Value v = Plain(given);
  const auto op = static_cast<Operator>(code);
  if (IsComplex(v) && op != Operator::kInvert) {
    auto* c = As<Complex>(v);
    if (op == Operator::kNegative) return NewComplex(-c->real, -c->imaginary);
    return Derived(v) ? NewComplex(c->real, c->imaginary) : v;
  }
  if (v.IsFloat() && op != Operator::kInvert)
    return op == Operator::kNegative ? Value::Float(-v.AsFloat()) : v;
  if (IsInt(v)) {
    if (op == Operator::kNegative) return IntNegate(*this, v);
    if (op == Operator::kInvert)
      return IntBinary(*this, static_cast<int>(Operator::kSub), Value::SmallInt(-1), v);
    int64_t i;
    return v.IsBool() && SmallOf(v, &i) ? Value::SmallInt(i) : v;
  }
  return Throw(Error::kTypeError, "bad operand type for unary {}: '{}'",
               op == Operator::kNegative   ? "-"
               : op == Operator::kPositive ? "+"
                                           : "~",
               TypeName(given));
}

bool Vm::TruthPlain(Value v, bool* truth) {
  if (v.IsBool() || v.IsNone()) {
    *truth = v.IsTrue();
  } else if (v.IsSmallInt()) {
    *truth = v.AsSmallInt() != 0;
  } else if (v.IsFloat()) {
    *truth = v.AsFloat() != 0;
  } else if (!v.IsObject()) {
    *truth = !v.empty();
  } else {
    switch (v.object()->type) {
      case Type::kBigInt:
        *truth = As<BigInt>(v)->size != 0;
        break;
      case Type::kFloat:
        *truth = As<FloatObject>(v)->value != 0;
        break;
      case Type::kView: {
        int64_t length;
        if (!Length(v, &length)) return false;
        *truth = length != 0;
        break;
      }
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
      case Type::kComplex:
        *truth = As<Complex>(v)->real != 0 || As<Complex>(v)->imaginary != 0;
        break;
      case Type::kByteArray:
      case Type::kArray:
        *truth = As<ByteArray>(v)->size != 0;
        break;
      case Type::kMemoryView: {
        int64_t items;
        if (!BufferLength(*this, v, &items)) return false;
        *truth = items != 0;
        break;
      }
      case Type::kRange:
        *truth = IsWide(As<Range>(v)) ? IntSign(As<WideRange>(v)->part[3]) != 0
                                      : As<Range>(v)->length != 0;
        break;
      default:
        *truth = true;
        return v != not_implemented ||
               WarnDeprecated(*this, "NotImplemented should not be used in a boolean context");
    }
  }
  return true;
}

}  // namespace ferry::vm
