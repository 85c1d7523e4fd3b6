// collections.deque: its methods.
#include <algorithm>

#include "device-runtime/vm/lib/modules/_deque/ring.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

Value Done(bool ok) {
  return ok ? Value::None() : Value();
}

bool Limit(Vm& vm, Value v, int64_t* limit) {
  *limit = -1;
  if (v.empty() || v.IsNone()) return true;
  if (!IsInt(v)) {
    vm.Raise(Error::kTypeError, "an integer is required");
    return false;
  }
  if (!vm.ToIndex(v, limit, "maxlen")) return false;
  if (*limit < 0) vm.Raise(Error::kValueError, "maxlen must be non-negative");
  *limit = std::min(*limit, Value::kMaxInt);
  return !vm.failed();
}

Value New(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"iterable", "maxlen"};
  int64_t limit;
  if (!BindBuiltin(vm, args, "deque", kNames, 0, 2, bound) || !Limit(vm, bound[1], &limit))
    return Value();
  Roots roots(vm);
  const Value deque = NewDeque(vm, limit);
  if (deque.empty() || bound[0].empty()) return deque;
  roots.Add(deque);
  return Ring(deque).Extend(vm, bound[0], false) ? deque : Value();
}

// What fills the objects of derived classes.
Value Init(Vm& vm, Args& args) {
  Value bound[3];
  static constexpr const char* kNames[] = {"self", "iterable", "maxlen"};
  int64_t limit;
  if (!BindBuiltin(vm, args, "deque", kNames, 1, 3, bound) || !Limit(vm, bound[2], &limit))
    return Value();
  Ring ring(args[0]);
  ring.Clear();
  As<Record>(args[0])->values[3] = limit < 0 ? Value::None() : Value::SmallInt(limit);
  return Done(bound[1].empty() || ring.Extend(vm, bound[1], false));
}

Value Append(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "append", 2, 2) && Ring(args[0]).PushBack(vm, args[1]));
}
Value AppendLeft(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "appendleft", 2, 2) && Ring(args[0]).PushFront(vm, args[1]));
}
Value Extend(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "extend", 2, 2) && Ring(args[0]).Extend(vm, args[1], false));
}
Value ExtendLeft(Vm& vm, Args& args) {
  return Done(Expect(vm, args, "extendleft", 2, 2) && Ring(args[0]).Extend(vm, args[1], true));
}
Value Pop(Vm& vm, Args& args, const char* name, bool front) {
  if (!Expect(vm, args, name, 1, 1)) return Value();
  Ring ring(args[0]);
  if (ring.count() == 0) return vm.Raise(Error::kIndexError, "pop from an empty deque");
  return front ? ring.PopFront() : ring.PopBack();
}
Value PopRight(Vm& vm, Args& args) {
  return Pop(vm, args, "pop", false);
}
Value PopLeft(Vm& vm, Args& args) {
  return Pop(vm, args, "popleft", true);
}
Value Clear(Vm& vm, Args& args) {
  if (!Expect(vm, args, "clear", 1, 1)) return Value();
  const int64_t count = Ring(args[0]).count();
  Ring(args[0]).Clear();
  return Done(vm.ChargeSteps(count / 16));
}
Value Rotate(Vm& vm, Args& args) {
  int64_t by = 1;
  if (!Expect(vm, args, "rotate", 1, 2) ||
      (args.count == 2 && !vm.ToIndex(args[1], &by, "integer", true)))
    return Value();
  const int64_t moved = std::min(std::abs(std::max(by, -INT64_MAX)), Ring(args[0]).count());
  if (!vm.ChargeSteps(moved / 4)) return Value();
  Ring(args[0]).Rotate(by);
  return Value::None();
}
Value Reverse(Vm& vm, Args& args) {
  Ring ring(args[0]);
  if (!Expect(vm, args, "reverse", 1, 1) || !vm.ChargeSteps(ring.count() / 8)) return Value();
  for (int64_t i = 0, j = ring.count() - 1; i < j; ++i, --j) {
    const Value v = ring.At(i);
    ring.Set(i, ring.At(j));
    ring.Set(j, v);
  }
  ring.Changed();
  return Value::None();
}

