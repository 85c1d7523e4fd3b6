#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/collections/view.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/operators/hash.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/complex.h"
#include "device-runtime/vm/text/search.h"

namespace ferry::vm {
namespace {

// Deep structures compare by recursion: one level of it.
struct Level {
  [[gnu::noinline]] Level(Vm& v, Value a, Value b) : vm(v), roots(v) {
    if (++vm.native_depth > kMaxNativeDepth) vm.TooDeep(" in comparison");
    vm.ChargeSteps(1);  // shared parts compare once for each way to them
    roots.Add(a);       // __eq__ may take them out of where they are
    roots.Add(b);
  }
  ~Level() { --vm.native_depth; }
  Vm& vm;
  Roots roots;
};

std::string_view BytesOf(Value v) {
  return IsStr(v) ? Text(v) : As<BytesObject>(v)->view();
}

std::span<const Value> ItemsOf(Value v) {
  if (Is(v, Type::kList)) return {As<List>(v)->items, As<List>(v)->size};
  return {As<Tuple>(v)->items, As<Tuple>(v)->size};
}

bool Ordered(int op, int order) {
  switch (static_cast<Operator>(op)) {
    case Operator::kLess:
      return order < 0;
    case Operator::kLessEqual:
      return order <= 0;
    case Operator::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

// Where two sequences first differ, as far as that is plain to see: how many items are equal;
// *known: whether the next ones, if both have one, are sure to differ.
[[gnu::noinline]] size_t QuickPrefix(std::span<const Value> a, std::span<const Value> b,
                                     bool* known) {
  const size_t both = std::min(a.size(), b.size());
  *known = true;
  bool equal = true;
  for (size_t i = 0; i < both; ++i) {
    if (a[i] == b[i]) continue;
    *known = QuickEqual(a[i], b[i], &equal);
    if (!*known || !equal) return i;
  }
  return both;
}

bool DictsEqual(Vm& vm, Dict* a, Dict* b, bool values, bool* equal) {
  *equal = a->count == b->count;
  if (*equal && !vm.ChargeSteps(a->count / 4)) return false;
  for (uint32_t i = 0; i < a->used && *equal; ++i) {
    const Entry entry = a->entries[i];
    if (entry.key.empty()) continue;
    bool failed = false;
    if (!values && a->type != Type::kDict && b->type != Type::kDict) {
      *equal = SetHas(vm, b, entry, &failed);
      if (failed) return false;
      continue;
    }
    Roots roots(vm);
    roots.Add(entry.value);
    Value* other = vm.DictFind(b, entry.key, &failed);
    if (failed) return false;
    *equal = other != nullptr;
    if (*equal && values && !SameOrEqual(vm, entry.value, *other, equal)) return false;
  }
  return true;
}

bool IsNumber(Value v) {
  return v.IsFloat() || IsInt(v);
}

// -1, 0, 1; 2 when a NaN is in it.
[[gnu::noinline]] int CompareNumbers(Value a, Value b) {
  if (a.IsFloat() && b.IsFloat()) {
    const double x = a.AsFloat(), y = b.AsFloat();
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
  }
  if (a.IsFloat()) return a.AsFloat() != a.AsFloat() ? 2 : -CompareIntDouble(b, a.AsFloat());
  if (b.IsFloat()) return b.AsFloat() != b.AsFloat() ? 2 : CompareIntDouble(a, b.AsFloat());
  return IntCompare(a, b);
}

Value Subset(Vm& vm, int op, Value a, Value b) {
  const bool swap =
      op == static_cast<int>(Operator::kGreater) || op == static_cast<int>(Operator::kGreaterEqual);
  auto *small = As<Dict>(swap ? b : a), *large = As<Dict>(swap ? a : b);
  const bool strict =
      op == static_cast<int>(Operator::kLess) || op == static_cast<int>(Operator::kGreater);
  if (!vm.ChargeSteps(small->count / 4)) return Value();
  if (small->count > large->count || (strict && small->count == large->count))
    return Value::Bool(false);
  for (uint32_t i = 0; i < small->used; ++i) {
    bool failed = false;
    const Entry entry = small->entries[i];
    if (entry.key.empty()) continue;
    if (!SetHas(vm, large, entry, &failed)) return failed ? Value() : Value::Bool(false);
  }
  return Value::Bool(true);
}

// As tuples of their parts.
Value CompareSlices(Vm& vm, int op, Value a, Value b) {
  Roots roots(vm);
  Value parts[2];
  for (int i = 0; i < 2; ++i) {
    const auto* slice = As<Slice>(i == 0 ? a : b);
    const Value items[] = {slice->start, slice->stop, slice->step};
    parts[i] = roots.Add(vm.NewTuple(items, 3));
    if (parts[i].empty()) return Value();
  }
  return vm.Compare(op, parts[0], parts[1]);
}

}  // namespace

bool Vm::EqualPlain(Value a, Value b, bool* equal) {
  a = Plain(a);
  b = Plain(b);
  *equal = false;
  if (a == b && !a.IsFloat() && !IsComplex(a)) {
    *equal = true;
    return true;
  }
  if (IsNumber(a) && IsNumber(b)) {
    *equal = CompareNumbers(a, b) == 0;
    return true;
  }
  if (IsStr(a) && IsStr(b)) {
    *equal = Text(a) == Text(b);
    return Text(a).size() != Text(b).size() ||
           ChargeSteps(static_cast<int64_t>(Text(a).size() / 64));
  }
  if (Is(a, Type::kBytes) && Is(b, Type::kBytes)) {
    const std::string_view x = BytesOf(a), y = BytesOf(b);
    *equal = x == y;
    return x.size() != y.size() || ChargeSteps(static_cast<int64_t>(x.size() / 64));
  }
  if (IsComplex(a) || IsComplex(b)) {
    const Value other = IsComplex(a) ? b : a;
    if (IsComplex(other) || IsNumber(other)) {
      auto* c = As<Complex>(IsComplex(a) ? a : b);
      *equal =
          IsComplex(other)
              ? c->real == As<Complex>(other)->real && c->imaginary == As<Complex>(other)->imaginary
              : c->imaginary == 0 && CompareNumbers(Value::Float(c->real), other) == 0;
      return true;
    }
  }
  if (IsBytesLike(a) && IsBytesLike(b) && !(Is(a, Type::kBytes) && Is(b, Type::kBytes))) {
    int order;
    if (!BufferCompare(*this, a, b, true, &order)) return false;
    *equal = order == 0;
    return true;
  }
  const Type x = a.IsObject() ? a.object()->type : Type::kFree;
  const Type y = b.IsObject() ? b.object()->type : Type::kFree;
  size_t first = 0;  // items before it are equal
  if (x == y && (x == Type::kList || x == Type::kTuple)) {
    const auto p = ItemsOf(a), q = ItemsOf(b);
    if (p.size() != q.size()) return ChargeSteps(1);
    bool known;
    first = QuickPrefix(p, q, &known);
    if (known) {
      *equal = first == p.size();
      return ChargeSteps(static_cast<int64_t>(1 + first / 8));
    }
  }
  Level level(*this, a, b);
  if (failed()) return false;
  if (IsSet(a) && IsSet(b)) return DictsEqual(*this, As<Dict>(a), As<Dict>(b), false, equal);
  if (x != y) return true;
  switch (x) {
    case Type::kString:
    case Type::kBytes:
      *equal = BytesOf(a) == BytesOf(b);
      return ChargeSteps(static_cast<int64_t>(BytesOf(a).size() / 64));
    case Type::kList:
    case Type::kTuple: {
      *equal = ItemsOf(a).size() == ItemsOf(b).size();
      if (*equal && !ChargeSteps(static_cast<int64_t>(ItemsOf(a).size() / 8))) return false;
      for (size_t i = first; *equal && i < ItemsOf(a).size() && i < ItemsOf(b).size(); ++i)
        if (!SameOrEqual(*this, ItemsOf(a)[i], ItemsOf(b)[i], equal)) return false;
      return true;
    }
    case Type::kDict:
      return DictsEqual(*this, As<Dict>(a), As<Dict>(b), true, equal);
    case Type::kSlice: {
      const Value same = CompareSlices(*this, static_cast<int>(Operator::kEqual), a, b);
      *equal = same.IsTrue();
      return !same.empty();
    }
    case Type::kRange: {
      auto *r = As<Range>(a), *s = As<Range>(b);
      if (IsWide(r) || IsWide(s)) return RangesEqual(*this, r, s, equal);
      *equal = r->length == s->length &&
               (r->length == 0 || (r->start == s->start && (r->length == 1 || r->step == s->step)));
      return true;
    }
    case Type::kAlias:
      return AliasEqual(*this, As<Alias>(a), As<Alias>(b), equal);
    case Type::kBoundMethod:
      *equal = As<BoundMethod>(a)->self == As<BoundMethod>(b)->self &&
               As<BoundMethod>(a)->function == As<BoundMethod>(b)->function;
      return true;
    default:
      return true;
  }
}

static bool IsEquality(int op) {
  return op == static_cast<int>(Operator::kEqual) || op == static_cast<int>(Operator::kNotEqual);
}

// Whether == of built-in types says anything about the two.
static bool SameKind(Value a, Value b) {
  if (IsComplex(a) || IsComplex(b))
    return (IsComplex(a) || IsNumber(a)) && (IsComplex(b) || IsNumber(b));
  if (IsNumber(a) || IsNumber(b)) return IsNumber(a) && IsNumber(b);
  if (IsSet(a) || IsSet(b)) return IsSet(a) && IsSet(b);
  if (!a.IsObject() || !b.IsObject()) return false;
  if (Is(a, Type::kInstance) || Is(a, Type::kNativeObject)) return false;
  if (IsBytesLike(a) && IsBytesLike(b)) return true;
  return a.object()->type == b.object()->type;
}

Value Vm::ComparePlain(int op, Value a, Value b) {
  a = Plain(a);
  b = Plain(b);
  if (IsSetView(a) || IsSetView(b)) return ViewCompare(*this, op, a, b);
  if (IsView(a, ViewKind::kProxy)) return Compare(op, As<View>(a)->source, b);
  if (IsEquality(op)) {
    bool equal;
    if (!SameKind(a, b)) return not_implemented;
    if (!EqualPlain(a, b, &equal)) return Value();
    return Value::Bool(equal == (op == static_cast<int>(Operator::kEqual)));
  }
  if (IsNumber(a) && IsNumber(b)) {
    const int order = CompareNumbers(a, b);
    return Value::Bool(order != 2 && Ordered(op, order));
  }
  const Type x = a.IsObject() ? a.object()->type : Type::kFree;
  const Type y = b.IsObject() ? b.object()->type : Type::kFree;
  size_t first = 0;  // items before it are equal
  if (x == y && (x == Type::kList || x == Type::kTuple)) {
    const auto p = ItemsOf(a), q = ItemsOf(b);
    bool known, truth;
    first = QuickPrefix(p, q, &known);
    if (known && !ChargeSteps(static_cast<int64_t>(1 + first / 8))) return Value();
    if (known && first == std::min(p.size(), q.size()))
      return Value::Bool(Ordered(op, p.size() < q.size() ? -1 : p.size() > q.size()));
    if (known && QuickOrder(static_cast<Operator>(op), p[first], q[first], &truth))
      return Value::Bool(truth);
  }
  Level level(*this, a, b);
  if (failed()) return Value();
  if (x == y && (x == Type::kString || x == Type::kBytes)) {
    const int order = BytesOf(a).compare(BytesOf(b));
    const size_t size = std::min(BytesOf(a).size(), BytesOf(b).size());
    if (!ChargeSteps(static_cast<int64_t>(size / 64))) return Value();
    return Value::Bool(Ordered(op, order));
  }
  if (IsBytesLike(a) && IsBytesLike(b)) {
    int order;
    if (!BufferCompare(*this, a, b, false, &order)) return Value();
    if (order != 2) return Value::Bool(Ordered(op, order));
  }
  if (x == y && (x == Type::kList || x == Type::kTuple)) {
    for (size_t i = first; i < ItemsOf(a).size() && i < ItemsOf(b).size(); ++i) {
      bool equal;
      if (!SameOrEqual(*this, ItemsOf(a)[i], ItemsOf(b)[i], &equal)) return Value();
      if (!equal && i < ItemsOf(a).size() && i < ItemsOf(b).size())
        return Compare(op, ItemsOf(a)[i], ItemsOf(b)[i]);
    }
    const size_t n = ItemsOf(a).size(), m = ItemsOf(b).size();
    return Value::Bool(Ordered(op, n < m ? -1 : n > m));
  }
  if (IsSet(a) && IsSet(b)) return Subset(*this, op, a, b);
  if (x == y && x == Type::kSlice) return CompareSlices(*this, op, a, b);
  return not_implemented;
}

// One side's answer: its class's method, else what the built-in types say.
[[gnu::noinline]] static Value Attempt(Vm& vm, int op, int mirrored, Value self, Value other,
                                       bool* plain) {
  const auto& n = vm.names;
  String* const methods[] = {n.lt, n.le, n.gt, n.ge, n.eq, n.ne};
  bool found = false;
  Value result;
  if (HasMethods(self)) {
    Class* cls = vm.ClassOf(self);
    String* name = methods[mirrored - static_cast<int>(Operator::kLess)];
    if (name == n.ne && !Derived(self) && vm.FindSpecial(cls, name).empty() &&
        !vm.FindSpecial(cls, n.eq).empty()) {
      result = vm.CallSpecial(self, n.eq, &other, 1, &found);
      if (found && !result.empty() && result != vm.not_implemented) {
        bool truth;
        return vm.Truth(result, &truth) ? Value::Bool(!truth) : Value();
      }
    }
    if (!found) result = vm.CallSpecial(self, name, &other, 1, &found);
  }
  if (found || *plain) return found ? result : vm.not_implemented;
  *plain = true;
  return mirrored == op ? vm.ComparePlain(op, self, other) : vm.ComparePlain(op, other, self);
}

// Two lists or two tuples, as far as that is plain to see; empty: not so, or *failed.
static Value QuickSequences(Vm& vm, int op, Value a, Value b, bool* failed) {
  const auto p = ItemsOf(a), q = ItemsOf(b);
  bool known, truth;
  const size_t first = QuickPrefix(p, q, &known);
  if (!known) return Value();
  *failed = !vm.ChargeSteps(static_cast<int64_t>(1 + first / 8));
  if (*failed) return Value();
  if (IsEquality(op)) {
    const bool equal = first == p.size() && p.size() == q.size();
    return Value::Bool(equal == (op == static_cast<int>(Operator::kEqual)));
  }
  if (first == std::min(p.size(), q.size()))
    return Value::Bool(Ordered(op, p.size() < q.size() ? -1 : p.size() > q.size()));
  return QuickOrder(static_cast<Operator>(op), p[first], q[first], &truth) ? Value::Bool(truth)
                                                                           : Value();
}

Value Vm::Compare(int op, Value a, Value b, int skip) {
  if ((IsExact(a, Type::kTuple) || IsExact(a, Type::kList)) && IsExact(b, a.object()->type)) {
    bool failed = false;
    const Value quick = QuickSequences(*this, op, a, b, &failed);
    if (failed || !quick.empty()) return quick;
  }
  static_assert(static_cast<int>(Operator::kGreater) == static_cast<int>(Operator::kLess) + 2 &&
                static_cast<int>(Operator::kNotEqual) == static_cast<int>(Operator::kLess) + 5);
  const int less = static_cast<int>(Operator::kLess);
  const int mirrored = IsEquality(op) ? op : less + (op - less + 2) % 4;
  Value result = not_implemented;
  if (!HasMethods(a) && !HasMethods(b)) {
    result = ComparePlain(op, a, b);
  } else {
    Level level(*this, a, b);
    if (failed()) return Value();
    bool plain = false;
    Class *x = ClassOf(a), *y = ClassOf(b);
    const bool reflected = x != y && IsSubclass(y, x) && HasMethods(b);
    if (reflected) result = Attempt(*this, op, mirrored, b, a, &plain);
    if (result == not_implemented && skip == 0) result = Attempt(*this, op, op, a, b, &plain);
    if (result == not_implemented && !reflected)
      result = Attempt(*this, op, mirrored, b, a, &plain);
  }
  if (result != not_implemented) return result;
  if (IsEquality(op)) return Value::Bool((a == b) == (op == static_cast<int>(Operator::kEqual)));
  static constexpr const char* kText[] = {"<", "<=", ">", ">="};
  return Throw(Error::kTypeError, "'{}' not supported between instances of '{}' and '{}'",
               kText[op - less], TypeName(a), TypeName(b));
}

bool Vm::Less(Value a, Value b, bool* less) {
  if (QuickLess(a, b, less)) return true;
  Value result = Compare(static_cast<int>(Operator::kLess), a, b);
  return !result.empty() && Truth(result, less);
}

bool Vm::ContainsPlain(Value container, Value item, bool* contains) {
  *contains = false;
  if (IsExact(container, Type::kTuple) || IsExact(container, Type::kList)) {
    const auto items = ItemsOf(container);
    size_t k = 0;
    for (bool known = true; known && k < items.size() && k < 63; k += known) {
      *contains = items[k] == item;
      known = *contains || QuickEqual(items[k], item, contains);
      if (known && *contains) return true;
    }
    *contains = false;
    if (k == items.size()) return true;
  }
  if (IsSetView(container)) return ViewContains(*this, container, item, contains);
  if (IsView(container, ViewKind::kProxy))
    return Contains(As<View>(container)->source, item, contains);
  if (Is(container, Type::kDict) || IsSet(container)) {
    bool failed = false;
    *contains = DictFind(As<Dict>(container), item, &failed) != nullptr;
    return !failed;
  }
  if (IsStr(container)) {
    if (!IsStr(item)) {
      Throw(Error::kTypeError, "'in <string>' requires string as left operand, not {}",
            TypeName(item));
      return false;
    }
    size_t at;
    if (!FindText(*this, Text(container), Text(item), 0, false, &at)) return false;
    *contains = at != std::string_view::npos;
    return true;
  }
  if (IsBytesLike(container)) return BufferContains(*this, container, item, contains);
  int64_t i;
  if (Is(container, Type::kRange) &&
      (IsExact(item, Type::kBigInt) ||
       (IsWide(As<Range>(container)) && (item.IsSmallInt() || item.IsBool())))) {
    Value place;
    if (!RangePlace(*this, As<Range>(container), item, &place)) return false;
    *contains = !place.empty();
    return true;
  }
  if (Is(container, Type::kRange) && !IsWide(As<Range>(container)) && SmallOf(item, &i)) {
    auto* range = As<Range>(container);
    const bool up = range->step > 0;
    // Without signs: ends may be further apart than an int64_t says.
    const auto at = static_cast<uint64_t>(i), start = static_cast<uint64_t>(range->start);
    const auto step = static_cast<uint64_t>(range->step);
    *contains =
        range->length > 0 &&
        (up ? i >= range->start && i < range->stop : i <= range->start && i > range->stop) &&
        (up ? (at - start) % step : (start - at) % (0 - step)) == 0;
    return true;
  }
  if (Is(container, Type::kList) || Is(container, Type::kTuple)) {
    for (size_t k = 0; k < ItemsOf(container).size() && !*contains; ++k) {
      if (!SameOrEqual(*this, ItemsOf(container)[k], item, contains)) return false;
      if ((k & 63) == 63 && !ChargeSteps(8)) return false;
    }
    return true;
  }
  if (!HasMethods(container)) {
    bool found;
    Value result = CallSpecial(container, names.contains, &item, 1, &found);
    if (found) return !result.empty() && Truth(result, contains);
  }
  Roots roots(*this);
  Value iterator = Iterate(container);
  if (iterator.empty()) {
    if (TakePending(Error::kTypeError))
      Throw(Error::kTypeError, "argument of type '{}' is not iterable", TypeName(container));
    return false;
  }
  roots.Add(iterator);
  for (;;) {
    Value next = Next(iterator);
    if (next.empty()) return !failed();
    if (!Equal(next, item, contains)) return false;
    if (*contains) return true;
  }
}

}  // namespace ferry::vm
