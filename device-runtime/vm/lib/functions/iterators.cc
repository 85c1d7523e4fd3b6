// Built-in functions over iterables.
#include <cmath>

#include "device-runtime/vm/exec/call/generator.h"
#include "device-runtime/vm/exec/collections/sort.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/lib/types/iterator_classes.h"
#include "device-runtime/vm/number/bigint.h"
#include "device-runtime/vm/number/real.h"

namespace ferry::vm {
namespace {

Value RangeOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "range", 1, 3)) return Value();
  Value parts[] = {Value::SmallInt(0), Value(), Value::SmallInt(1)};  // start, stop, step
  for (uint32_t i = 0; i < args.count; ++i) {
    Value& part = parts[args.count == 1 ? 1 : i];
    if ((part = ToInteger(vm, args[i])).empty()) return part;
  }
  return IntSign(parts[2]) == 0 ? vm.Raise(Error::kValueError, "range() arg 3 must not be zero")
                                : RangeOfIntegers(vm, parts[0], parts[1], parts[2]);
}

Value IterOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "iter", 1, 2)) return Value();
  if (args.count == 1) return vm.Iterate(args[0]);
  return IsCallable(vm, args[0]) ? vm.NewIterator(IteratorKind::kCallable, args[0], args[1])
                                 : vm.Raise(Error::kTypeError, "iter(v, w): v must be callable");
}

Value NextOf(Vm& vm, Args& args) {
  if (!Expect(vm, args, "next", 1, 2)) return Value();
  if (Is(args[0], Type::kInstance)) {  // its StopIteration goes on as it is
    bool found;
    const Value item = vm.CallSpecial(args[0], vm.names.next, nullptr, 0, &found);
    if (found && item.empty() && args.count == 2 && vm.TakePending(Error::kStopIteration))
      return args[1];
    if (found) return item;
  }
  Value v = vm.Next(args[0]);
  if (!v.empty() || vm.failed()) return v;
  if (args.count == 2) return args[1];
  return RaiseStop(vm, Is(args[0], Type::kGenerator) ? As<Generator>(args[0])->result : Value());
}

Value Enumerate(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"iterable", "start"};
  if (args.count + args.keywords() == 0)
    return vm.Raise(Error::kTypeError, "enumerate() missing required argument 'iterable'");
  if (!BindBuiltin(vm, args, "enumerate", kNames, 0, 2, bound)) return Value();
  if (bound[0].empty())
    return vm.Raise(Error::kTypeError, "enumerate() missing required argument 'iterable'");
  Value start = Value::SmallInt(0);
  if (!bound[1].empty()) {
    start = ToInteger(vm, bound[1]);
    if (start.empty()) return start;
  }
  const Value source = vm.Iterate(bound[0]);
  const Value it = source.empty() ? source : vm.NewIterator(IteratorKind::kEnumerate, source);
  if (it.empty()) return it;
  if (start.IsSmallInt())
    As<Iterator>(it)->index = start.AsSmallInt();
  else
    As<Iterator>(it)->extra = start;  // a large number: counted there
  return it;
}

// An iterator over iterators of args[first..].
Value Combined(Vm& vm, Args& args, IteratorKind kind, uint32_t first, Value source) {
  Roots roots(vm);
  Value tuple = roots.Add(vm.NewTuple(nullptr, args.count - first));
  for (uint32_t i = first; !tuple.empty() && i < args.count; ++i) {
    As<Tuple>(tuple)->items[i - first] = vm.Iterate(args[i]);
    if (As<Tuple>(tuple)->items[i - first].empty()) return Value();
  }
  return tuple.empty() ? tuple : vm.NewIterator(kind, source, tuple);
}

Value Zip(Vm& vm, Args& args) {
  bool strict = false;
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    if (Text(args.names->items[k]) != "strict")
      return vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for zip()",
                      Text(args.names->items[k]));
    if (!vm.Truth(args.args[args.count + k], &strict)) return Value();
  }
  return Combined(vm, args, IteratorKind::kZip, 0, Value::Bool(strict));
}
Value Map(Vm& vm, Args& args) {
  if (args.keywords() > 0) return vm.Raise(Error::kTypeError, "map() takes no keyword arguments");
  if (args.count < 2) return vm.Raise(Error::kTypeError, "map() must have at least two arguments.");
  return Combined(vm, args, IteratorKind::kMap, 1, args[0]);
}
Value Filter(Vm& vm, Args& args) {
  if (!Expect(vm, args, "filter", 2, 2)) return Value();
  Value source = vm.Iterate(args[1]);
  return source.empty() ? source : vm.NewIterator(IteratorKind::kFilter, args[0], source);
}

