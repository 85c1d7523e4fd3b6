// Iterators that choose or change the items of one iterable.
#include "device-runtime/vm/lib/modules/itertools/iter.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

// Makes a record of (function, iterator, ...) from two positional arguments.
Value FromFunction(Vm& vm, Args& args, const RecordType& type, int function_at, uint32_t count) {
  if (!Expect(vm, args, type.name, 2, 2)) return Value();
  const Value source = vm.Iterate(args[function_at == 0 ? 1 : 0]);
  Record* record = source.empty() ? nullptr : NewIter(vm, type, count);
  if (record == nullptr) return Value();
  record->values[0] = args[static_cast<uint32_t>(function_at)];
  record->values[1] = source;
  return Value::Of(record);
}

// The truth of function(item), of the item itself when the function is None; false: failed.
bool Test(Vm& vm, Value function, Value item, bool* truth) {
  Roots roots(vm);
  roots.Add(item);
  const Value answer = function.IsNone() || function == Value::Of(vm.classes[kBoolClass])
                           ? item
                           : vm.Call(function, &item, 1);
  return !answer.empty() && vm.Truth(answer, truth);
}

// values: function, iterator, whether the beginning is over
Value NextDropWhile(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  for (;;) {
    const Value item = roots.Add(vm.Next(record->values[1]));
    if (item.empty() || record->values[2].IsTrue()) return item;
    bool truth;
    const Value answer = vm.Call(record->values[0], &item, 1);
    if (answer.empty() || !vm.Truth(answer, &truth)) return Value();
    if (!truth) {
      record->values[2] = Value::Bool(true);
      return item;
    }
    vm.kept.Pop();
  }
}
Value NewDropWhile(Vm& vm, Args& args) {
  return FromFunction(vm, args, kDropWhile, 0, 3);
}

Value NextTakeWhile(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  if (record->values[2].IsTrue()) return Value();
  const Value item = roots.Add(vm.Next(record->values[1]));
  bool truth;
  if (item.empty()) return item;
  const Value answer = vm.Call(record->values[0], &item, 1);
  if (answer.empty() || !vm.Truth(answer, &truth)) return Value();
  if (truth) return item;
  record->values[2] = Value::Bool(true);
  return Value();
}
Value NewTakeWhile(Vm& vm, Args& args) {
  return FromFunction(vm, args, kTakeWhile, 0, 3);
}

Value NextFilterFalse(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  for (;;) {
    const Value item = roots.Add(vm.Next(record->values[1]));
    bool truth;
    if (item.empty() || !Test(vm, record->values[0], item, &truth)) return Value();
    if (!truth) return item;
    vm.kept.Pop();
  }
}
Value NewFilterFalse(Vm& vm, Args& args) {
  return FromFunction(vm, args, kFilterFalse, 0, 2);
}

Value NextStarMap(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  Value items = roots.Add(vm.Next(record->values[1]));
  if (items.empty()) return Value();
  if (!Is(items, Type::kTuple)) items = roots.Add(vm.ToList(items));
  if (items.empty()) return Value();
  const bool tuple = Is(items, Type::kTuple);
  if (!tuple) items = roots.Add(vm.NewTuple(As<List>(items)->items, As<List>(items)->size));
  return items.empty()
             ? items
             : vm.Call(record->values[0], As<Tuple>(items)->items, As<Tuple>(items)->size);
}
Value NewStarMap(Vm& vm, Args& args) {
  return FromFunction(vm, args, kStarMap, 0, 2);
}

// values: data, selectors
Value NextCompress(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  for (;;) {
    const Value item = roots.Add(vm.Next(record->values[0]));
    if (item.empty()) return item;
    const Value selector = vm.Next(record->values[1]);
    bool truth;
    if (selector.empty() || !vm.Truth(selector, &truth)) return Value();
    if (truth) return item;
    vm.kept.Pop();
  }
}
Value NewCompress(Vm& vm, Args& args) {
  Value bound[2];
  static constexpr const char* kNames[] = {"data", "selectors"};
  if (!BindBuiltin(vm, args, "compress", kNames, 2, 2, bound)) return Value();
  const Value data = vm.Iterate(bound[0]);
  const Value selectors = data.empty() ? data : vm.Iterate(bound[1]);
  Record* record = selectors.empty() ? nullptr : NewIter(vm, kCompress, 2);
  if (record == nullptr) return Value();
  record->values[0] = data;
  record->values[1] = selectors;
  return Value::Of(record);
}

