// Dicts and sets: entries in order of insertion beside an open-addressed index of entry numbers.
#include <cmath>
#include <cstring>

#include "device-runtime/vm/exec/call/native_level.h"
#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/view.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/operators/hash.h"
#include "device-runtime/vm/exec/operators/keyed.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

uint32_t Places(const Dict* dict) {
  return dict->capacity * 2;
}

uint32_t HomePlace(Vm& vm, const Dict* dict, Value key, uint64_t hash) {
  return static_cast<uint32_t>(HomeOf(vm, dict, key, hash)) & (Places(dict) - 1);
}

// How many places it had to pass.
uint32_t PutInIndex(Vm& vm, Dict* dict, const Entry& entry, uint32_t number) {
  const uint32_t mask = Places(dict) - 1, home = HomePlace(vm, dict, entry.key, entry.hash);
  uint32_t at = home;
  while (dict->index[at] != 0) at = (at + 1) & mask;
  dict->index[at] = number + 1;
  PaySearch(vm, (at - home) & mask);
  return (at - home) & mask;
}

// The index anew.
void FillIndex(Vm& vm, Dict* dict) {
  if (dict->capacity == 0) return;
  std::memset(dict->index, 0, Places(dict) * sizeof(uint32_t));
  for (uint32_t i = 0; i < dict->used; ++i)
    if (!dict->entries[i].key.empty()) PutInIndex(vm, dict, dict->entries[i], i);
}

// The same block without the removed entries.
void Compact(Vm& vm, Dict* dict) {
  uint32_t to = 0;
  for (uint32_t i = 0; i < dict->used; ++i)
    if (!dict->entries[i].key.empty()) dict->entries[to++] = dict->entries[i];
  dict->used = to;
  dict->fill = 0;
  FillIndex(vm, dict);
}

constexpr uint32_t kFewEntries = 4;  // of a dict's first block

// The first block of a dict without any.
bool FirstBlock(Vm& vm, Dict* dict) {
  constexpr size_t kEntryBytes = kFewEntries * sizeof(Entry);
  constexpr size_t kIndexBytes = kFewEntries * 2 * sizeof(uint32_t);
  void* memory = vm.heap.NewSmallBuffer(kEntryBytes + kIndexBytes);
  if (memory == nullptr) {
    vm.OutOfMemory();
    return false;
  }
  dict->entries = static_cast<Entry*>(memory);
  dict->index = reinterpret_cast<uint32_t*>(static_cast<char*>(memory) + kEntryBytes);
  dict->capacity = kFewEntries;
  std::memset(dict->index, 0, kIndexBytes);
  return true;
}

bool Rehash(Vm& vm, Dict* dict) {
  uint32_t capacity = kFewEntries;
  while (capacity < dict->count * 3 / 2 + 1) capacity *= 2;
  if (capacity == dict->capacity) {
    Compact(vm, dict);
    return true;
  }
  const size_t entry_bytes = capacity * sizeof(Entry);
  const size_t index_bytes = capacity * 2 * sizeof(uint32_t);
  void* memory = capacity > (1u << 27) ? nullptr : vm.heap.NewBuffer(entry_bytes + index_bytes);
  if (memory == nullptr) {
    vm.OutOfMemory();
    return false;
  }
  Dict old = *dict;
  dict->entries = static_cast<Entry*>(memory);
  dict->index = reinterpret_cast<uint32_t*>(static_cast<char*>(memory) + entry_bytes);
  dict->capacity = capacity;
  dict->used = dict->fill = 0;
  std::memset(dict->index, 0, index_bytes);
  for (uint32_t i = 0; i < old.used; ++i) {
    if (old.entries[i].key.empty()) continue;
    dict->entries[dict->used] = old.entries[i];
    PutInIndex(vm, dict, old.entries[i], dict->used);
    ++dict->used;
  }
  vm.heap.FreeBuffer(old.entries, old.capacity * (sizeof(Entry) + 2 * sizeof(uint32_t)));
  return true;
}

uint64_t Mix(uint64_t x) {
  return MixHash(x);
}

