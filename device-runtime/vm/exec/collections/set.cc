// Sets: one open-addressed table in the order of CPython's, so that scripts see their items in the
// same order. A Dict whose entries are the table: `used` and `capacity` are its size, a power of
// two; `index` is not there. An entry without a key was never used when its value is empty, else
// its item was removed. `fill` counts the used ones, removed ones too; aux is where pop() goes on.
#include <cstring>

#include "device-runtime/vm/exec/collections/set.h"

#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/operators/hash.h"
#include "device-runtime/vm/exec/operators/keyed.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {
namespace {

constexpr uint32_t kLeast = 8, kMany = 50000;
constexpr uint32_t kMost = 1u << 27;

void Insert(Vm& vm, Dict* set, Value key, uint64_t hash) {
  const uint64_t home = HomeOf(vm, set, key, hash);
  Entry& first = set->entries[home & (set->capacity - 1)];
  if (first.key.empty()) {
    first = {key, Value::None(), hash};
    return;
  }
  Probe probe(set, home);
  uint64_t places = 0;
  for (; !set->entries[probe.at()].key.empty(); probe.Next()) ++places;
  PaySearch(vm, places);
  set->entries[probe.at()] = {key, Value::None(), hash};
}

// Of work on all places of the table.
int64_t StepsOf(const Dict* set) {
  return (int64_t{set->count} + set->used / 64) / 8;
}

bool Resize(Vm& vm, Dict* set, uint64_t least) {
  uint64_t size = kLeast;
  while (size <= least) size *= 2;
  const auto bytes = static_cast<size_t>(size * sizeof(Entry));
  auto* entries = size > kMost ? nullptr : static_cast<Entry*>(vm.heap.NewBuffer(bytes));
  if (entries == nullptr) {
    vm.OutOfMemory();
    return false;
  }
  for (uint64_t i = 0; i < kLeast; ++i) entries[i] = {Value(), Value(), 0};
  for (uint64_t done = kLeast; done < size; done *= 2)
    std::memcpy(static_cast<void*>(entries + done), entries, done * sizeof(Entry));
  const Dict old = *set;
  set->entries = entries;
  set->capacity = set->used = static_cast<uint32_t>(size);
  set->fill = set->count;
  for (uint32_t i = 0; i < old.used; ++i)
    if (!old.entries[i].key.empty()) Insert(vm, set, old.entries[i].key, old.entries[i].hash);
  vm.heap.FreeBuffer(old.entries, DictBytes(&old));
  // By what it holds: how large the table is may depend on where objects lie.
  return vm.ChargeSteps(set->count / 16);
}
uint64_t Grown(const Dict* set) {
  return static_cast<uint64_t>(set->count) * (set->count > kMany ? 2 : 4);
}

// Whether an item of the same hash equals the key, if that is plain to see.
bool QuickSame(Value item, Value key, bool* same) {
  if (!IsExact(item, Type::kTuple) || !IsExact(key, Type::kTuple))
    return QuickEqual(item, key, same);
  const auto *a = As<Tuple>(item), *b = As<Tuple>(key);
  *same = a->size == b->size;
  for (uint32_t i = 0; i < a->size && *same; ++i)
    if (!QuickEqual(a->items[i], b->items[i], same)) return false;
  return true;
}

// Where a key would go, or -1, and whether the search for it looked at more than the free places.
struct Spot {
  int64_t at = -1;
  bool far = false;
};

// Each item where a search looks for it, after the mark has changed from `before`; false: it
// failed.
bool Place(Vm& vm, Dict* set, Keying before) {
  const Entry* entries = set->entries;
  const bool done = set->capacity == 0 || Resize(vm, set, uint64_t{set->capacity} - 1);
  if (!done && set->entries == entries) set->set_keying(before);
  return done;
}

// Before a key that cannot be in a keyed set is looked for in one. false: it failed.
bool Unkey(Vm& vm, Dict* set, Value key) {
  if (!set->keyed() || CanBeKeyed(key)) return true;
  MarkUnkeyed(set);
  return Place(vm, set, Keying::kKeyed);
}

// As Locate, where no script is to be asked; *known false: one is.
int64_t LocatePlain(Vm& vm, const Dict* set, Value key, uint64_t hash, Spot* spot, bool* known) {
  *spot = {};
  *known = true;
  if (set->capacity == 0) return -1;
  uint64_t places = 0;
  for (Probe probe(set, HomeOf(vm, set, key, hash));; probe.Next()) {
    if (++places > kFreeProbes) [[unlikely]] {
      PayProbes(vm, 1);
      spot->far = true;
    }
    const auto at = static_cast<int64_t>(probe.at());
    const Entry& entry = set->entries[at];
    if (entry.key.empty()) {
      if (!Fresh(entry)) {
        spot->at = at;
        continue;
      }
      if (spot->at < 0) spot->at = at;
      return -1;
    }
    if (entry.key == key) return at;
    if (entry.hash != hash) continue;
    bool same;
    *known = QuickSame(entry.key, key, &same);
    if (!*known) return -1;
    if (same) return at;
  }
}

int64_t Locate(Vm& vm, Dict* set, Value key, uint64_t hash, Spot* spot, bool* failed);

// As Locate, where scripts are asked.
[[gnu::noinline]] int64_t LocateAsking(Vm& vm, Dict* set, Value key, uint64_t hash, Spot* spot,
                                       bool* failed) {
  *spot = {};
  Roots roots(vm);
  roots.Add(key);
  roots.Add(Value::Of(set));
  uint64_t places = 0;
  const Keying keying = set->keying();
  for (Probe probe(set, HomeOf(vm, set, key, hash));; probe.Next()) {
    if (++places > kFreeProbes && !vm.ChargeSteps(1)) {
      *failed = true;
      return -1;
    }
    const auto at = static_cast<int64_t>(probe.at());
    const Entry entry = set->entries[at];
    if (entry.key.empty()) {
      if (Fresh(entry)) {
        if (spot->at < 0) spot->at = at;
        return -1;
      }
      spot->at = at;
      continue;
    }
    if (entry.key == key) return at;
    if (entry.hash != hash) continue;
    if (IsExact(key, Type::kString) && IsExact(entry.key, Type::kString)) {
      if (Text(key) == Text(entry.key)) return at;
      continue;
    }
    const Entry* entries = set->entries;
    bool equal = false;
    roots.Add(entry.key);
    if (!vm.ChargeSteps(1) || !vm.Equal(entry.key, key, &equal)) {
      *failed = true;
      return -1;
    }
    // __eq__ changed the set: from the beginning.
    if (set->entries != entries || set->keying() != keying ||
        !(set->entries[at].key == entry.key)) {
      if (set->capacity == 0) return -1;
      *spot = {};
      return vm.ChargeSteps(16) ? Locate(vm, set, key, hash, spot, failed) : (*failed = true, -1);
    }
    if (equal) return at;
  }
}

// The entry that equals the key, or -1; then *spot is where the key would go. Once in the machine's
// code: what all operations have in common is most of them.
[[gnu::noinline]] int64_t Locate(Vm& vm, Dict* set, Value key, uint64_t hash, Spot* spot,
                                 bool* failed) {
  if (set->keyed() && !Unkey(vm, set, key)) {
    *failed = true;
    return -1;
  }
  bool known;
  const int64_t found = LocatePlain(vm, set, key, hash, spot, &known);
  return known ? found : LocateAsking(vm, set, key, hash, spot, failed);
}

// hash() of small integers and strings, which needs nobody.
inline bool PlainHash(Vm& vm, Value key, int64_t* hash) {
  if (key.IsSmallInt()) {
    *hash = static_cast<int64_t>(SetHash(key.AsSmallInt()));
    return true;
  }
  if (!IsExactString(key)) return QuickTupleHash(vm, key, hash);
  auto* string = As<String>(key);
  if (string->hash == 0) string->hash = Vm::HashText(string->view());
  *hash = static_cast<int64_t>(string->hash);
  return *hash != -1;
}

[[gnu::noinline]] bool AddHashed(Vm& vm, Dict* set, Value key, uint64_t hash) {
  if (set->capacity != 0 && !set->keyed()) {  // most find their place at once
    Entry& first = set->entries[hash & (set->capacity - 1)];
    if (first.key == key) return true;
    if (Fresh(first)) {
      first = {key, Value::None(), hash};
      ++set->count;
      ++set->fill;
      return uint64_t{set->fill} * 5 < uint64_t{set->capacity - 1} * 3 ||
             Resize(vm, set, Grown(set));
    }
  }
  bool failed = false;
  Spot spot;
  if (Locate(vm, set, key, hash, &spot, &failed) >= 0) return true;
  if (failed) return false;
  if (spot.far && MarkKeyed(vm, set, key)) [[unlikely]] {
    if (!Place(vm, set, Keying::kUnkeyed)) return false;
    Locate(vm, set, key, hash, &spot, &failed);
  }
  if (spot.at < 0 || set->capacity == 0) {
    if (!Resize(vm, set, 0)) return false;
    spot.at = static_cast<int64_t>(Probe(set, HomeOf(vm, set, key, hash)).at());
  }
  Entry& entry = set->entries[spot.at];
  const bool fresh = Fresh(entry);
  entry = {key, Value::None(), hash};
  ++set->count;
  if (!fresh) return true;
  ++set->fill;
  return uint64_t{set->fill} * 5 < uint64_t{set->capacity - 1} * 3 || Resize(vm, set, Grown(set));
}

void RemoveAt(Dict* set, int64_t at) {
  TakeOut(set, &set->entries[at]);
}

// All of another set, whose hashes are known.
bool Merge(Vm& vm, Dict* set, Dict* from) {
  if (set == from || from->count == 0) return true;
  if (!vm.ChargeSteps(StepsOf(from))) return false;
  if (set->capacity == 0 && !Resize(vm, set, 0)) return false;
  if ((uint64_t{set->fill} + from->count) * 5 >= uint64_t{set->capacity - 1} * 3 &&
      !Resize(vm, set, (uint64_t{set->count} + from->count) * 2))
    return false;
  if (set->fill == 0) {
    set->set_keying(from->keying());
    if (set->capacity == from->capacity && from->fill == from->count) {
      std::memcpy(static_cast<void*>(set->entries), from->entries, DictBytes(from));
    } else {
      for (uint32_t i = 0; i < from->used; ++i)
        if (!from->entries[i].key.empty())
          Insert(vm, set, from->entries[i].key, from->entries[i].hash);
    }
    set->fill = set->count = from->count;
    return true;
  }
  for (uint32_t i = 0; i < from->used; ++i) {
    const Entry entry = from->entries[i];
    if (!entry.key.empty() && !AddHashed(vm, set, entry.key, entry.hash)) return false;
  }
  return true;
}

// Calls `each(state, key, hash)` for the items of any iterable, until it says false.
bool ForEachItem(Vm& vm, Value iterable, bool (*each)(void*, Value, uint64_t), void* state) {
  Roots roots(vm);
  roots.Add(iterable);
  if (IsSet(iterable)) {
    auto* set = As<Dict>(iterable);
    if (!vm.ChargeSteps(StepsOf(set))) return false;
    for (uint32_t i = 0; i < set->used; ++i) {
      const Entry entry = set->entries[i];
      if (!entry.key.empty() && !each(state, entry.key, entry.hash)) return false;
    }
    return true;
  }
  const auto take = [&](Value item) __attribute__((noinline)) {
    int64_t hash;
    if (PlainHash(vm, item, &hash)) return each(state, item, static_cast<uint64_t>(hash));
    Roots inner(vm);
    inner.Add(item);
    return vm.HashVisible(item, &hash) && each(state, item, static_cast<uint64_t>(hash));
  };
  if (IsExact(iterable, Type::kList)) {  // which items may change
    for (uint32_t i = 0; i < As<List>(iterable)->size; ++i)
      if (!vm.ChargeSteps(1) || !take(As<List>(iterable)->items[i])) return false;
    return true;
  }
  const Value iterator = roots.Add(vm.Iterate(iterable));
  if (iterator.empty()) return false;
  for (Value item; Pull(vm, iterator, &item);)
    if (!take(item)) return false;
  return !vm.failed();
}

// The same with a function object; the walk itself is once in the machine's code.
template <typename F>
bool ForEach(Vm& vm, Value iterable, F&& each) {
  const auto call = [](void* state, Value key, uint64_t hash) {
    return (*static_cast<std::remove_reference_t<F>*>(state))(key, hash);
  };
  return ForEachItem(vm, iterable, call, &each);
}

bool Has(Vm& vm, Dict* set, Value key, uint64_t hash, bool* failed) {
  Spot spot;
  return Locate(vm, set, key, hash, &spot, failed) >= 0;
}

}  // namespace