// Items [from, to) of `of` behind `deque`.
bool Add(Vm& vm, Value deque, Value of) {
  Ring source(of), ring(deque);
  const int64_t count = source.count();
  if (!vm.ChargeSteps(count / 8)) return false;
  for (int64_t i = 0; i < count; ++i)
    if (!ring.PushBack(vm, source.At(i))) return false;
  return true;
}
Value LimitOf(Value deque) {
  const int64_t limit = Ring(deque).limit();
  return limit < 0 ? Value::None() : Value::SmallInt(limit);
}
Value Copy(Vm& vm, Args& args) {
  if (!Expect(vm, args, "copy", 1, 1)) return Value();
  if (Derived(args[0])) {
    const Value given[] = {args[0], LimitOf(args[0])};
    return vm.Call(Value::Of(vm.ClassOf(args[0])), given, given[1].IsNone() ? 1 : 2);
  }
  const Value deque = NewDeque(vm, Ring(args[0]).limit());
  return !deque.empty() && Add(vm, deque, args[0]) ? deque : Value();
}
// class, arguments, attributes, items
Value Reduce(Vm& vm, Args& args) {
  if (!Expect(vm, args, "__reduce__", 1, 1)) return Value();
  Roots roots(vm);
  const Value limited[] = {vm.empty_tuple, LimitOf(args[0])};
  const Value given = limited[1].IsNone() ? vm.empty_tuple : roots.Add(vm.NewTuple(limited, 2));
  String* name = vm.Intern("__dict__");
  Value attributes = name == nullptr ? Value() : vm.GetAttributeOrEmpty(args[0], name);
  if (vm.failed() || given.empty()) return Value();
  if (attributes.empty() || (Is(attributes, Type::kDict) && As<Dict>(attributes)->count == 0))
    attributes = Value::None();
  const Value items = vm.Iterate(roots.Add(args[0]));
  const Value parts[] = {Value::Of(vm.ClassOf(args[0])), given, attributes, items};
  return items.empty() ? items : vm.NewTuple(parts, 4);
}
Value Plus(Vm& vm, Args& args) {
  if (AsRecord(vm, args[1], kDeque) == nullptr)
    return vm.Throw(Error::kTypeError, "can only concatenate deque (not \"{}\") to deque",
                    vm.TypeName(args[1]));
  const Value deque = NewDeque(vm, Ring(args[0]).limit());
  return !deque.empty() && Add(vm, deque, args[0]) && Add(vm, deque, args[1]) ? deque : Value();
}
Value PlusInPlace(Vm& vm, Args& args) {
  return Ring(args[0]).Extend(vm, args[1], false) ? args[0] : Value();
}
Value Times(Vm& vm, Args& args) {
  int64_t times;
  if (args[1].IsFloat() || IsStr(args[1]))
    return vm.Throw(Error::kTypeError, "can't multiply sequence by non-int of type '{}'",
                    vm.TypeName(args[1]));
  if (!vm.ToIndex(args[1], &times, "integer", true)) return Value();
  const Value deque = NewDeque(vm, Ring(args[0]).limit());
  if (deque.empty() || Ring(args[0]).count() == 0) return deque;
  for (int64_t i = 0; i < times; ++i)
    if (!Add(vm, deque, args[0])) return Value();
  return deque;
}
Value TimesInPlace(Vm& vm, Args& args) {
  const Value product = Times(vm, args);
  if (product.empty()) return product;
  Ring(args[0]).Clear();
  return Add(vm, args[0], product) ? args[0] : Value();
}