// Whether two tuples of numbers and strings are equal, if that is plain to see.
bool QuickTuples(Value x, Value y, bool* equal) {
  if (!IsExact(x, Type::kTuple) || !IsExact(y, Type::kTuple)) return false;
  const auto *a = As<Tuple>(x), *b = As<Tuple>(y);
  *equal = a->size == b->size;
  for (uint32_t i = 0; i < a->size && *equal; ++i)
    if (!QuickEqual(a->items[i], b->items[i], equal)) return false;
  return true;
}

// The hash of keys that are equal only to what is plain to see; false: another kind of key.
inline bool PlainHash(Vm& vm, Value key, uint64_t* hash) {
  if (key.IsSmallInt()) {
    *hash = HashOfInt(key.AsSmallInt());
    return true;
  }
  if (!IsExactString(key)) {
    int64_t visible;
    if (!QuickTupleHash(vm, key, &visible)) return false;
    *hash = Mix(static_cast<uint64_t>(visible));
    return true;
  }
  auto* string = As<String>(key);
  if (string->hash == 0) string->hash = Vm::HashText(string->view());
  *hash = string->hash;
  return true;
}

// The index place of such a key, or -1, then *free is where it would go if there is room; *known
// false: there is one to compare it with.
inline int64_t LocatePlain(Vm& vm, const Dict* dict, Value key, uint64_t hash, bool* known,
                           uint32_t* free) {
  *known = true;
  const uint32_t mask = Places(dict) - 1;
  *free = static_cast<uint32_t>(hash) & mask;
  if (dict->count == 0 && !dict->keyed()) return -1;
  const uint32_t home = HomePlace(vm, dict, key, hash);
  for (uint32_t at = home;; at = (at + 1) & mask) {
    const uint32_t number = dict->index[at];
    if (number == 0) {
      *free = at;
      PaySearch(vm, (at - home) & mask);
      return -1;
    }
    const Entry& entry = dict->entries[number - 1];
    if (entry.key == key) {
      PaySearch(vm, (at - home) & mask);
      return at;
    }
    if (entry.hash != hash) continue;
    if (IsExactString(key) && IsExactString(entry.key)) {
      if (Text(key) != Text(entry.key)) continue;
      PaySearch(vm, (at - home) & mask);
      return at;
    }
    if (key.IsSmallInt() && (entry.key.IsSmallInt() || IsExactString(entry.key))) continue;
    bool same;
    if (QuickTuples(entry.key, key, &same)) {
      if (!same) continue;
      PaySearch(vm, (at - home) & mask);
      return at;
    }
    *known = false;
    return -1;
  }
}

// Takes the place out of the index: what lies behind it moves up, so that no search ends early.
void ClearPlace(Vm& vm, Dict* dict, uint32_t at) {
  const uint32_t mask = Places(dict) - 1, first = at;
  uint32_t next = (at + 1) & mask;
  for (; dict->index[next] != 0; next = (next + 1) & mask) {
    const Entry& entry = dict->entries[dict->index[next] - 1];
    const uint32_t home = HomePlace(vm, dict, entry.key, entry.hash);
    if (((next - home) & mask) < ((next - at) & mask)) continue;
    dict->index[at] = dict->index[next];
    at = next;
  }
  dict->index[at] = 0;
  PaySearch(vm, (next - first) & mask);
}

// Into a dict with nothing in it.
bool CopyAll(Vm& vm, Dict* into, const Dict* from) {
  const size_t bytes = DictBytes(from);
  void* memory = vm.heap.NewBuffer(bytes);
  if (memory == nullptr) {
    vm.OutOfMemory();
    return false;
  }
  vm.heap.FreeBuffer(into->entries, DictBytes(into));
  into->entries = static_cast<Entry*>(memory);
  into->index =
      reinterpret_cast<uint32_t*>(static_cast<char*>(memory) + from->capacity * sizeof(Entry));
  std::memcpy(memory, from->entries, from->used * sizeof(Entry));
  std::memcpy(into->index, from->index, Places(from) * sizeof(uint32_t));
  into->capacity = from->capacity;
  into->used = from->used;
  into->count = from->count;
  into->fill = 0;
  into->set_keying(from->keying());
  return true;
}