const Entry* SearchSet(const Dict* set, Value key, bool* known) {
  uint64_t hash = 0;
  *known = true;
  const bool text = IsExact(key, Type::kString);
  if (text) {
    hash = As<String>(key)->hash;
  } else if (key.IsSmallInt()) {
    hash = SetHash(key.AsSmallInt());
  }
  if ((!text && !key.IsSmallInt()) || hash == UINT64_MAX || (text && (hash == 0 || set->keyed()))) {
    *known = false;
    return nullptr;
  }
  if (set->count == 0) return nullptr;
  Probe probe(set, hash);
  for (uint32_t places = 0; places < kFreeProbes; probe.NextRun()) {
    places += static_cast<uint32_t>(probe.run()) + 1;
    const Entry* entry = set->entries + probe.at();
    for (const Entry* const end = entry + probe.run(); entry <= end; ++entry) {
      if (entry->hash != hash) {
        if (entry->hash == 0 && Fresh(*entry)) return nullptr;
      } else if (entry->key == key) {
        return entry;
      } else if (entry->key.empty()) {
        return nullptr;
      } else {
        if (!text || !IsExact(entry->key, Type::kString)) {
          *known = false;
          return nullptr;
        }
        if (Text(key) == Text(entry->key)) return entry;
      }
    }
  }
  *known = false;  // whoever counts steps goes on
  return nullptr;
}

