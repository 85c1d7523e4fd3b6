// Iterators that count, repeat, cut and join.
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/lib/modules/itertools/iter.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

// values: iterator of the iterables, iterator of the current one
Value NextChain(Vm& vm, Value self) {
  const Value inner = As<Record>(self)->values[1];
  Value quick;
  if (IsExact(inner, Type::kIterator) && QuickNext(vm, As<Iterator>(inner), &quick) == Quick::kItem)
    return vm.ChargeSteps(1) ? quick : Value();
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  while (!record->values[0].IsNone()) {
    if (record->values[1].IsNone()) {
      const Value iterable = vm.Next(record->values[0]);
      if (iterable.empty()) {
        record->values[0] = Value::None();
        return Value();
      }
      Roots inner(vm);
      inner.Add(iterable);
      const Value iterator = vm.Iterate(iterable);
      if (iterator.empty()) {
        record->values[0] = Value::None();
        return Value();
      }
      record->values[1] = iterator;
    }
    const Value item = vm.Next(record->values[1]);
    if (!item.empty() || vm.failed()) return item;
    record->values[1] = Value::None();
  }
  return Value();
}
Value ChainOver(Vm& vm, Value iterables) {
  const Value source = iterables.empty() ? iterables : vm.Iterate(iterables);
  Record* record = source.empty() ? nullptr : NewIter(vm, kChain, 2);
  if (record == nullptr) return Value();
  record->values[0] = source;
  return Value::Of(record);
}
[[gnu::cold]] Value NewChain(Vm& vm, Args& args) {
  if (!Expect(vm, args, "chain", 0, UINT32_MAX)) return Value();
  return ChainOver(vm, vm.NewTuple(args.args, args.count));
}
Value FromIterable(Vm& vm, Args& args) {
  return Expect(vm, args, "chain.from_iterable", 1, 1) ? ChainOver(vm, args[0]) : Value();
}

// values: next number, step
Value NextCount(Vm& vm, Value self) {
  Value* const values = As<Record>(self)->values;
  const Value before = values[0];
  if (Value::BothInt(before, values[1]) && QuickInt(Operator::kAdd, before, values[1], &values[0]))
    return before;
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  const Value now = record->values[0];
  const Value next = vm.Binary(static_cast<int>(Operator::kAdd), now, record->values[1]);
  if (next.empty()) return next;
  record->values[0] = next;
  return now;
}
[[gnu::cold]] Value NewCount(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"start", "step"};
  if (!BindBuiltin(vm, args, "count", kNames, 0, 2, bound)) return Value();
  for (Value v : bound) {
    bool number = v.empty() || IsInt(v) || v.IsFloat() || Is(v, Type::kComplex);
    for (const char* name : {"__index__", "__int__", "__float__"}) {
      String* method = number ? nullptr : vm.Intern(name);
      number = number || (method != nullptr && !vm.FindInClass(vm.ClassOf(v), method).empty());
    }
    if (!number) return vm.Raise(Error::kTypeError, "a number is required");
  }
  Record* record = NewIter(vm, kCount, 2);
  if (record == nullptr) return Value();
  const bool by_one = bound[1].empty() || bound[1] == Value::SmallInt(1) || bound[1].IsTrue();
  record->values[0] = bound[0].empty()              ? Value::SmallInt(0)
                      : bound[0].IsBool() && by_one ? Value::SmallInt(bound[0].IsTrue())
                                                    : bound[0];
  record->values[1] = by_one ? Value::SmallInt(1) : bound[1];
  return Value::Of(record);
}
Value ReprCount(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  std::string out = "count(";
  if (!vm.Repr(record->values[0], &out)) return Value();
  if (!(record->values[1] == Value::SmallInt(1))) {
    out += ", ";
    if (!vm.Repr(record->values[1], &out)) return Value();
  }
  return vm.NewString(out + ")");
}

// values: iterator or None, list of what was seen, place in the list
Value NextCycle(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  auto* saved = As<List>(record->values[1]);
  if (!record->values[0].IsNone()) {
    const Value item = vm.Next(record->values[0]);
    if (!item.empty()) {
      roots.Add(item);
      return vm.Append(saved, item) ? item : Value();
    }
    if (vm.failed()) return Value();
    record->values[0] = Value::None();
  }
  if (saved->size == 0) return Value();
  const int64_t at = record->values[2].AsSmallInt();
  record->values[2] = Value::SmallInt((at + 1) % saved->size);
  return saved->items[at % saved->size];
}
[[gnu::cold]] Value NewCycle(Vm& vm, Args& args) {
  if (!Expect(vm, args, "cycle", 1, 1)) return Value();
  const Value source = vm.Iterate(args[0]);
  const Value list = source.empty() ? source : vm.NewList(nullptr, 0);
  Record* record = list.empty() ? nullptr : NewIter(vm, kCycle, 3);
  if (record == nullptr) return Value();
  record->values[0] = source;
  record->values[1] = list;
  record->values[2] = Value::SmallInt(0);
  return Value::Of(record);
}