[[gnu::cold]] Value ReversedRange(Vm& vm, const Range* range) {
  if (IsWide(range)) {
    const Value reverse = ReverseOfRange(vm, range);
    return reverse.empty() ? reverse : vm.Iterate(reverse);
  }
  const Value it = vm.NewIterator(IteratorKind::kRange, Value::Of(range));
  if (it.empty()) return it;
  auto* iterator = As<Iterator>(it);
  iterator->stop = range->length;
  iterator->step = range->step;
  iterator->index = range->start;
  if (range->length > 0) {
    // Unsigned: the way from the first to the last may need 64 bits.
    iterator->index = static_cast<int64_t>(static_cast<uint64_t>(range->start) +
                                           static_cast<uint64_t>(range->length - 1) *
                                               static_cast<uint64_t>(range->step));
    iterator->step = -range->step;
  }
  return it;
}

[[gnu::cold]] Value Reversed(Vm& vm, Args& args) {
  int64_t length;
  if (!Expect(vm, args, "reversed", 1, 1)) return Value();
  Value source = args[0];
  const Value method = vm.FindInClass(vm.ClassOf(source), vm.names.reversed);
  bool found = false;
  const Value result =
      method.IsNone() ? Value() : vm.CallSpecial(source, vm.names.reversed, nullptr, 0, &found);
  if (found) return result;
  const bool view = Is(source, Type::kView);
  const bool indexed =
      !Is(source, Type::kDict) && !vm.FindInClass(vm.ClassOf(source), vm.names.getitem).empty();
  const bool sequence = indexed && !vm.FindInClass(vm.ClassOf(source), vm.names.len).empty();
  if (!method.IsNone() && !sequence && indexed && !vm.ClassOf(source)->builtin)
    return vm.Throw(Error::kTypeError, "object of type '{}' has no len()", vm.TypeName(source));
  if (method.IsNone() || (!Is(source, Type::kDict) && !view && !sequence))
    return vm.Throw(Error::kTypeError, "'{}' object is not reversible", vm.TypeName(source));
  const bool keys = Is(source, Type::kDict);
  if (IsExact(source, Type::kRange)) return ReversedRange(vm, As<Range>(source));
  Roots roots(vm);
  if (keys)
    source = roots.Add(vm.NewView(ViewKind::kKeys, source));  // whatever __iter__ of its class does
  if (keys || view) source = source.empty() ? source : vm.ToList(source);
  if (source.empty() || !vm.Length(source, &length)) return Value();
  const Value it = vm.NewIterator(IteratorKind::kReversed, source);
  if (it.empty()) return it;
  As<Iterator>(it)->index = length - 1;
  As<Iterator>(it)->step = keys || view;  // of a dict
  return it;
}

Value Sum(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"iterable", "start"};
  if (args.count == 0)
    return vm.Raise(Error::kTypeError, "sum() takes at least 1 positional argument (0 given)");
  if (!BindBuiltin(vm, args, "sum", kNames, 1, 2, bound)) return Value();
  Roots roots(vm);
  Value it = roots.Add(vm.Iterate(bound[0]));
  Value total = bound[1].empty() ? Value::SmallInt(0) : bound[1];
  if (IsStr(total))
    return vm.Raise(Error::kTypeError, "sum() can't sum strings [use ''.join(seq) instead]");
  if (Is(total, Type::kBytes))
    return vm.Raise(Error::kTypeError, "sum() can't sum bytes [use b''.join(seq) instead]");
  if (Is(bound[1], Type::kByteArray))
    return vm.Raise(Error::kTypeError, "sum() can't sum bytearray [use b''.join(seq) instead]");
  if (it.empty()) return it;
  const size_t total_at = vm.kept.size();
  roots.Add(total);
  for (Value item; Pull(vm, it, &item);) {
    int64_t r;
    if (item.IsBool() && total.IsSmallInt()) item = Value::SmallInt(item.IsTrue());
    if (Value::BothInt(total, item) &&
        !__builtin_add_overflow(total.AsSmallInt(), item.AsSmallInt(), &r) && Value::FitsInt(r)) {
      total = Value::SmallInt(r);
    } else if (total.IsFloat() && item.IsFloat()) {
      total = Value::Float(total.AsFloat() + item.AsFloat());
    } else if ((total = vm.Binary(static_cast<int>(Operator::kAdd), total, item)).empty()) {
      return total;
    }
    vm.kept[total_at] = total;
  }
  return vm.failed() ? Value() : total;
}

