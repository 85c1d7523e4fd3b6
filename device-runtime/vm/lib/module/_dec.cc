// _dec: what lib/py/decimal.py does most often, for numbers of few digits whose result is exact.
// Its objects keep their parts in slots, in the order of their names; scripts may write into these,
// so nothing here trusts them. Whatever is not simple goes to the method of the same name behind
// "_slow". `_now` of the class is a list: the precision while simple results are within every limit
// of the context, else 0, and the class of results.
#include <array>

#include "device-runtime/vm/exec/object/shape.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

using Wide = __int128;
constexpr int kExp = 0, kN = 1, kSign = 2, kSpecial = 3, kParts = 4;
constexpr int64_t kMaxExp = 1000;  // limits that make a list's precision 0 are far from it
constexpr int kMaxShift = 18;

constexpr auto kPowers = [] {
  std::array<int64_t, kMaxShift + 1> powers{1};
  for (int i = 1; i <= kMaxShift; ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

struct Number {
  int64_t n = 0, exp = 0;
  bool negative = false;
  Wide Shifted(int64_t low) const {
    const Wide wide = static_cast<Wide>(n) * kPowers[exp - low];
    return negative ? -wide : wide;
  }
};

// The list `_now` of the class of `v`; nullptr: no number of decimal.
List* NowOf(Vm& vm, Value v, String* name) {
  if (!Is(v, Type::kInstance) || As<Instance>(v)->shape->count < kParts) return nullptr;
  const Value now = vm.FindInClass(As<Instance>(v)->cls(), name);
  return IsExact(now, Type::kList) && As<List>(now)->size == 2 ? As<List>(now) : nullptr;
}

// false: it has a special value, or is large.
bool Read(Vm& vm, Value v, const List* now, String* name, Number* out) {
  if (IsInt(v)) {
    if (!IntToInt64(v, &out->n) || out->n == INT64_MIN) return false;
    out->negative = out->n < 0;
    out->n = std::abs(out->n);
    return true;
  }
  if (NowOf(vm, v, name) != now) return false;
  const Value* slots = As<Instance>(v)->slots;
  if (!slots[kExp].IsSmallInt() || !IsStr(slots[kSpecial]) ||
      As<String>(slots[kSpecial])->size != 0 || !IsInt(slots[kN]) ||
      !IntToInt64(slots[kN], &out->n) || out->n < 0)
    return false;
  out->exp = slots[kExp].AsSmallInt();
  out->negative = slots[kSign].IsTrue() || slots[kSign] == Value::SmallInt(1);
  return out->exp >= -kMaxExp && out->exp <= kMaxExp;
}

// Empty and nothing pending: not simple.
Value Made(Vm& vm, const Value like, const List* now, Wide n, int64_t exp, bool negative) {
  const Value cls = now->items[1], prec = now->items[0];
  if (!Is(cls, Type::kClass) || As<Class>(cls)->layout != Type::kInstance ||
      As<Class>(cls)->members < kParts || !prec.IsSmallInt())
    return Value();
  const int64_t digits = std::clamp<int64_t>(prec.AsSmallInt(), 0, kMaxShift);
  if (digits == 0 || n >= kPowers[digits]) return Value();
  const Value whole = vm.NewInt(static_cast<int64_t>(n));
  const Value made = whole.empty() ? whole : NewInstance(vm, As<Class>(cls));
  if (made.empty()) return made;
  Value* slots = As<Instance>(made)->slots;
  slots[kExp] = Value::SmallInt(exp);
  slots[kN] = whole;
  slots[kSign] = Value::SmallInt(negative);
  slots[kSpecial] = As<Instance>(like)->slots[kSpecial];
  return made;
}

enum class Act { kAdd, kSub, kMul, kEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

Value Compared(Act act, const Number& a, const Number& b, int64_t low) {
  const Wide x = a.Shifted(low), y = b.Shifted(low);
  return Value::Bool(act == Act::kEqual       ? x == y
                     : act == Act::kLess      ? x < y
                     : act == Act::kLessEqual ? x <= y
                     : act == Act::kGreater   ? x > y
                                              : x >= y);
}

// Empty and nothing pending: not simple.
Value Quick(Vm& vm, Act act, bool reflected, Value self, Value other) {
  String* name = vm.Intern("_now");
  List* now = name == nullptr ? nullptr : NowOf(vm, self, name);
  Number a, b;
  if (now == nullptr || !Read(vm, self, now, name, &a) || !Read(vm, other, now, name, &b))
    return Value();
  if (reflected) std::swap(a, b);
  if (act == Act::kMul)
    return Made(vm, self, now, static_cast<Wide>(a.n) * b.n, a.exp + b.exp,
                a.negative != b.negative);
  const int64_t low = std::min(a.exp, b.exp);
  if (std::max(a.exp, b.exp) - low > kMaxShift) return Value();
  if (act >= Act::kEqual) return Compared(act, a, b, low);
  if (act == Act::kSub) b.negative = !b.negative;
  const Wide sum = a.Shifted(low) + b.Shifted(low);
  if (sum == 0) return Value();  // its sign depends on the rounding
  return Made(vm, self, now, sum < 0 ? -sum : sum, low, sum < 0);
}

Value OperateAs(Vm& vm, Args& args, Act act, bool reflected, size_t slow) {
  static constexpr const char* kSlow[] = {"_slow_add", "_slow_radd", "_slow_sub", "_slow_rsub",
                                          "_slow_mul", "_slow_rmul", "_slow_eq",  "_slow_lt",
                                          "_slow_le",  "_slow_gt",   "_slow_ge"};
  if (!Expect(vm, args, "operator", 2, 2)) return Value();
  const Value quick = Quick(vm, act, reflected, args[0], args[1]);
  if (!quick.empty() || vm.failed()) return quick;
  Roots roots(vm);
  String* name = vm.Intern(kSlow[slow]);
  const Value method = name == nullptr ? Value() : roots.Add(vm.GetAttribute(args[0], name));
  return method.empty() ? method : vm.Call(method, args.args + 1, 1);
}
template <Act kAct, bool kReflected, size_t kName>
Value Operate(Vm& vm, Args& args) {
  return OperateAs(vm, args, kAct, kReflected, kName);
}

// parse(text): sign, digits and exponent of a number written plainly with few digits, else None.
Value Parse(Vm& vm, Args& args) {
  if (!Expect(vm, args, "parse", 1, 1) || !IsStr(args[0])) return Value::None();
  const std::string_view text = Text(args[0]);
  size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) ++at;
  int64_t n = 0, exp = 0;
  size_t digits = 0;
  bool point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++digits > kMaxShift) return Value::None();
    n = n * 10 + (c - '0');
    exp -= point;
  }
  if (digits == 0) return Value::None();
  const Value parts[] = {Value::SmallInt(negative), vm.NewInt(n), Value::SmallInt(exp)};
  return parts[1].empty() ? parts[1] : vm.NewTuple(parts, 3);
}