// values: object, times left or None
Value NextRepeat(Vm&, Value self) {
  auto* record = As<Record>(self);
  if (record->values[1].IsNone()) return record->values[0];
  const int64_t left = record->values[1].AsSmallInt();
  if (left <= 0) return Value();
  record->values[1] = Value::SmallInt(left - 1);
  return record->values[0];
}
[[gnu::cold]] Value NewRepeat(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"object", "times"};
  if (!BindBuiltin(vm, args, "repeat", kNames, 1, 2, bound)) return Value();
  int64_t times = 0;
  if (!bound[1].empty() && !vm.ToIndex(bound[1], &times, "integer")) return Value();
  Record* record = NewIter(vm, kRepeat, 2);
  if (record == nullptr) return Value();
  record->values[0] = bound[0];
  if (!bound[1].empty())
    record->values[1] = Value::SmallInt(std::min(std::max<int64_t>(times, 0), Value::kMaxInt));
  return Value::Of(record);
}
Value ReprRepeat(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  std::string out = "repeat(";
  if (!vm.Repr(record->values[0], &out)) return Value();
  if (!record->values[1].IsNone()) out += fmt::format(", {}", record->values[1].AsSmallInt());
  return vm.NewString(out + ")");
}
Value HintRepeat(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  return record->values[1].IsNone() ? vm.Raise(Error::kTypeError, "len() of unsized object")
                                    : record->values[1];
}

// values: iterator or None, items until the next one, items until the end or None, step
Value NextISlice(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  if (record->values[0].IsNone()) return Value();
  int64_t skip = record->values[1].AsSmallInt();
  const bool bounded = !record->values[2].IsNone();
  const int64_t left = bounded ? record->values[2].AsSmallInt() : INT64_MAX;
  const bool over = skip >= left;  // what lies before the end is still taken
  for (int64_t i = over ? left : skip; i > 0; --i) {
    const Value passed = vm.Next(record->values[0]);
    if (passed.empty()) {
      record->values[0] = Value::None();
      return Value();
    }
  }
  const Value item = over ? Value() : vm.Next(record->values[0]);
  if (item.empty()) {
    record->values[0] = Value::None();
    return Value();
  }
  if (bounded) record->values[2] = Value::SmallInt(left - skip - 1);
  record->values[1] = Value::SmallInt(record->values[3].AsSmallInt() - 1);
  return item;
}
bool SliceArgument(Vm& vm, Value v, int64_t least, int64_t* out) {
  if (v.IsNone()) return true;
  bool ok = vm.ToIndex(v, out, "integer", true);
  if (ok && *out == INT64_MAX && Is(v, Type::kBigInt)) *out = -1;  // past sys.maxsize
  if (ok && *out >= least) {
    *out = std::min(*out, Value::kMaxInt);
    return true;
  }
  if (!ok && !vm.TakePending(Error::kTypeError)) return false;
  vm.Raise(Error::kValueError,
           least == 1 ? "Step for islice() must be a positive integer or None."
                      : "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  return false;
}
Value NewISlice(Vm& vm, Args& args) {
  if (!Expect(vm, args, "islice", 2, 4)) return Value();
  int64_t start = 0, stop = -1, step = 1;
  const Value end = args[args.count == 2 ? 1 : 2];
  if (!end.IsNone() && !SliceArgument(vm, end, 0, &stop)) {
    if (stop == -1 && vm.TakePending(Error::kValueError))
      vm.Raise(Error::kValueError,
               "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
    return Value();
  }
  if (args.count > 2 && !SliceArgument(vm, args[1], 0, &start)) return Value();
  if (args.count == 4 && !SliceArgument(vm, args[3], 1, &step)) return Value();
  const Value source = vm.Iterate(args[0]);
  Record* record = source.empty() ? nullptr : NewIter(vm, kISlice, 4);
  if (record == nullptr) return Value();
  record->values[0] = source;
  record->values[1] = Value::SmallInt(start);
  record->values[2] = end.IsNone() ? Value::None() : Value::SmallInt(stop);
  record->values[3] = Value::SmallInt(step);
  return Value::Of(record);
}

constexpr BuiltinRow kChainRows[] = {{"__new__", NewChain}};
constexpr BuiltinRow kCountRows[] = {{"__new__", NewCount}, {"__repr__", ReprCount}};
constexpr BuiltinRow kCycleRows[] = {{"__new__", NewCycle}};
constexpr BuiltinRow kRepeatRows[] = {
    {"__length_hint__", HintRepeat}, {"__new__", NewRepeat}, {"__repr__", ReprRepeat}};
constexpr BuiltinRow kISliceRows[] = {{"__new__", NewISlice}};

}  // namespace

const RecordType kChain = {"itertools", "chain", kChainRows, NextChain};
const RecordType kCount = {"itertools", "count", kCountRows, NextCount};
const RecordType kCycle = {"itertools", "cycle", kCycleRows, NextCycle};
const RecordType kRepeat = {"itertools", "repeat", kRepeatRows, NextRepeat};
const RecordType kISlice = {"itertools", "islice", kISliceRows, NextISlice};

bool AddFromIterable(Vm& vm) {
  Class* cls = ClassOfRecord(vm, kChain);
  const Value native = vm.NewNative("from_iterable", FromIterable, nullptr, false);
  const Value wrapped =
      native.empty() ? native : vm.NewDescriptor(DescriptorKind::kStaticMethod, native);
  return cls != nullptr && !wrapped.empty() &&
         vm.DictSetText(cls->attributes, "from_iterable", wrapped);
}

}  // namespace ferry::vm
