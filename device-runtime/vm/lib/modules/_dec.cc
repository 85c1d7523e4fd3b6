// _dec: what lib/py/decimal.py does most often, for numbers of few digits.
// Its objects keep their parts in slots, in the order of their names; scripts may write into these,
// so nothing here trusts them. Whatever is not simple goes to the method of the same name behind
// "_slow". `_now` of the class is a list: the precision while simple results are within every limit
// of the context, else 0; the class of results; and while the context rounds half to even a tuple
// of its flags, its traps, Inexact and Rounded, else None.
#include <array>

#include "device-runtime/vm/exec/classes/shape.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/operand.h"

namespace ferry::vm {
namespace {

using Wide = __int128;
using Magnitude = unsigned __int128;
constexpr int kExp = 0, kN = 1, kSign = 2, kSpecial = 3, kParts = 4;
constexpr int64_t kMaxExp = 1000;  // limits that make a list's precision 0 are far from it
constexpr int kMaxShift = 18;
constexpr int64_t kMaxDigits = 38;  // of results before they are rounded

constexpr auto kPowers = [] {
  std::array<int64_t, kMaxShift + 1> powers{1};
  for (int i = 1; i <= kMaxShift; ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

Magnitude Power(int64_t exponent) {
  Magnitude power = 1;
  for (; exponent > kMaxShift; exponent -= kMaxShift)
    power *= static_cast<uint64_t>(kPowers.back());
  return power * static_cast<uint64_t>(kPowers[exponent]);
}
int64_t Digits(Magnitude n) {
  int64_t digits = 1;
  while (digits < kMaxDigits && n >= Power(digits)) ++digits;
  return digits;
}

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
  return IsExact(now, Type::kList) && As<List>(now)->size == 3 ? As<List>(now) : nullptr;
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
  const int64_t digits = std::clamp<int64_t>(prec.AsSmallInt(), 0, kMaxDigits);
  if (digits == 0 || static_cast<Magnitude>(n) >= Power(digits)) return Value();
  const Value whole = IntOfWide(vm, n);
  const Value made = whole.empty() ? whole : NewInstance(vm, As<Class>(cls));
  if (made.empty()) return made;
  Value* slots = As<Instance>(made)->slots;
  slots[kExp] = Value::SmallInt(exp);
  slots[kN] = whole;
  slots[kSign] = Value::SmallInt(negative);
  slots[kSpecial] = As<Instance>(like)->slots[kSpecial];
  return made;
}

// Notes in the flags of the context that a result was rounded. Empty and nothing pending: the
// context rounds in another way than expected, or raises.
Value Signal(Vm& vm, Value state, bool inexact, bool any_rounding) {
  if (!IsExact(state, Type::kTuple) || As<Tuple>(state)->size != 5) return Value();
  const Value* items = As<Tuple>(state)->items;
  if (!IsExact(items[0], Type::kDict) || !IsExact(items[1], Type::kDict) ||
      !(any_rounding || items[4].IsTrue()))
    return Value();
  Roots roots(vm);
  roots.Add(state);
  for (int i = inexact ? 2 : 3; i < 4; ++i) {
    bool failed = false;
    const Value* trap = vm.DictFind(As<Dict>(items[1]), items[i], &failed);
    if (trap == nullptr || !trap->IsFalse()) return Value();
  }
  for (int i = inexact ? 2 : 3; i < 4; ++i)
    if (!vm.DictSet(As<Dict>(items[0]), items[i], Value::Bool(true))) return Value();
  return Value::None();
}

enum class Round { kHalfEven, kHalfUp, kDown };

// n without its last `cut` digits, behind which is more when `more`; *inexact: those were not zero.
Magnitude Cut(Magnitude n, int64_t cut, bool more, Round round, bool* inexact) {
  const Magnitude unit = Power(cut), rest = n % unit;
  n /= unit;
  *inexact = rest != 0 || more;
  const bool tie = 2 * rest == unit && !more, above = 2 * rest >= unit && !tie;
  if (round == Round::kDown) return n;
  return n + (above || (tie && (round == Round::kHalfUp || (n & 1) != 0)));
}

// n with at most `prec` digits. `more`: digits that are not zero are left behind it.
Value Fitted(Vm& vm, Value like, const List* now, Magnitude n, int64_t exp, bool negative,
             bool more) {
  const Value prec = now->items[0], state = now->items[2];
  const int64_t cut = prec.IsSmallInt() ? Digits(n) - prec.AsSmallInt() : 0;
  if (cut > 0) {
    bool inexact;
    n = Cut(n, cut, more, Round::kHalfEven, &inexact);
    exp += cut;
    if (Digits(n) > prec.AsSmallInt()) {
      n /= 10;
      ++exp;
    }
    if (prec.AsSmallInt() < 1 || Signal(vm, state, inexact, false).empty()) return Value();
  }
  return Made(vm, like, now, static_cast<Wide>(n), exp, negative);
}

Value Divided(Vm& vm, Value like, const List* now, const Number& a, const Number& b) {
  if (a.n == 0 || b.n == 0 || !now->items[0].IsSmallInt()) return Value();
  const int64_t prec = now->items[0].AsSmallInt(), divisor = Digits(static_cast<Magnitude>(b.n));
  if (prec < 1 || prec + 1 + divisor > kMaxDigits) return Value();
  const int64_t shift = divisor - Digits(static_cast<Magnitude>(a.n)) + prec + 1;
  if (shift < 0) return Value();
  const Magnitude n = static_cast<Magnitude>(a.n) * Power(shift);
  Magnitude quotient = n / static_cast<Magnitude>(b.n);
  const bool more = quotient * static_cast<Magnitude>(b.n) != n;
  int64_t exp = a.exp - b.exp - shift;
  for (; !more && exp < a.exp - b.exp && quotient % 10 == 0; ++exp) quotient /= 10;
  return Fitted(vm, like, now, quotient, exp, a.negative != b.negative, more);
}

enum class Act { kAdd, kSub, kMul, kDiv, kEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

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
    return Fitted(vm, self, now, static_cast<Magnitude>(a.n) * static_cast<Magnitude>(b.n),
                  a.exp + b.exp, a.negative != b.negative, false);
  if (act == Act::kDiv) return Divided(vm, self, now, a, b);
  const int64_t low = std::min(a.exp, b.exp);
  if (std::max(a.exp, b.exp) - low > kMaxShift) return Value();
  if (act >= Act::kEqual) return Compared(act, a, b, low);
  if (act == Act::kSub) b.negative = !b.negative;
  const Wide sum = a.Shifted(low) + b.Shifted(low);
  if (sum == 0) return Value();  // its sign depends on the rounding
  return Fitted(vm, self, now, static_cast<Magnitude>(sum < 0 ? -sum : sum), low, sum < 0, false);
}

Value OperateAs(Vm& vm, Args& args, Act act, bool reflected, size_t slow) {
  static constexpr const char* kSlow[] = {
      "_slow_add",  "_slow_radd",    "_slow_sub",     "_slow_rsub", "_slow_mul",
      "_slow_rmul", "_slow_eq",      "_slow_lt",      "_slow_le",   "_slow_gt",
      "_slow_ge",   "_slow_truediv", "_slow_rtruediv"};
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

// quantize(number, exponent, rounding): Empty and nothing pending: not simple.
Value QuickQuantize(Vm& vm, const Args& args) {
  String* name = vm.Intern("_now");
  List* now = name == nullptr ? nullptr : NowOf(vm, args[0], name);
  Number a, b;
  if (now == nullptr || !Read(vm, args[0], now, name, &a) || !Read(vm, args[1], now, name, &b))
    return Value();
  Round round = Round::kHalfEven;
  const bool given = args.count + args.keywords() > 2;
  if (given) {
    const Value rounding = args.args[2];
    if (args.keywords() > 0 && Text(args.names->items[0]) != "rounding") return Value();
    if (!IsStr(rounding)) return Value();
    if (Text(rounding) == "ROUND_HALF_UP") {
      round = Round::kHalfUp;
    } else if (Text(rounding) == "ROUND_DOWN") {
      round = Round::kDown;
    } else if (Text(rounding) != "ROUND_HALF_EVEN") {
      return Value();
    }
  }
  const int64_t cut = b.exp - a.exp;
  if (std::abs(cut) > kMaxShift) return Value();
  auto n = static_cast<Magnitude>(a.n);
  if (cut <= 0) {
    n *= Power(-cut);
  } else if (n != 0) {
    bool inexact;
    n = Cut(n, cut, false, round, &inexact);
    const Value prec = now->items[0];
    if (!prec.IsSmallInt() || Digits(n) > prec.AsSmallInt() ||
        Signal(vm, now->items[2], inexact, given).empty())
      return Value();
  }
  return Made(vm, args[0], now, static_cast<Wide>(n), b.exp, a.negative);
}
Value Quantize(Vm& vm, Args& args) {
  if (args.count >= 2 && args.count + args.keywords() <= 3) {
    const Value quick = QuickQuantize(vm, args);
    if (!quick.empty() || vm.failed()) return quick;
  }
  Roots roots(vm);
  String* name = args.count == 0 ? nullptr : vm.Intern("_slow_quantize");
  const Value method = name == nullptr ? Value() : roots.Add(vm.GetAttribute(args[0], name));
  return method.empty() ? method : vm.Call(method, args.args + 1, args.count - 1, args.names);
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
                                {"div", Operate<Act::kDiv, false, 11>, true},
                                {"eq", Operate<Act::kEqual, false, 6>, true},
                                {"ge", Operate<Act::kGreaterEqual, false, 10>, true},
                                {"gt", Operate<Act::kGreater, false, 9>, true},
                                {"le", Operate<Act::kLessEqual, false, 8>, true},
                                {"lt", Operate<Act::kLess, false, 7>, true},
                                {"mul", Operate<Act::kMul, false, 4>, true},
                                {"quantize", Quantize, true},
                                {"radd", Operate<Act::kAdd, true, 1>, true},
                                {"rdiv", Operate<Act::kDiv, true, 12>, true},
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
