// groupby, tee, zip_longest.
#include "device-runtime/vm/lib/modules/itertools/iter.h"

namespace ferry::vm {
namespace {

// groupby: iterator, key function or None, key of the group, key of the item ahead, item ahead,
// the group being read. Keys and item are empty before the first.
enum { kSource, kFunction, kGroupKey, kAheadKey, kAhead, kReader };

bool Advance(Vm& vm, Record* record) {
  Roots roots(vm);
  const Value item = roots.Add(vm.Next(record->values[kSource]));
  if (item.empty()) return false;
  const Value key =
      record->values[kFunction].IsNone() ? item : vm.Call(record->values[kFunction], &item, 1);
  if (key.empty()) return false;
  record->values[kAhead] = item;
  record->values[kAheadKey] = key;
  return true;
}

bool SameKey(Vm& vm, Value a, Value b, bool* same) {
  *same = true;
  return a == b || vm.Equal(a, b, same);
}

Value NextGroup(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  record->values[kReader] = Value::None();
  for (;;) {
    if (!record->values[kAheadKey].empty()) {
      if (record->values[kGroupKey].empty()) break;
      bool same;
      if (!SameKey(vm, record->values[kGroupKey], record->values[kAheadKey], &same)) return Value();
      if (!same) break;
    }
    if (!Advance(vm, record)) return Value();
  }
  record->values[kGroupKey] = record->values[kAheadKey];
  Record* reader = NewIter(vm, kGrouper, 2);
  if (reader == nullptr) return Value();
  reader->values[0] = self;
  reader->values[1] = record->values[kGroupKey];
  record->values[kReader] = Value::Of(reader);
  const Value pair[] = {record->values[kGroupKey], Value::Of(reader)};
  return vm.NewTuple(pair, 2);
}
Value NewGroupBy(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"iterable", "key"};
  if (!BindBuiltin(vm, args, "groupby", kNames, 1, 2, bound)) return Value();
  const Value source = vm.Iterate(bound[0]);
  Record* record = source.empty() ? nullptr : NewIter(vm, kGroupBy, 6);
  if (record == nullptr) return Value();
  record->values[kSource] = source;
  record->values[kFunction] = bound[1].empty() ? Value::None() : bound[1];
  record->values[kGroupKey] = record->values[kAheadKey] = record->values[kAhead] = Value();
  return Value::Of(record);
}

// values: groupby, key
Value NextOfGroup(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  auto* parent = As<Record>(record->values[0]);
  if (!(parent->values[kReader] == self)) return Value();
  if (parent->values[kAhead].empty() && !Advance(vm, parent)) return Value();
  bool same;
  if (!SameKey(vm, record->values[1], parent->values[kAheadKey], &same) || !same) return Value();
  const Value item = parent->values[kAhead];
  parent->values[kAhead] = Value();
  return item;
}
Value NewGrouper(Vm& vm, Args&) {
  return vm.Raise(Error::kTypeError, "cannot create 'itertools._grouper' instances");
}

// tee: a chain of links, each (item or empty, next link or None); values: iterator, link
constexpr uint32_t kItem = 0, kLink = 1;

Value NextTee(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  auto* link = As<Tuple>(record->values[1]);
  if (link->items[kItem].empty()) {
    roots.Add(Value::Of(link));
    const Value item = roots.Add(vm.Next(record->values[0]));
    if (item.empty()) return item;
    const Value next = vm.NewTuple(nullptr, 2);
    if (next.empty()) return next;
    As<Tuple>(next)->items[kItem] = As<Tuple>(next)->items[kLink] = Value();
    if (link->items[kItem].empty()) {
      link->items[kItem] = item;
      link->items[kLink] = next;
    }
  }
  record->values[1] = link->items[kLink];
  return link->items[kItem];
}
Value TeeOver(Vm& vm, Value source, Value link) {
  Record* record = NewIter(vm, kTee, 2);
  if (record == nullptr) return Value();
  record->values[0] = source;
  record->values[1] = link;
  return Value::Of(record);
}
Value NewLink(Vm& vm) {
  const Value link = vm.NewTuple(nullptr, 2);
  if (!link.empty()) As<Tuple>(link)->items[kItem] = As<Tuple>(link)->items[kLink] = Value();
  return link;
}
Value NewTee(Vm& vm, Args& args) {
  if (!Expect(vm, args, "_tee", 1, 1)) return Value();
  const Value source = vm.Iterate(args[0]);
  const Value link = source.empty() ? source : NewLink(vm);
  return link.empty() ? link : TeeOver(vm, source, link);
}
Value CopyTee(Vm& vm, Args& args) {
  auto* record = As<Record>(args[0]);
  return TeeOver(vm, record->values[0], record->values[1]);
}

// values: tuple of iterators (None when over), fill value, how many are not over
Value NextZipLongest(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  auto* iterators = As<Tuple>(record->values[0]);
  if (record->values[2].AsSmallInt() == 0) return Value();
  const Value out = roots.Add(vm.NewTuple(nullptr, iterators->size));
  if (out.empty()) return out;
  for (uint32_t i = 0; i < iterators->size; ++i) As<Tuple>(out)->items[i] = record->values[1];
  for (uint32_t i = 0; i < iterators->size; ++i) {
    if (iterators->items[i].IsNone()) continue;
    const Value item = vm.Next(iterators->items[i]);
    if (!item.empty()) {
      As<Tuple>(out)->items[i] = item;
      continue;
    }
    const int64_t left = record->values[2].AsSmallInt() - 1;
    record->values[2] = Value::SmallInt(vm.failed() ? 0 : left);
    if (vm.failed() || left == 0) return Value();
    iterators->items[i] = Value::None();
  }
  return out;
}
Value NewZipLongest(Vm& vm, Args& args) {
  Value fill = Value::None();
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    if (Text(args.names->items[k]) != "fillvalue")
      return vm.Raise(Error::kTypeError, "zip_longest() got an unexpected keyword argument");
    fill = args.args[args.count + k];
  }
  const Value iterators = vm.NewTuple(nullptr, args.count);
  if (iterators.empty()) return iterators;
  for (uint32_t i = 0; i < args.count; ++i) {
    const Value iterator = vm.Iterate(args[i]);
    if (iterator.empty()) return iterator;
    As<Tuple>(iterators)->items[i] = iterator;
  }
  Record* record = NewIter(vm, kZipLongest, 3);
  if (record == nullptr) return Value();
  record->values[0] = iterators;
  record->values[1] = fill;
  record->values[2] = Value::SmallInt(args.count);
  return Value::Of(record);
}