// The place of args[1] in [from, to), -1 when absent or failed.
int64_t Find(Vm& vm, Args& args, int64_t from, int64_t to) {
  Ring ring(args[0]);
  const int64_t changes = ring.changes();
  for (int64_t i = from; i < to && i < ring.count(); ++i) {
    bool equal;
    if ((i & 63) == 63 && !vm.ChargeSteps(8)) return -1;
    if (!vm.Equal(ring.At(i), args[1], &equal)) return -1;
    if (ring.changes() != changes) {
      vm.Raise(Error::kRuntimeError, "deque mutated during iteration");
      return -1;
    }
    if (equal) return i;
  }
  return -1;
}
Value Count(Vm& vm, Args& args) {
  if (!Expect(vm, args, "count", 2, 2)) return Value();
  int64_t count = 0;
  for (int64_t at = -1; (at = Find(vm, args, at + 1, INT64_MAX)) >= 0;) ++count;
  return vm.failed() ? Value() : Value::SmallInt(count);
}
Value Contains(Vm& vm, Args& args) {
  const int64_t at = Find(vm, args, 0, INT64_MAX);
  return vm.failed() ? Value() : Value::Bool(at >= 0);
}
Value IndexOf(Vm& vm, Args& args) {
  int64_t from = 0, to = Value::kMaxInt;
  if (!Expect(vm, args, "index", 2, 4) ||
      (args.count > 2 && !vm.ToIndex(args[2], &from, "integer", true)) ||
      (args.count > 3 && !vm.ToIndex(args[3], &to, "integer", true)))
    return Value();
  const int64_t count = Ring(args[0]).count();
  if (from < 0) from = std::max<int64_t>(from + count, 0);
  if (to < 0) to = std::max<int64_t>(to + count, 0);
  const int64_t at = Find(vm, args, from, to);
  if (at >= 0) return Value::SmallInt(at);
  std::string shown;
  if (vm.failed() || !vm.Repr(args[1], &shown)) return Value();
  return vm.Throw(Error::kValueError, "{} is not in deque", shown);
}
Value Remove(Vm& vm, Args& args) {
  if (!Expect(vm, args, "remove", 2, 2)) return Value();
  const int64_t changes = Ring(args[0]).changes();
  const int64_t at = Find(vm, args, 0, INT64_MAX);
  if (vm.failed()) {
    if (Ring(args[0]).changes() != changes && vm.TakePending(Error::kRuntimeError))
      vm.Raise(Error::kIndexError, "deque mutated during remove().");
    return Value();
  }
  if (at < 0) {
    std::string shown;
    return vm.Repr(args[1], &shown) ? vm.Throw(Error::kValueError, "{} is not in deque", shown)
                                    : Value();
  }
  if (!vm.ChargeSteps((Ring(args[0]).count() - at) / 8)) return Value();
  Ring(args[0]).Remove(at);
  return Value::None();
}
Value Insert(Vm& vm, Args& args) {
  int64_t at;
  if (!Expect(vm, args, "insert", 3, 3) || !vm.ToIndex(args[1], &at, "integer", true))
    return Value();
  Ring ring(args[0]);
  const int64_t n = ring.count();
  if (ring.limit() >= 0 && n >= ring.limit())
    return vm.Raise(Error::kIndexError, "deque already at its maximum size");
  if (at < 0) at = std::max<int64_t>(at + n, 0);
  at = std::min(at, n);
  if (!vm.ChargeSteps((n - at) / 8) || !ring.PushBack(vm, args[2])) return Value();
  for (int64_t i = n; i > at; --i) ring.Set(i, ring.At(i - 1));
  ring.Set(at, args[2]);
  return Value::None();
}

bool Place(Vm& vm, Args& args, int64_t* at) {
  if (!IsInt(args[1]) && vm.GetAttributeOrEmpty(args[1], vm.names.index).empty()) {
    if (!vm.failed())
      vm.Throw(Error::kTypeError, "sequence index must be integer, not '{}'", vm.TypeName(args[1]));
    return false;
  }
  if (!vm.ToIndex(args[1], at, "index", true)) return false;
  const int64_t n = Ring(args[0]).count();
  if (*at < 0) *at += n;
  if (*at >= 0 && *at < n) return true;
  vm.Raise(Error::kIndexError, "deque index out of range");
  return false;
}
Value GetItem(Vm& vm, Args& args) {
  int64_t at;
  return Place(vm, args, &at) ? Ring(args[0]).At(at) : Value();
}
Value SetItem(Vm& vm, Args& args) {
  int64_t at;
  if (!Place(vm, args, &at)) return Value();
  Ring(args[0]).Set(at, args[2]);
  return Value::None();
}
Value DelItem(Vm& vm, Args& args) {
  int64_t at;
  if (!Place(vm, args, &at) || !vm.ChargeSteps((Ring(args[0]).count() - at) / 8)) return Value();
  Ring(args[0]).Remove(at);
  return Value::None();
}
Value Length(Vm&, Args& args) {
  return Value::SmallInt(Ring(args[0]).count());
}
Value MaxLen(Vm&, Args& args) {
  return As<Record>(args[0])->values[3];
}

Value SetMaxLen(Vm& vm, Args&) {
  return vm.Raise(Error::kAttributeError,
                  "attribute 'maxlen' of 'collections.deque' objects is not writable");
}

Value Repr(Vm& vm, Args& args) {
  Roots roots(vm);
  const Value items = roots.Add(vm.ToList(args[0]));
  if (items.empty()) return items;
  auto& active = vm.repr_active;
  if (std::find(active.begin(), active.end(), args[0].object()) != active.end())
    return vm.NewString("[...]");
  active.push_back(args[0].object());
  std::string out = fmt::format("{}(", vm.ClassOf(args[0])->name->view());
  const bool ok = vm.Repr(items, &out);
  active.pop_back();
  if (!ok) return Value();
  const int64_t limit = Ring(args[0]).limit();
  out += limit < 0 ? ")" : fmt::format(", maxlen={})", limit);
  return vm.NewString(out);
}