bool SetHas(Vm& vm, Dict* set, const Entry& item, bool* failed) {
  if (set->capacity == 0) return false;
  return set->entries[item.hash & (set->capacity - 1)].key == item.key ||
         Has(vm, set, item.key, item.hash, failed);
}

Value* Vm::SetFind(Dict* set, Value key, bool* failed) {
  int64_t hash;
  Spot spot;
  if (PlainHash(*this, key, &hash)) {
    const int64_t at = Locate(*this, set, key, static_cast<uint64_t>(hash), &spot, failed);
    return at < 0 ? nullptr : &set->entries[at].value;
  }
  Roots roots(*this);
  if (!HashVisible(key, &hash)) {
    // A set is looked for as the frozenset of its items.
    if (!Is(key, Type::kSet) || !TakePending(Error::kTypeError)) {
      *failed = true;
      return nullptr;
    }
    const Value frozen = roots.Add(NewDict(Type::kFrozenSet));
    if (frozen.empty() || !SetUpdate(*this, As<Dict>(frozen), key) || !HashVisible(frozen, &hash)) {
      *failed = true;
      return nullptr;
    }
    key = frozen;
  }
  const int64_t at = Locate(*this, set, key, static_cast<uint64_t>(hash), &spot, failed);
  return at < 0 ? nullptr : &set->entries[at].value;
}

