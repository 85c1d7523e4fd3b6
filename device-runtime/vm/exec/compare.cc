#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/text/search.h"

namespace ferry::vm {
namespace {

// Deep structures compare by recursion: one level of it.
struct Level {
  Level(Vm& v, Value a, Value b) : vm(v), roots(v) {
    if (++vm.native_depth > kMaxNativeDepth)
      vm.Fatal(Code::kScriptDepth, "values are nested too deeply to compare");
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

bool DictsEqual(Vm& vm, Dict* a, Dict* b, bool values, bool* equal) {
  *equal = a->count == b->count;
  for (uint32_t i = 0; i < a->used && *equal; ++i) {
    const Entry entry = a->entries[i];
    if (entry.key.empty()) continue;
    bool failed = false;
    Roots roots(vm);
    roots.Add(entry.value);
    Value* other = vm.DictFind(b, entry.key, &failed);
    if (failed) return false;
    *equal = other != nullptr;
    if (*equal && values && !vm.Equal(entry.value, *other, equal)) return false;
  }
  return true;
}

bool IsNumber(Value v) {
  return v.IsFloat() || IsInt(v);
}

// -1, 0, 1; 2 when a NaN is in it.
int CompareNumbers(Value a, Value b) {
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
  if (small->count > large->count || (strict && small->count == large->count))
    return Value::Bool(false);
  for (uint32_t i = 0; i < small->used; ++i) {
    bool failed = false;
    if (small->entries[i].key.empty()) continue;
    if (vm.DictFind(large, small->entries[i].key, &failed) == nullptr)
      return failed ? Value() : Value::Bool(false);
  }
  return Value::Bool(true);
}

}  // namespace

bool Vm::Equal(Value a, Value b, bool* equal) {
  *equal = false;
  if (a == b && !a.IsFloat()) {
    *equal = true;
    return true;
  }
  if (IsNumber(a) && IsNumber(b)) {
    *equal = CompareNumbers(a, b) == 0;
    return true;
  }
  if (IsStr(a) && IsStr(b)) {
    *equal = Text(a) == Text(b);
    return true;
  }
  Level level(*this, a, b);
  if (failed()) return false;
  const Type x = a.IsObject() ? a.object()->type : Type::kFree;
  const Type y = b.IsObject() ? b.object()->type : Type::kFree;
  const auto method = [&](Value self, Value other) {
    bool found = false;
    if (!Is(self, Type::kInstance) && !Is(self, Type::kNativeObject) && !Is(self, Type::kException))
      return false;
    Value result = CallSpecial(self, names.eq, &other, 1, &found);
    if (!found || result == not_implemented) return false;
    if (!result.empty()) Truth(result, equal);
    return true;
  };
  if (method(a, b) || method(b, a)) return !failed();
  if (IsSet(a) && IsSet(b)) return DictsEqual(*this, As<Dict>(a), As<Dict>(b), false, equal);
  if (x != y) return true;
  switch (x) {
    case Type::kString:
    case Type::kBytes:
      *equal = BytesOf(a) == BytesOf(b);
      return true;
    case Type::kList:
    case Type::kTuple: {
      *equal = ItemsOf(a).size() == ItemsOf(b).size();
      for (size_t i = 0; *equal && i < ItemsOf(a).size() && i < ItemsOf(b).size(); ++i)
        if (!Equal(ItemsOf(a)[i], ItemsOf(b)[i], equal)) return false;
      return true;
    }
    case Type::kDict:
      return DictsEqual(*this, As<Dict>(a), As<Dict>(b), true, equal);
    case Type::kRange: {
      auto *r = As<Range>(a), *s = As<Range>(b);
      *equal = r->length == s->length &&
               (r->length == 0 || (r->start == s->start && (r->length == 1 || r->step == s->step)));
      return true;
    }
    case Type::kBoundMethod:
      *equal = As<BoundMethod>(a)->self == As<BoundMethod>(b)->self &&
               As<BoundMethod>(a)->function == As<BoundMethod>(b)->function;
      return true;
    default:
      return true;
  }
}

Value Vm::Compare(int op, Value a, Value b) {
  if (op == static_cast<int>(Operator::kEqual) || op == static_cast<int>(Operator::kNotEqual)) {
    const bool negate = op == static_cast<int>(Operator::kNotEqual);
    bool found = false;
    if (Is(a, Type::kInstance) || Is(a, Type::kNativeObject)) {
      Value result = CallSpecial(a, negate ? names.ne : names.eq, &b, 1, &found);
      if (found && result != not_implemented) return result;
    }
    bool equal;
    if (!Equal(a, b, &equal)) return Value();
    return Value::Bool(equal != negate);
  }
  if (IsNumber(a) && IsNumber(b)) {
    const int order = CompareNumbers(a, b);
    return Value::Bool(order != 2 && Ordered(op, order));
  }
  Level level(*this, a, b);
  if (failed()) return Value();
  const Type x = a.IsObject() ? a.object()->type : Type::kFree;
  const Type y = b.IsObject() ? b.object()->type : Type::kFree;
  if (x == y && (x == Type::kString || x == Type::kBytes)) {
    const int order = BytesOf(a).compare(BytesOf(b));
    return Value::Bool(Ordered(op, order));
  }
  if (x == y && (x == Type::kList || x == Type::kTuple)) {
    size_t i = 0;
    for (; i < ItemsOf(a).size() && i < ItemsOf(b).size(); ++i) {
      bool equal;
      if (!Equal(ItemsOf(a)[i], ItemsOf(b)[i], &equal)) return Value();
      if (!equal && i < ItemsOf(a).size() && i < ItemsOf(b).size())
        return Compare(op, ItemsOf(a)[i], ItemsOf(b)[i]);
    }
    const size_t n = ItemsOf(a).size(), m = ItemsOf(b).size();
    return Value::Bool(Ordered(op, n < m ? -1 : n > m));
  }
  if (IsSet(a) && IsSet(b)) return Subset(*this, op, a, b);
  String* const forward[] = {names.lt, names.le, names.gt, names.ge};
  String* const backward[] = {names.gt, names.ge, names.lt, names.le};
  const int k = op - static_cast<int>(Operator::kLess);
  bool found;
  Value result = CallSpecial(a, forward[k], &b, 1, &found);
  if (found && result != not_implemented) return result;
  result = CallSpecial(b, backward[k], &a, 1, &found);
  if (found && result != not_implemented) return result;
  if (failed()) return Value();
  static constexpr const char* kText[] = {"<", "<=", ">", ">="};
  return Throw(Error::kTypeError, "'{}' not supported between instances of '{}' and '{}'", kText[k],
               TypeName(a), TypeName(b));
}

bool Vm::Less(Value a, Value b, bool* less) {
  Value result = Compare(static_cast<int>(Operator::kLess), a, b);
  return !result.empty() && Truth(result, less);
}

bool Vm::Contains(Value container, Value item, bool* contains) {
  *contains = false;
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
  int64_t i;
  if (Is(container, Type::kRange) && SmallOf(item, &i)) {
    auto* range = As<Range>(container);
    *contains = range->length > 0 &&
                (range->step > 0 ? i >= range->start && i < range->stop
                                 : i <= range->start && i > range->stop) &&
                (i - range->start) % range->step == 0;
    return true;
  }
  if (Is(container, Type::kList) || Is(container, Type::kTuple)) {
    for (size_t k = 0; k < ItemsOf(container).size() && !*contains; ++k) {
      if (!Equal(ItemsOf(container)[k], item, contains)) return false;
      if ((k & 63) == 63 && !ChargeSteps(8)) return false;
    }
    return true;
  }
  bool found;
  Value result = CallSpecial(container, names.contains, &item, 1, &found);
  if (found) return !result.empty() && Truth(result, contains);
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