// values: function, iterator, total (empty before the first), initial or empty
Value NextAccumulate(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  if (!record->values[3].empty()) {
    record->values[2] = record->values[3];
    record->values[3] = Value();
    return record->values[2];
  }
  const Value item = roots.Add(vm.Next(record->values[1]));
  if (item.empty()) return item;
  Value total = item;
  if (!record->values[2].empty()) {
    const Value pair[] = {record->values[2], item};
    total = record->values[0].IsNone()
                ? vm.Binary(static_cast<int>(Operator::kAdd), pair[0], pair[1])
                : vm.Call(record->values[0], pair, 2);
    if (total.empty()) return total;
  }
  record->values[2] = total;
  return total;
}
Value NewAccumulate(Vm& vm, Args& args) {
  Value bound[3];
  static constexpr const char* kNames[] = {"iterable", "func", "initial"};
  if (!BindBuiltin(vm, args, "accumulate", kNames, 1, 2, bound)) return Value();
  const Value source = vm.Iterate(bound[0]);
  Record* record = source.empty() ? nullptr : NewIter(vm, kAccumulate, 4);
  if (record == nullptr) return Value();
  record->values[0] = bound[1].empty() ? Value::None() : bound[1];
  record->values[1] = source;
  record->values[2] = Value();
  record->values[3] = bound[2].empty() || bound[2].IsNone() ? Value() : bound[2];
  return Value::Of(record);
}

// values: iterator, the item before (empty at the start)
Value NextPairwise(Vm& vm, Value self) {
  Roots roots(vm);
  auto* record = As<Record>(roots.Add(self));
  if (record->values[0].IsNone()) return Value();
  Value before = record->values[1];
  if (before.empty()) {
    before = vm.Next(record->values[0]);
    if (before.empty()) {
      record->values[0] = Value::None();
      return Value();
    }
    record->values[1] = before;
  }
  roots.Add(before);
  const Value item = vm.Next(record->values[0]);
  if (item.empty()) {
    record->values[0] = Value::None();
    return Value();
  }
  record->values[1] = item;
  const Value pair[] = {before, item};
  return vm.NewTuple(pair, 2);
}
Value NewPairwise(Vm& vm, Args& args) {
  if (!Expect(vm, args, "pairwise", 1, 1)) return Value();
  const Value source = vm.Iterate(args[0]);
  Record* record = source.empty() ? nullptr : NewIter(vm, kPairwise, 2);
  if (record == nullptr) return Value();
  record->values[0] = source;
  record->values[1] = Value();
  return Value::Of(record);
}

constexpr BuiltinRow kDropWhileRows[] = {{"__new__", NewDropWhile}};
constexpr BuiltinRow kTakeWhileRows[] = {{"__new__", NewTakeWhile}};
constexpr BuiltinRow kFilterFalseRows[] = {{"__new__", NewFilterFalse}};
constexpr BuiltinRow kStarMapRows[] = {{"__new__", NewStarMap}};
constexpr BuiltinRow kCompressRows[] = {{"__new__", NewCompress}};
constexpr BuiltinRow kAccumulateRows[] = {{"__new__", NewAccumulate}};
constexpr BuiltinRow kPairwiseRows[] = {{"__new__", NewPairwise}};

}  // namespace

const RecordType kDropWhile = {"itertools", "dropwhile", kDropWhileRows, NextDropWhile};
const RecordType kTakeWhile = {"itertools", "takewhile", kTakeWhileRows, NextTakeWhile};
const RecordType kFilterFalse = {"itertools", "filterfalse", kFilterFalseRows, NextFilterFalse};
const RecordType kStarMap = {"itertools", "starmap", kStarMapRows, NextStarMap};
const RecordType kCompress = {"itertools", "compress", kCompressRows, NextCompress};
const RecordType kAccumulate = {"itertools", "accumulate", kAccumulateRows, NextAccumulate};
const RecordType kPairwise = {"itertools", "pairwise", kPairwiseRows, NextPairwise};

}  // namespace ferry::vm
