// product, permutations, combinations: a pool of items and the places of the next result in it.
#include "device-runtime/vm/lib/modules/itertools/iter.h"

namespace ferry::vm {
namespace {

// values of all: pools (tuple of tuples for product, else one tuple), places (list of small
// integers) or None when over, and for permutations the cycles (list).
List* PlacesOf(Record* record) {
  return As<List>(record->values[1]);
}
int64_t At(List* list, int64_t i) {
  return list->items[i].AsSmallInt();
}
void Put(List* list, int64_t i, int64_t v) {
  list->items[i] = Value::SmallInt(v);
}

Value TupleOf(Vm& vm, Value iterable) {
  if (Is(iterable, Type::kTuple)) return iterable;
  const Value list = vm.ToList(iterable);
  return list.empty() ? list : vm.NewTuple(As<List>(list)->items, As<List>(list)->size);
}

Value ListOf(Vm& vm, int64_t count, int64_t first, int64_t step) {
  if (count > static_cast<int64_t>(kMaxItems)) return vm.TooLarge();
  const Value list = vm.NewList(nullptr, 0);
  if (list.empty() || !vm.ChargeSteps(count / 8) ||
      !vm.Reserve(As<List>(list), static_cast<size_t>(count)))
    return Value();
  for (int64_t i = 0; i < count; ++i) As<List>(list)->items[i] = Value::SmallInt(first + i * step);
  As<List>(list)->size = static_cast<uint32_t>(count);
  return list;
}

// The items at the places, in a tuple.
Value Chosen(Vm& vm, Tuple* pool, List* places, uint32_t count) {
  const Value out = vm.NewTuple(nullptr, count);
  if (out.empty() || !vm.ChargeSteps(count / 4)) return Value();
  for (uint32_t i = 0; i < count; ++i) As<Tuple>(out)->items[i] = pool->items[At(places, i)];
  return out;
}

Value NextProduct(Vm& vm, Value self) {
  auto* record = As<Record>(self);
  if (record->values[1].IsNone()) return Value();
  auto* pools = As<Tuple>(record->values[0]);
  List* places = PlacesOf(record);
  const Value out = vm.NewTuple(nullptr, pools->size);
  if (out.empty() || !vm.ChargeSteps(pools->size / 4)) return Value();
  for (uint32_t i = 0; i < pools->size; ++i)
    As<Tuple>(out)->items[i] = As<Tuple>(pools->items[i])->items[At(places, i)];
  for (int64_t i = pools->size; i-- > 0;) {
    const int64_t next = At(places, i) + 1;
    Put(places, i, next < As<Tuple>(pools->items[i])->size ? next : 0);
    if (next < As<Tuple>(pools->items[i])->size) return out;
  }
  record->values[1] = Value::None();
  return out;
}
Value NewProduct(Vm& vm, Args& args) {
  int64_t repeat = 1;
  for (uint32_t k = 0; k < args.keywords(); ++k) {
    if (Text(args.names->items[k]) != "repeat")
      return vm.Throw(Error::kTypeError, "'{}' is an invalid keyword argument for product()",
                      Text(args.names->items[k]));
    if (!vm.ToIndex(args.args[args.count + k], &repeat, "integer")) return Value();
    if (repeat < 0) return vm.Raise(Error::kValueError, "repeat argument cannot be negative");
  }
  const uint32_t given = repeat == 0 ? 0 : args.count;
  if (repeat > 0 && given > kMaxItems / static_cast<uint64_t>(repeat))
    return vm.Raise(Error::kOverflowError, "repeat argument too large");
  const auto total = static_cast<size_t>(given * repeat);
  const Value pools = vm.NewTuple(nullptr, total);
  if (pools.empty() || !vm.ChargeSteps(static_cast<int64_t>(total / 8))) return Value();
  bool any_empty = false;
  for (uint32_t i = 0; i < given; ++i) {
    const Value pool = TupleOf(vm, args[i]);
    if (pool.empty()) return pool;
    any_empty = any_empty || As<Tuple>(pool)->size == 0;
    for (size_t j = i; j < total; j += given) As<Tuple>(pools)->items[j] = pool;
  }
  const Value places = ListOf(vm, static_cast<int64_t>(total), 0, 0);
  Record* record = places.empty() ? nullptr : NewIter(vm, kProduct, 2);
  if (record == nullptr) return Value();
  record->values[0] = pools;
  if (!any_empty) record->values[1] = places;
  return Value::Of(record);
}

Value NextCombinations(Vm& vm, Value self) {
  auto* record = As<Record>(self);
  if (record->values[1].IsNone()) return Value();
  auto* pool = As<Tuple>(record->values[0]);
  List* places = PlacesOf(record);
  const int64_t n = pool->size, r = places->size;
  const Value out = Chosen(vm, pool, places, places->size);
  if (out.empty()) return out;
  int64_t i = r - 1;
  while (i >= 0 && At(places, i) == i + n - r) --i;
  if (i < 0) {
    record->values[1] = Value::None();
    return out;
  }
  Put(places, i, At(places, i) + 1);
  for (int64_t j = i + 1; j < r; ++j) Put(places, j, At(places, j - 1) + 1);
  return out;
}

Value NextWithReplacement(Vm& vm, Value self) {
  auto* record = As<Record>(self);
  if (record->values[1].IsNone()) return Value();
  auto* pool = As<Tuple>(record->values[0]);
  List* places = PlacesOf(record);
  const int64_t n = pool->size, r = places->size;
  const Value out = Chosen(vm, pool, places, places->size);
  if (out.empty()) return out;
  int64_t i = r - 1;
  while (i >= 0 && At(places, i) == n - 1) --i;
  if (i < 0) {
    record->values[1] = Value::None();
    return out;
  }
  const int64_t next = At(places, i) + 1;
  for (int64_t j = i; j < r; ++j) Put(places, j, next);
  return out;
}

Value NextPermutations(Vm& vm, Value self) {
  auto* record = As<Record>(self);
  if (record->values[1].IsNone()) return Value();
  auto* pool = As<Tuple>(record->values[0]);
  List* places = PlacesOf(record);
  auto* cycles = As<List>(record->values[2]);
  const int64_t n = pool->size, r = cycles->size;
  const Value out = Chosen(vm, pool, places, cycles->size);
  if (out.empty()) return out;
  for (int64_t i = r - 1; i >= 0; --i) {
    const int64_t left = At(cycles, i) - 1;
    Put(cycles, i, left);
    if (left == 0) {
      const Value first = places->items[i];
      for (int64_t j = i; j + 1 < n; ++j) places->items[j] = places->items[j + 1];
      places->items[n - 1] = first;
      Put(cycles, i, n - i);
    } else {
      std::swap(places->items[i], places->items[n - left]);
      return out;
    }
  }
  record->values[1] = Value::None();
  return out;
}

enum class Kind { kCombinations, kWithReplacement, kPermutations };

Value NewChoice(Vm& vm, Args& args, const RecordType& type, Kind kind) {
  Value bound[2];
  static constexpr const char* kNames[] = {"iterable", "r"};
  const uint32_t required = kind == Kind::kPermutations ? 1 : 2;
  if (!BindBuiltin(vm, args, type.name, kNames, required, 2, bound)) return Value();
  int64_t r = -1;
  const bool whole = bound[1].empty() || (kind == Kind::kPermutations && bound[1].IsNone());
  if (!whole && kind == Kind::kPermutations && !IsInt(bound[1]))
    return vm.Raise(Error::kTypeError, "Expected int as r");
  if (!whole && !vm.ToIndex(bound[1], &r, "integer", true)) return Value();
  const Value pool = TupleOf(vm, bound[0]);
  if (pool.empty()) return pool;
  const int64_t n = As<Tuple>(pool)->size;
  if (whole) r = n;
  if (r < 0) return vm.Raise(Error::kValueError, "r must be non-negative");
  Record* record = NewIter(vm, type, 3);
  if (record == nullptr) return Value();
  record->values[0] = pool;
  const bool none = kind == Kind::kWithReplacement ? n == 0 && r > 0 : r > n;
  if (none) return Value::Of(record);
  record->values[1] = kind == Kind::kPermutations
                          ? ListOf(vm, n, 0, 1)
                          : ListOf(vm, r, 0, kind != Kind::kWithReplacement);
  if (record->values[1].empty()) return Value();
  if (kind == Kind::kPermutations && (record->values[2] = ListOf(vm, r, n, -1)).empty())
    return Value();
  return Value::Of(record);
}
Value NewCombinations(Vm& vm, Args& args) {
  return NewChoice(vm, args, kCombinations, Kind::kCombinations);
}
Value NewWithReplacement(Vm& vm, Args& args) {
  return NewChoice(vm, args, kCombinationsWithReplacement, Kind::kWithReplacement);
}
Value NewPermutations(Vm& vm, Args& args) {
  return NewChoice(vm, args, kPermutations, Kind::kPermutations);
}

constexpr BuiltinRow kProductRows[] = {{"__new__", NewProduct}};
constexpr BuiltinRow kCombinationsRows[] = {{"__new__", NewCombinations}};
constexpr BuiltinRow kReplacementRows[] = {{"__new__", NewWithReplacement}};
constexpr BuiltinRow kPermutationsRows[] = {{"__new__", NewPermutations}};

}  // namespace

const RecordType kProduct = {"itertools", "product", kProductRows, NextProduct};
const RecordType kCombinations = {"itertools", "combinations", kCombinationsRows, NextCombinations};
const RecordType kCombinationsWithReplacement = {"itertools", "combinations_with_replacement",
                                                 kReplacementRows, NextWithReplacement};
const RecordType kPermutations = {"itertools", "permutations", kPermutationsRows, NextPermutations};

}  // namespace ferry::vm