bool Vm::SetAdd(Dict* set, Value key) {
  int64_t hash;
  if (PlainHash(*this, key, &hash)) return AddHashed(*this, set, key, static_cast<uint64_t>(hash));
  Roots roots(*this);
  roots.Add(Value::Of(set));
  roots.Add(key);
  return HashVisible(key, &hash) && AddHashed(*this, set, key, static_cast<uint64_t>(hash));
}

bool Vm::SetRemove(Dict* set, Value key) {
  int64_t hash;
  Spot spot;
  bool failed = false;
  if (!PlainHash(*this, key, &hash) && !HashVisible(key, &hash)) return false;
  const int64_t at = Locate(*this, set, key, static_cast<uint64_t>(hash), &spot, &failed);
  if (at < 0) return false;
  RemoveAt(set, at);
  return true;
}

Value Vm::SetPop(Dict* set) {
  if (set->count == 0) return Raise(Error::kKeyError, "pop from an empty set");
  uint32_t at = set->aux & (set->capacity - 1), steps = 0;
  for (; set->entries[at].key.empty(); at = (at + 1) & (set->capacity - 1)) ++steps;
  const Value key = set->entries[at].key;
  RemoveAt(set, at);
  set->set_pop_place(at + 1);
  return ChargeSteps(steps / 64) ? key : Value();
}