constexpr BuiltinRow kGroupByRows[] = {{"__new__", NewGroupBy}};
constexpr BuiltinRow kGrouperRows[] = {{"__new__", NewGrouper}};
constexpr BuiltinRow kTeeRows[] = {{"__copy__", CopyTee}, {"__new__", NewTee}};
constexpr BuiltinRow kZipLongestRows[] = {{"__new__", NewZipLongest}};

}  // namespace

const RecordType kGroupBy = {"itertools", "groupby", kGroupByRows, NextGroup};
const RecordType kGrouper = {"itertools", "_grouper", kGrouperRows, NextOfGroup};
const RecordType kTee = {"itertools", "_tee", kTeeRows, NextTee};
const RecordType kZipLongest = {"itertools", "zip_longest", kZipLongestRows, NextZipLongest};

Value TeeFunction(Vm& vm, Args& args) {
  if (!Expect(vm, args, "tee", 1, 2)) return Value();
  int64_t n = 2;
  if (args.count > 1 && !vm.ToIndex(args[1], &n, "integer")) return Value();
  if (n < 0) return vm.Raise(Error::kValueError, "n must be >= 0");
  if (n > static_cast<int64_t>(kMaxItems)) return vm.TooLarge();
  const Value out = vm.NewTuple(nullptr, static_cast<size_t>(n));
  if (out.empty() || n == 0 || !vm.ChargeSteps(n)) return vm.failed() ? Value() : out;
  const Value source = vm.Iterate(args[0]);
  if (source.empty()) return source;
  const bool again = AsRecord(vm, source, kTee) != nullptr;
  const Value link = again ? As<Record>(source)->values[1] : NewLink(vm);
  if (link.empty()) return link;
  for (int64_t i = 0; i < n; ++i) {
    const Value one = i == 0 && again
                          ? source
                          : TeeOver(vm, again ? As<Record>(source)->values[0] : source, link);
    if (one.empty()) return one;
    As<Tuple>(out)->items[i] = one;
  }
  return out;
}

}  // namespace ferry::vm