// Before a key that cannot be in a keyed dict is looked for in one.
void Unkey(Vm& vm, Dict* dict, Value key) {
  if (!dict->keyed() || CanBeKeyed(key)) return;
  MarkUnkeyed(dict);
  FillIndex(vm, dict);
}

bool Insert(Vm& vm, Dict* dict, Value key, Value value, uint64_t hash) {
  Unkey(vm, dict, key);
  if (dict->used == dict->capacity && !Rehash(vm, dict)) return false;
  dict->entries[dict->used] = {key, value, hash};
  const uint32_t passed = PutInIndex(vm, dict, dict->entries[dict->used], dict->used);
  ++dict->used;
  ++dict->count;
  if (passed > kFreeProbes && MarkKeyed(vm, dict, key)) [[unlikely]]
    FillIndex(vm, dict);
  return true;
}

// One search; *again: a comparison changed the dict.
int64_t LocateOnce(Vm& vm, Dict* dict, Value key, uint64_t hash, bool* failed, bool* again) {
  if (dict->count == 0) return -1;
  Unkey(vm, dict, key);
  const Keying keying = dict->keying();
  const uint32_t mask = Places(dict) - 1, home = HomePlace(vm, dict, key, hash);
  for (uint32_t at = home;; at = (at + 1) & mask) {
    // At once, for a comparison may end the search anywhere.
    if (((at - home) & mask) > kFreeProbes && !vm.ChargeSteps(1)) {
      *failed = true;
      return -1;
    }
    const uint32_t number = dict->index[at];
    if (number == 0) return -1;
    Entry& entry = dict->entries[number - 1];
    if (entry.key == key) return at;
    if (entry.hash != hash) continue;
    if (IsExact(key, Type::kString) && IsExact(entry.key, Type::kString)) {
      if (Text(key) == Text(entry.key)) return at;
      continue;
    }
    bool same;
    if (QuickTuples(entry.key, key, &same)) {
      if (same) return at;
      continue;
    }
    const Entry* entries = dict->entries;
    const Value there = entry.key;
    bool equal = false;
    if (!vm.Equal(entry.key, key, &equal)) {
      *failed = true;
      return -1;
    }
    // __eq__ may have changed the dict, and a new block may lie where the old one was: then what it
    // said counts for nothing and the search begins again.
    if (dict->entries != entries || dict->count == 0 || Places(dict) - 1 != mask ||
        dict->index[at] != number || dict->keying() != keying ||
        !(entries[number - 1].key == there)) {
      *again = true;
      return -1;
    }
    if (equal) return at;
  }
}

// The index place of the key, or -1 when it is absent or *failed.
int64_t Locate(Vm& vm, Dict* dict, Value key, uint64_t hash, bool* failed) {
  Roots roots(vm);  // of what comparisons by scripts may let go
  if (!IsExact(key, Type::kString)) {
    roots.Add(key);
    roots.Add(Value::Of(dict));
  }
  for (;;) {
    bool again = false;
    const int64_t at = LocateOnce(vm, dict, key, hash, failed, &again);
    if (!again) return at;
    if (!vm.ChargeSteps(1)) {
      *failed = true;
      return -1;
    }
  }
}

}  // namespace

uint64_t Vm::HashText(std::string_view text) {
  uint64_t h = 0xCBF29CE484222325ull ^ text.size();
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    h = (h ^ word) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 29;
  }
  uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, at, left);
  h = Mix((h ^ tail) * 0x9E3779B97F4A7C15ull);
  return h == 0 ? 1 : h;
}

Value* Vm::DictFind(Dict* dict, Value key, bool* failed) {
  if (dict->type != Type::kDict) return SetFind(dict, key, failed);
  uint64_t hash;
  uint32_t free;
  if (PlainHash(*this, key, &hash)) {
    bool known;
    const int64_t at = LocatePlain(*this, dict, key, hash, &known, &free);
    if (known) return at < 0 ? nullptr : &dict->entries[dict->index[at] - 1].value;
  } else if (!Hash(key, &hash)) {
    *failed = true;
    return nullptr;
  }
  const int64_t at = Locate(*this, dict, key, hash, failed);
  return at < 0 ? nullptr : &dict->entries[dict->index[at] - 1].value;
}