bool SetUpdate(Vm& vm, Dict* set, Value iterable) {
  Roots roots(vm);
  roots.Add(Value::Of(set));
  roots.Add(iterable);
  if (IsSet(iterable)) return Merge(vm, set, As<Dict>(iterable));
  if (Is(iterable, Type::kDict) && !HasMethods(iterable)) {
    const uint64_t count = As<Dict>(iterable)->count;
    if (set->capacity == 0 && !Resize(vm, set, 0)) return false;
    if ((set->fill + count) * 5 >= uint64_t{set->capacity - 1} * 3 &&
        !Resize(vm, set, (set->count + count) * 2))
      return false;
  }
  return ForEach(vm, iterable,
                 [&](Value key, uint64_t hash) { return AddHashed(vm, set, key, hash); });
}

Value SetIntersection(Vm& vm, Value a, Value b) {
  Roots roots(vm);
  roots.Add(a);
  roots.Add(b);
  const Value out = roots.Add(vm.NewDict(a.object()->type));
  if (out.empty() || a == b) return out.empty() || SetUpdate(vm, As<Dict>(out), a) ? out : Value();
  if (IsSet(b) && As<Dict>(b)->count > As<Dict>(a)->count) std::swap(a, b);
  bool failed = false;
  const bool ok = ForEach(vm, b, [&](Value key, uint64_t hash) {
    const bool both = Has(vm, As<Dict>(a), key, hash, &failed);
    return !failed && (!both || AddHashed(vm, As<Dict>(out), key, hash));
  });
  return ok ? out : Value();
}

bool SetSubtract(Vm& vm, Dict* set, Value other) {
  Roots roots(vm);
  roots.Add(Value::Of(set));
  roots.Add(other);
  if (other == Value::Of(set)) {
    vm.DictClear(set);
    return true;
  }
  if (IsSet(other) && As<Dict>(other)->count / 8 > set->count) {
    other = roots.Add(SetIntersection(vm, Value::Of(set), other));
    if (other.empty()) return false;
  }
  bool failed = false;
  const bool ok = ForEach(vm, other, [&](Value key, uint64_t hash) {
    Spot spot;
    const int64_t at = Locate(vm, set, key, hash, &spot, &failed);
    if (at >= 0) RemoveAt(set, at);
    return !failed;
  });
  if (!ok || !IsSet(other) || set->capacity == 0) return ok;
  return set->fill - set->count <= (set->capacity - 1) / 4 || Resize(vm, set, Grown(set));
}