constexpr BuiltinRow kRows[] = {{"add", Operate<Act::kAdd, false, 0>, true},
                                {"eq", Operate<Act::kEqual, false, 6>, true},
                                {"ge", Operate<Act::kGreaterEqual, false, 10>, true},
                                {"gt", Operate<Act::kGreater, false, 9>, true},
                                {"le", Operate<Act::kLessEqual, false, 8>, true},
                                {"lt", Operate<Act::kLess, false, 7>, true},
                                {"mul", Operate<Act::kMul, false, 4>, true},
                                {"radd", Operate<Act::kAdd, true, 1>, true},
                                {"rmul", Operate<Act::kMul, true, 5>, true},
                                {"rsub", Operate<Act::kSub, true, 3>, true},
                                {"sub", Operate<Act::kSub, false, 2>, true}};
constexpr BuiltinRow kFunctions[] = {{"parse", Parse}};

}  // namespace

Value MakeDec(Vm& vm) {
  const Value module = MakeModule(vm, "_dec", kFunctions);
  for (const BuiltinRow& row : kRows) {
    const Value native =
        module.empty() ? module : vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty()) return native;
    As<Native>(native)->owner = vm.classes[kObjectClass];
    if (!vm.SetVariable(As<Module>(module), row.name, native)) return Value();
  }
  return module;
}

}  // namespace ferry::vm