Value CompareBy(Vm& vm, Args& args, Operator op) {
  if (AsRecord(vm, args[1], kDeque) == nullptr) return vm.not_implemented;
  Roots roots(vm);
  const Value a = roots.Add(vm.ToList(args[0]));
  const Value b = a.empty() ? a : roots.Add(vm.ToList(args[1]));
  return b.empty() ? b : vm.Compare(static_cast<int>(op), a, b);
}
template <Operator kOp>
Value Compare(Vm& vm, Args& args) {
  return CompareBy(vm, args, kOp);
}

// values: deque, place, changes of the deque at the start, whether backward
Value NextItem(Vm& vm, Value self) {
  auto* record = As<Record>(self);
  if (record->values[0].IsNone()) return Value();
  Ring ring(record->values[0]);
  const int64_t at = record->values[1].AsSmallInt();
  if (ring.changes() != record->values[2].AsSmallInt()) {
    record->values[0] = Value::None();
    return vm.Raise(Error::kRuntimeError, "deque mutated during iteration");
  }
  if (at >= ring.count()) {
    record->values[0] = Value::None();
    return Value();
  }
  record->values[1] = Value::SmallInt(at + 1);
  return ring.At(record->values[3].IsTrue() ? ring.count() - 1 - at : at);
}
Value Over(Vm& vm, Value deque, bool backward) {
  Class* cls = ClassOfRecord(vm, kDequeIterator);
  const Value it = cls == nullptr ? Value() : vm.NewRecord(cls, 4);
  if (it.empty()) return it;
  Value* values = As<Record>(it)->values;
  values[0] = deque;
  values[1] = Value::SmallInt(0);
  values[2] = Value::SmallInt(Ring(deque).changes());
  values[3] = Value::Bool(backward);
  return it;
}
Value Iter(Vm& vm, Args& args) {
  return Over(vm, args[0], false);
}
Value Reversed(Vm& vm, Args& args) {
  return Over(vm, args[0], true);
}

constexpr BuiltinRow kRows[] = {{"__add__", Plus},
                                {"__contains__", Contains, true},
                                {"__copy__", Copy, true},
                                {"__delitem__", DelItem},
                                {"__eq__", Compare<Operator::kEqual>, true},
                                {"__ge__", Compare<Operator::kGreaterEqual>, true},
                                {"__getitem__", GetItem},
                                {"__gt__", Compare<Operator::kGreater>, true},
                                {"__iadd__", PlusInPlace, true},
                                {"__imul__", TimesInPlace},
                                {"__init__", Init, true},
                                {"__iter__", Iter},
                                {"__le__", Compare<Operator::kLessEqual>, true},
                                {"__len__", Length},
                                {"__lt__", Compare<Operator::kLess>, true},
                                {"__mul__", Times},
                                {"__ne__", Compare<Operator::kNotEqual>, true},
                                {"__new__", New, true},
                                {"__reduce__", Reduce, true},
                                {"__repr__", Repr, true},
                                {"__reversed__", Reversed},
                                {"__rmul__", Times},
                                {"__setitem__", SetItem},
                                {"append", Append},
                                {"appendleft", AppendLeft},
                                {"clear", Clear},
                                {"copy", Copy, true},
                                {"count", Count, true},
                                {"extend", Extend, true},
                                {"extendleft", ExtendLeft, true},
                                {"index", IndexOf, true},
                                {"insert", Insert},
                                {"pop", PopRight},
                                {"popleft", PopLeft},
                                {"remove", Remove, true},
                                {"reverse", Reverse},
                                {"rotate", Rotate}};

}  // namespace

const RecordType kDeque = {"collections", "deque", kRows};
const RecordType kDequeIterator = {"collections", "_deque_iterator", {}, NextItem};

Value MakeDeque(Vm& vm) {
  const Value module = MakeModule(vm, "_deque", {});
  Class* cls = module.empty() ? nullptr : ClassOfRecord(vm, kDeque);
  if (cls == nullptr) return Value();
  const Value getter = vm.NewNative("maxlen", MaxLen, nullptr, false);
  const Value property =
      getter.empty() ? getter : vm.NewDescriptor(DescriptorKind::kProperty, getter);
  if (property.empty()) return property;
  As<Descriptor>(property)->set = vm.NewNative("maxlen", SetMaxLen, nullptr, false);
  return !As<Descriptor>(property)->set.empty() &&
                 vm.DictSetText(cls->attributes, "maxlen", property) &&
                 vm.DictSetText(cls->attributes, "__hash__", Value::None()) &&
                 vm.SetVariable(As<Module>(module), "deque", Value::Of(cls))
             ? module
             : Value();
}

}  // namespace ferry::vm