Value SetDifference(Vm& vm, Value a, Value b) {
  Roots roots(vm);
  roots.Add(a);
  roots.Add(b);
  const Value out = roots.Add(vm.NewDict(a.object()->type));
  if (out.empty()) return out;
  const bool known = IsSet(b) || Is(b, Type::kDict);
  if (!known || As<Dict>(a)->count / 4 > As<Dict>(b)->count)
    return SetUpdate(vm, As<Dict>(out), a) && SetSubtract(vm, As<Dict>(out), b) ? out : Value();
  const bool ok = ForEach(vm, a, [&](Value key, uint64_t hash) {
    bool failed = false;
    const bool there = IsSet(b) ? Has(vm, As<Dict>(b), key, hash, &failed)
                                : vm.DictFind(As<Dict>(b), key, &failed) != nullptr;
    return !failed && (there || AddHashed(vm, As<Dict>(out), key, hash));
  });
  return ok ? out : Value();
}

bool SetToggle(Vm& vm, Dict* set, Value other) {
  Roots roots(vm);
  roots.Add(Value::Of(set));
  if (other == Value::Of(set)) {
    vm.DictClear(set);
    return true;
  }
  if (!IsSet(other)) {
    const Value made = roots.Add(vm.NewDict(Type::kSet));
    if (made.empty() || !SetUpdate(vm, As<Dict>(made), other)) return false;
    other = made;
  }
  return ForEach(vm, other, [&](Value key, uint64_t hash) {
    bool failed = false;
    Spot spot;
    const int64_t at = Locate(vm, set, key, hash, &spot, &failed);
    if (at >= 0) RemoveAt(set, at);
    return !failed && (at >= 0 || AddHashed(vm, set, key, hash));
  });
}

Value SetBinary(Vm& vm, int op, Value a, Value b, bool in_place) {
  Roots roots(vm);
  roots.Add(a);
  roots.Add(b);
  in_place = in_place && Is(a, Type::kSet);
  auto* set = As<Dict>(a);
  switch (static_cast<Operator>(op)) {
    case Operator::kAnd: {
      const Value out = SetIntersection(vm, a, b);
      if (out.empty() || !in_place) return out;
      SetSwap(set, As<Dict>(out));
      return a;
    }
    case Operator::kSub:
      if (!in_place) return SetDifference(vm, a, b);
      return SetSubtract(vm, set, b) ? a : Value();
    case Operator::kXor: {
      if (in_place) return SetToggle(vm, set, b) ? a : Value();
      const Value out = roots.Add(vm.NewDict(a.object()->type));
      return !out.empty() && SetUpdate(vm, As<Dict>(out), b) && SetToggle(vm, As<Dict>(out), a)
                 ? out
                 : Value();
    }
    default: {
      if (in_place) return SetUpdate(vm, set, b) ? a : Value();
      const Value out = roots.Add(vm.NewDict(a.object()->type));
      return !out.empty() && SetUpdate(vm, As<Dict>(out), a) && SetUpdate(vm, As<Dict>(out), b)
                 ? out
                 : Value();
    }
  }
}

void SetSwap(Dict* a, Dict* b) {
  std::swap(a->count, b->count);
  std::swap(a->used, b->used);
  std::swap(a->capacity, b->capacity);
  std::swap(a->fill, b->fill);
  std::swap(a->aux, b->aux);
  std::swap(a->entries, b->entries);
}

Value BuildSet(Vm& vm, const Value* items, uint32_t count) {
  Roots roots(vm);
  const Value set = roots.Add(vm.NewDict(Type::kSet));
  if (set.empty()) return set;
  for (uint32_t i = 0; i < count; ++i)
    if (!vm.SetAdd(As<Dict>(set), items[i])) return Value();
  return set;
}

}  // namespace ferry::vm