Value AnyAll(Vm& vm, Args& args, bool any) {
  if (!Expect(vm, args, any ? "any" : "all", 1, 1)) return Value();
  Roots roots(vm);
  Value it = roots.Add(vm.Iterate(args[0]));
  if (it.empty()) return it;
  for (Value item; Pull(vm, it, &item);) {
    bool truth = item.IsTrue();
    if (!item.IsBool() && !vm.Truth(item, &truth)) return Value();
    if (truth == any) return Value::Bool(any);
  }
  return vm.failed() ? Value() : Value::Bool(!any);
}
Value Any(Vm& vm, Args& args) {
  return AnyAll(vm, args, true);
}
Value All(Vm& vm, Args& args) {
  return AnyAll(vm, args, false);
}

Value Extreme(Vm& vm, Args& args, bool largest) {
  Value key, fallback;
  const char* name = largest ? "max" : "min";
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    const std::string_view text = Text(args.names->items[k]);
    Value v = args.args[args.count + k];
    if (text == "key")
      key = v.IsNone() ? Value() : v;
    else if (text == "default")
      fallback = v;
    else
      return vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for {}()", text,
                      name);
  }
  if (args.count == 0)
    return vm.Throw(Error::kTypeError, "{} expected at least 1 argument, got 0", name);
  if (args.count > 1 && !fallback.empty())
    return vm.Throw(Error::kTypeError,
                    "Cannot specify a default for {}() with multiple positional arguments", name);
  Roots roots(vm);
  Value source = args.count == 1 ? args[0] : roots.Add(vm.NewTuple(args.args, args.count));
  Value it = source.empty() ? source : roots.Add(vm.Iterate(source));
  if (it.empty()) return it;
  const size_t best_at = vm.kept.size();
  roots.Add(Value());
  roots.Add(Value());
  for (Value item; Pull(vm, it, &item);) {
    Value& best = vm.kept[best_at];
    bool wins;
    const auto op = largest ? Operator::kGreater : Operator::kLess;
    if (key.empty() && !best.empty() && QuickOrder(op, item, best, &wins)) {
      if (wins) best = vm.kept[best_at + 1] = item;
      continue;
    }
    Roots inner(vm);
    inner.Add(item);
    Value measure = key.empty() ? item : inner.Add(vm.Call(key, &item, 1));
    if (measure.empty()) return measure;
    bool better = vm.kept[best_at].empty();
    Value held = vm.kept[best_at + 1];
    if (!better) {
      if (!QuickOrder(op, measure, held, &better)) {
        const Value order = vm.Compare(static_cast<int>(op), measure, held);
        if (order.empty() || !vm.Truth(order, &better)) return Value();
      }
    }
    if (better) {
      vm.kept[best_at] = item;
      vm.kept[best_at + 1] = measure;
    }
  }
  if (vm.failed()) return Value();
  if (!vm.kept[best_at].empty()) return vm.kept[best_at];
  return fallback.empty() ? vm.Throw(Error::kValueError, "{}() arg is an empty sequence", name)
                          : fallback;
}
Value Min(Vm& vm, Args& args) {
  return Extreme(vm, args, false);
}
Value Max(Vm& vm, Args& args) {
  return Extreme(vm, args, true);
}

Value Sorted(Vm& vm, Args& args) {
  Value bound[3];
  static constexpr const char* kNames[] = {"", "key", "reverse"};
  bool reverse = false;
  if (args.count != 1)
    return vm.Throw(Error::kTypeError, "sorted expected 1 argument, got {}", args.count);
  if (!BindBuiltin(vm, args, "sort", kNames, 1, 1, bound)) return Value();
  if (!bound[2].empty() && !SortReverse(vm, bound[2], &reverse)) return Value();
  Roots roots(vm);
  Value list = vm.ToList(bound[0]);
  if (list.empty()) return list;
  roots.Add(list);
  return SortList(vm, As<List>(list), bound[1].empty() || bound[1].IsNone() ? Value() : bound[1],
                  reverse)
             ? list
             : Value();
}