Value* Vm::DictFindString(Dict* dict, const String* key) {
  uint64_t hash;
  // No key: there was no memory to intern it, and that is reported.
  if (key == nullptr || dict->count == 0 || !Hash(Value::Of(key), &hash)) return nullptr;
  const uint32_t mask = Places(dict) - 1, home = static_cast<uint32_t>(hash) & mask;
  for (uint32_t at = home;; at = (at + 1) & mask) {
    if (((at - home) & mask) > kFreeProbes) PayProbes(*this, 1);
    const uint32_t number = dict->index[at];
    if (number == 0) {
      bool failed = false;
      return dict->keyed() ? DictFind(dict, Value::Of(key), &failed) : nullptr;
    }
    Entry& entry = dict->entries[number - 1];
    // Only strings: looking up a name runs no script.
    if (entry.key == Value::Of(key) ||
        (entry.hash == hash && IsStr(entry.key) && Text(entry.key) == key->view()))
      return &entry.value;
  }
}

bool Vm::DictSet(Dict* dict, Value key, Value value) {
  if (dict->type != Type::kDict) return SetAdd(dict, key);
  if (dict->capacity == 0 && !FirstBlock(*this, dict)) return false;
  uint64_t hash;
  uint32_t free;
  const bool text = IsExactString(key);
  if (dict->used < dict->capacity &&
      (key.IsSmallInt() || (text && As<String>(key)->hash != 0))) {  // in few instructions
    hash = text ? As<String>(key)->hash : HashOfInt(key.AsSmallInt());
    const uint32_t mask = Places(dict) - 1, home = static_cast<uint32_t>(hash) & mask;
    for (uint32_t at = home; ((at - home) & mask) < kFreeProbes; at = (at + 1) & mask) {
      const uint32_t number = dict->index[at];
      if (number == 0) {
        if (dict->keyed()) break;
        dict->entries[dict->used] = {key, value, hash};
        dict->index[at] = ++dict->used;
        ++dict->count;
        return true;
      }
      Entry& entry = dict->entries[number - 1];
      if (entry.key == key || (entry.hash == hash && text && IsExactString(entry.key) &&
                               Text(entry.key) == Text(key))) {
        entry.value = value;
        return true;
      }
      if (entry.hash == hash) break;
    }
  }
  if (PlainHash(*this, key, &hash)) {
    bool known;
    int64_t at = LocatePlain(*this, dict, key, hash, &known, &free);
    if (known) {
      if (at < 0 && ((free - static_cast<uint32_t>(hash)) & (Places(dict) - 1)) > kFreeProbes &&
          MarkKeyed(*this, dict, key)) [[unlikely]] {
        FillIndex(*this, dict);
        at = LocatePlain(*this, dict, key, hash, &known, &free);
      }
      if (at < 0) {
        if (dict->used == dict->capacity) return Insert(*this, dict, key, value, hash);
        dict->entries[dict->used] = {key, value, hash};
        dict->index[free] = ++dict->used;
        ++dict->count;
        return true;
      }
      dict->entries[dict->index[at] - 1].value = value;
      return true;
    }
  }
  Roots roots(*this);
  if (key.IsObject() && !IsExact(key, Type::kString)) {  // __hash__ and __eq__ may collect
    roots.Add(Value::Of(dict));
    roots.Add(key);
    roots.Add(value);
  }
  if (!Hash(key, &hash)) return false;
  bool failed = false;
  const int64_t at = Locate(*this, dict, key, hash, &failed);
  if (failed) return false;
  if (at >= 0) {
    dict->entries[dict->index[at] - 1].value = value;
    return true;
  }
  return Insert(*this, dict, key, value, hash);
}

bool Vm::DictSetText(Dict* dict, std::string_view key, Value value) {
  String* name = Intern(key);
  return name != nullptr && DictSet(dict, Value::Of(name), value);
}