Value Round(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"number", "ndigits"};
  if (!BindBuiltin(vm, args, "round", kNames, 1, 2, bound)) return Value();
  Value v = bound[0];
  const bool whole = bound[1].empty() || bound[1].IsNone();
  int64_t digits = 0;
  const bool whole_number = IsInt(v) && !Derived(v);
  if (!whole_number && !v.IsFloat()) {
    bool found;
    Value result =
        vm.CallSpecial(v, vm.names.round, whole ? nullptr : &bound[1], whole ? 0 : 1, &found);
    return found ? result
                 : vm.Throw(Error::kTypeError, "type {} doesn't define __round__ method",
                            vm.TypeName(v));
  }
  if (!whole && !vm.ToIndex(bound[1], &digits, "ndigits", true)) return Value();
  if (whole_number) return IntRound(vm, v, whole ? 0 : digits);
  const double d = v.AsFloat();
  if (whole) {
    if (std::isnan(d)) return vm.Raise(Error::kValueError, "cannot convert float NaN to integer");
    if (std::isinf(d))
      return vm.Raise(Error::kOverflowError, "cannot convert float infinity to integer");
    return IntFromDouble(vm, std::nearbyint(d));
  }
  const double rounded = RoundDouble(d, digits);
  return std::isinf(rounded) && std::isfinite(d)
             ? vm.Raise(Error::kOverflowError, "rounded value too large to represent")
             : Value::Float(rounded);
}

constexpr BuiltinRow kRows[] = {
    {"all", All, true}, {"any", Any, true},       {"iter", IterOf, true},
    {"max", Max, true}, {"min", Min, true},       {"next", NextOf, true},
    {"round", Round},   {"sorted", Sorted, true}, {"sum", Sum, true}};
// Where the value stands in the range (*place, empty: nowhere), and how many items are equal to it.
// Others than ints are compared; only up to the first one when `first`.
bool PlaceIn(Vm& vm, Value range, Value v, bool first, Value* place, int64_t* count) {
  *count = 0;
  if (v.IsSmallInt() || v.IsBool() || IsExact(v, Type::kBigInt)) {
    if (!RangePlace(vm, As<Range>(range), v, place)) return false;
    *count = place->empty() ? 0 : 1;
    return true;
  }
  Roots roots(vm);
  const Value it = roots.Add(vm.Iterate(range));
  for (int64_t i = 0; !it.empty(); ++i) {
    bool equal;
    const Value item = vm.Next(it);
    if (item.empty()) return !vm.failed();
    if (!vm.ChargeSteps(1) || !vm.Equal(item, v, &equal)) return false;
    if (!equal) continue;
    if (place->empty() && (*place = roots.Add(vm.NewInt(i))).empty()) return false;
    ++*count;
    if (first) return true;
  }
  return false;
}
Value RangeIndex(Vm& vm, Args& args) {
  int64_t count;
  Value place;
  std::string shown;
  if (!Expect(vm, args, "index", 2, 2) || !PlaceIn(vm, args[0], args[1], true, &place, &count))
    return Value();
  if (!place.empty()) return place;
  if (!IsInt(args[1])) return vm.Raise(Error::kValueError, "sequence.index(x): x not in sequence");
  return vm.Repr(args[1], &shown) ? vm.Throw(Error::kValueError, "{} is not in range", shown)
                                  : Value();
}
Value RangeCount(Vm& vm, Args& args) {
  int64_t count;
  Value place;
  return Expect(vm, args, "count", 2, 2) && PlaceIn(vm, args[0], args[1], false, &place, &count)
             ? vm.NewInt(count)
             : Value();
}
constexpr BuiltinRow kRange[] = {
    {"__new__", RangeOf}, {"count", RangeCount, true}, {"index", RangeIndex, true}};
struct IteratorMaker {
  IteratorClass cls;
  BuiltinRow row;
};
constexpr IteratorMaker kMakers[] = {{IteratorClass::kEnumerate, {"__new__", Enumerate, true}},
                                     {IteratorClass::kFilter, {"__new__", Filter, true}},
                                     {IteratorClass::kMap, {"__new__", Map, true}},
                                     {IteratorClass::kReversed, {"__new__", Reversed, true}},
                                     {IteratorClass::kZip, {"__new__", Zip, true}}};

}  // namespace

bool InstallIterators(Vm& vm) {
  for (const BuiltinRow& row : kRows) {
    Value native = vm.NewNative(row.name, row.function, nullptr, row.collects);
    if (native.empty() || !vm.DictSetText(vm.builtins, row.name, native)) return false;
  }
  if (!MakeIteratorClasses(vm)) return false;
  for (const IteratorMaker& maker : kMakers) {
    Class* cls = vm.iterators[static_cast<int>(maker.cls)];
    cls->acceptable_base = true;
    if (!AddMethods(vm, cls, {&maker.row, 1}) ||
        !vm.DictSet(vm.builtins, Value::Of(cls->name), Value::Of(cls)))
      return false;
  }
  for (Type type : {Type::kList, Type::kDict, Type::kRange})
    if (!AddWrapper(vm, vm.classes[static_cast<int>(type)], "__reversed__", Reversed)) return false;
  return AddMethods(vm, vm.classes[static_cast<int>(Type::kRange)], kRange);
}

}  // namespace ferry::vm