Value Vm::DictRemove(Dict* dict, Value key) {
  if (dict->type != Type::kDict) return SetRemove(dict, key) ? Value::None() : Value();
  uint64_t hash;
  bool failed = false, known = false;
  int64_t at = -1;
  uint32_t free;
  if (PlainHash(*this, key, &hash)) at = LocatePlain(*this, dict, key, hash, &known, &free);
  if (!known) {
    if (!Hash(key, &hash)) return Value();
    at = Locate(*this, dict, key, hash, &failed);
  }
  if (at < 0) return Value();
  Entry& entry = dict->entries[dict->index[at] - 1];
  const Value value = entry.value;
  entry.key = Value();
  entry.value = Value::None();
  ClearPlace(*this, dict, static_cast<uint32_t>(at));
  // Iterators see that another entry has come behind the one they gave.
  if (--dict->count == 0 && dict->used == dict->capacity) dict->used = dict->fill = 0;
  return value;
}

void Vm::DictClear(Dict* dict) {
  heap.FreeBuffer(dict->entries, DictBytes(dict));
  dict->fill = 0;
  dict->set_keying(Keying::kUnkeyed);
  if (dict->type != Type::kDict) dict->set_pop_place(0);
  dict->entries = nullptr;
  dict->index = nullptr;
  dict->capacity = dict->used = dict->count = 0;
}

static bool MergeOne(Vm& vm, Dict* into, Value key, Value value, bool forbid_repeats) {
  if (forbid_repeats) {
    bool failed = false;
    if (!IsStr(key)) return !vm.Raise(Error::kTypeError, "keywords must be strings").empty();
    if (vm.DictFind(into, key, &failed) != nullptr) {
      vm.Throw(Error::kTypeError, "got multiple values for keyword argument '{}'", Text(key));
      return false;
    }
  }
  return vm.DictSet(into, key, value);
}

// What has keys() and [], also a dict whose class iterates in its own way.
static bool MergeMapping(Vm& vm, Dict* into, Value from, bool forbid_repeats) {
  Roots roots(vm);
  roots.Add(Value::Of(into));
  roots.Add(from);
  const Value method = roots.Add(vm.GetAttributeOrEmpty(from, vm.names.keys));
  if (method.empty()) {
    if (!vm.failed() || vm.TakePending(Error::kAttributeError))
      vm.Throw(Error::kTypeError, "'{}' object is not a mapping", vm.TypeName(from));
    return false;
  }
  const Value keys = roots.Add(vm.Call(method, nullptr, 0));
  const Value iterator = keys.empty() ? keys : roots.Add(vm.Iterate(keys));
  if (iterator.empty()) {
    if (!keys.empty() && vm.TakePending(Error::kTypeError))
      vm.Throw(Error::kTypeError, "{}.keys() returned a non-iterable (type {})", vm.TypeName(from),
               vm.TypeName(keys));
    return false;
  }
  for (Value key; !(key = vm.Next(iterator)).empty();) {
    Roots inner(vm);
    inner.Add(key);
    const Value value = inner.Add(vm.Index(from, key));
    if (value.empty() || !vm.ChargeSteps(1) || !MergeOne(vm, into, key, value, forbid_repeats))
      return false;
  }
  return !vm.failed();
}

bool Vm::DictMerge(Dict* into, Value from, bool forbid_repeats) {
  if (!Is(from, Type::kDict) || (Derived(from) && !FindSpecial(ClassOf(from), names.iter).empty()))
    return MergeMapping(*this, into, from, forbid_repeats);
  auto* source = As<Dict>(from);
  if (!ChargeSteps(source->used / 2)) return false;
  if (!forbid_repeats && into->count == 0 && source->count > 0 && source->used == source->count &&
      into != source && source->capacity / 4 <= source->count)
    return CopyAll(*this, into, source);
  for (uint32_t i = 0; i < source->used; ++i) {
    const Entry entry = source->entries[i];
    if (entry.key.empty()) continue;
    if (!MergeOne(*this, into, entry.key, entry.value, forbid_repeats)) return false;
  }
  return true;
}

}  // namespace ferry::vm
