// Dicts and sets: entries in order of insertion beside an open-addressed index of entry numbers.
#include <cmath>
#include <cstring>

#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

constexpr uint32_t kRemoved = UINT32_MAX;  // index place of a removed entry

uint32_t Places(const Dict* dict) {
  return dict->capacity * 2;
}

void Place(Dict* dict, uint64_t hash, uint32_t number) {
  const uint32_t mask = Places(dict) - 1;
  uint32_t at = static_cast<uint32_t>(hash) & mask;
  while (dict->index[at] != 0) at = (at + 1) & mask;
  dict->index[at] = number + 1;
}

bool Rehash(Vm& vm, Dict* dict) {
  uint32_t capacity = 8;
  while (capacity < dict->count * 3 / 2 + 1) capacity *= 2;
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
  dict->used = 0;
  std::memset(dict->index, 0, index_bytes);
  for (uint32_t i = 0; i < old.used; ++i) {
    if (old.entries[i].key.empty()) continue;
    dict->entries[dict->used] = old.entries[i];
    Place(dict, old.entries[i].hash, dict->used++);
  }
  vm.heap.FreeBuffer(old.entries, old.capacity * (sizeof(Entry) + 2 * sizeof(uint32_t)));
  return true;
}

uint64_t Mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xFF51AFD7ED558CCDull;
  x ^= x >> 33;
  return x;
}

// The index place of the key, or -1 when it is absent or *failed.
int64_t Locate(Vm& vm, Dict* dict, Value key, uint64_t hash, bool* failed) {
  if (dict->count == 0) return -1;
  Roots roots(vm);  // of what comparisons by scripts may let go
  if (!IsStr(key)) {
    roots.Add(key);
    roots.Add(Value::Of(dict));
  }
  const uint32_t mask = Places(dict) - 1;
  for (uint32_t at = static_cast<uint32_t>(hash) & mask;; at = (at + 1) & mask) {
    const uint32_t number = dict->index[at];
    if (number == 0) return -1;
    if (number == kRemoved) continue;
    Entry& entry = dict->entries[number - 1];
    if (entry.key == key) return at;
    if (entry.hash != hash) continue;
    if (IsStr(key) && IsStr(entry.key)) {
      if (Text(key) == Text(entry.key)) return at;
      continue;
    }
    const Entry* entries = dict->entries;
    const Value there = entry.key;
    bool equal = false;
    if (!vm.Equal(entry.key, key, &equal)) {
      *failed = true;
      return -1;
    }
    // __eq__ may have changed the dict, and a new block may lie where the old one was.
    if (dict->entries != entries || Places(dict) - 1 != mask || dict->index[at] != number ||
        !(entries[number - 1].key == there)) {
      vm.Raise(Error::kRuntimeError, "dict changed while a key was compared");
      *failed = true;
      return -1;
    }
    if (equal) return at;
  }
}

}  // namespace

bool Vm::Hash(Value v, uint64_t* hash) {
  if (v.IsFloat()) {
    const double d = v.AsFloat();
    if (std::isfinite(d) && std::fabs(d) > 9.2e18) {  // an integer, as big ones hash
      const Value whole = IntFromDouble(*this, d);
      if (whole.empty()) return false;
      *hash = Mix(IntHash(whole));
      return true;
    }
    // A float that is an integer hashes like the int.
    *hash =
        d == d && d >= -9.2e18 && d <= 9.2e18 && d == static_cast<double>(static_cast<int64_t>(d))
            ? Mix(static_cast<uint64_t>(static_cast<int64_t>(d)))
            : Mix(v.bits());
    return true;
  }
  int64_t i;
  if (SmallOf(v, &i)) {
    *hash = Mix(static_cast<uint64_t>(i));
    return true;
  }
  if (!v.IsObject()) {
    *hash = Mix(v.bits());
    return true;
  }
  switch (v.object()->type) {
    case Type::kString: {
      auto* string = As<String>(v);
      if (string->hash == 0) {
        uint64_t h = 0xCBF29CE484222325ull;
        for (char c : string->view()) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
        h = Mix(h);
        string->hash = h == 0 ? 1 : h;
      }
      *hash = string->hash;
      return true;
    }
    case Type::kBytes: {
      uint64_t h = 7;
      for (char c : As<BytesObject>(v)->view())
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
      *hash = Mix(h);
      return true;
    }
    case Type::kBigInt:
      *hash = Mix(IntHash(v));
      return true;
    case Type::kTuple: {
      if (++native_depth > kMaxNativeDepth) {
        Fatal(Code::kScriptDepth, "tuples are nested too deeply");
        return false;
      }
      uint64_t h = 0x345678;
      auto* tuple = As<Tuple>(v);
      bool ok = true;
      for (uint32_t k = 0; k < tuple->size && ok; ++k) {
        uint64_t item = 0;
        ok = ChargeSteps(1) && Hash(tuple->items[k], &item);
        h = Mix(h * 31 + item);
      }
      --native_depth;
      *hash = h;
      return ok;
    }
    case Type::kFrozenSet: {
      auto* set = As<Dict>(v);
      uint64_t h = 1;
      for (uint32_t k = 0; k < set->used; ++k)
        if (!set->entries[k].key.empty()) h += Mix(set->entries[k].hash);
      *hash = Mix(h);
      return true;
    }
    case Type::kList:
    case Type::kDict:
    case Type::kSet:
    case Type::kSlice:
      Throw(Error::kTypeError, "unhashable type: '{}'", TypeName(v));
      return false;
    case Type::kInstance: {
      Class* cls = As<Instance>(v)->cls;
      Value method = FindInClass(cls, names.hash);
      if (!method.empty() && !method.IsNone()) {
        Value result = Call(method, &v, 1);
        if (result.empty()) return false;
        if (IsInt(result)) return Hash(result, hash);
        Raise(Error::kTypeError, "__hash__ method should return an integer");
        return false;
      }
      if (!FindInClass(cls, names.eq).empty()) {
        Throw(Error::kTypeError, "unhashable type: '{}'", TypeName(v));
        return false;
      }
      break;
    }
    default:
      break;
  }
  *hash = Mix(v.bits());
  return true;
}

Value* Vm::DictFind(Dict* dict, Value key, bool* failed) {
  uint64_t hash;
  if (!Hash(key, &hash)) {
    *failed = true;
    return nullptr;
  }
  const int64_t at = Locate(*this, dict, key, hash, failed);
  return at < 0 ? nullptr : &dict->entries[dict->index[at] - 1].value;
}

Value* Vm::DictFindString(Dict* dict, const String* key) {
  uint64_t hash;
  if (dict->count == 0 || !Hash(Value::Of(key), &hash)) return nullptr;
  const uint32_t mask = Places(dict) - 1;
  for (uint32_t at = static_cast<uint32_t>(hash) & mask;; at = (at + 1) & mask) {
    const uint32_t number = dict->index[at];
    if (number == 0) return nullptr;
    if (number == kRemoved) continue;
    Entry& entry = dict->entries[number - 1];
    // Only strings: looking up a name runs no script.
    if (entry.key == Value::Of(key) ||
        (entry.hash == hash && IsStr(entry.key) && Text(entry.key) == key->view()))
      return &entry.value;
  }
}

bool Vm::DictSet(Dict* dict, Value key, Value value) {
  uint64_t hash;
  Roots roots(*this);
  if (key.IsObject() && !IsStr(key)) {  // __hash__ and __eq__ may collect
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
  if (dict->used == dict->capacity && !Rehash(*this, dict)) return false;
  dict->entries[dict->used] = {key, value, hash};
  Place(dict, hash, dict->used++);
  ++dict->count;
  return true;
}

bool Vm::DictSetText(Dict* dict, std::string_view key, Value value) {
  String* name = Intern(key);
  return name != nullptr && DictSet(dict, Value::Of(name), value);
}

Value Vm::DictRemove(Dict* dict, Value key) {
  uint64_t hash;
  if (!Hash(key, &hash)) return Value();
  bool failed = false;
  const int64_t at = Locate(*this, dict, key, hash, &failed);
  if (at < 0) return Value();
  Entry& entry = dict->entries[dict->index[at] - 1];
  const Value value = entry.value;
  entry.key = Value();
  entry.value = Value::None();
  // Removed places keep probing chains whole; a rebuild drops them (used counts removed entries).
  dict->index[at] = kRemoved;
  --dict->count;
  if (dict->count == 0) {
    std::memset(dict->index, 0, Places(dict) * sizeof(uint32_t));
    dict->used = 0;
  }
  return value;
}

void Vm::DictClear(Dict* dict) {
  heap.FreeBuffer(dict->entries, dict->capacity * (sizeof(Entry) + 2 * sizeof(uint32_t)));
  dict->entries = nullptr;
  dict->index = nullptr;
  dict->capacity = dict->used = dict->count = 0;
}

bool Vm::DictMerge(Dict* into, Value from, bool forbid_repeats) {
  if (!Is(from, Type::kDict)) {
    Throw(Error::kTypeError, "'{}' object is not a mapping", TypeName(from));
    return false;
  }
  auto* source = As<Dict>(from);
  for (uint32_t i = 0; i < source->used; ++i) {
    const Entry entry = source->entries[i];
    if (entry.key.empty()) continue;
    if (forbid_repeats) {
      bool failed = false;
      if (!IsStr(entry.key)) {
        Raise(Error::kTypeError, "keywords must be strings");
        return false;
      }
      if (DictFind(into, entry.key, &failed) != nullptr) {
        Throw(Error::kTypeError, "got multiple values for keyword argument '{}'", Text(entry.key));
        return false;
      }
    }
    if (!DictSet(into, entry.key, entry.value)) return false;
  }
  return true;
}

uint32_t Vm::VariableSlot(Module* module, String* name, bool* failed) {
  Value* found = DictFindString(module->index, name);
  if (found != nullptr) return static_cast<uint32_t>(found->AsSmallInt());
  if (module->count == module->capacity) {
    const uint32_t capacity = module->capacity == 0 ? 16 : module->capacity * 2;
    auto* slots = static_cast<Variable*>(heap.NewBuffer(capacity * sizeof(Variable)));
    if (slots == nullptr) {
      OutOfMemory();
      *failed = true;
      return 0;
    }
    for (uint32_t i = 0; i < module->count; ++i) slots[i] = module->slots[i];
    heap.FreeBuffer(module->slots, module->capacity * sizeof(Variable));
    module->slots = slots;
    module->capacity = capacity;
  }
  if (!DictSet(module->index, Value::Of(name), Value::SmallInt(module->count))) {
    *failed = true;
    return 0;
  }
  Value* builtin = builtins == nullptr ? nullptr : DictFindString(builtins, name);
  module->slots[module->count] = {Value(), builtin == nullptr ? Value() : *builtin, name};
  return module->count++;
}

bool Vm::SetVariable(Module* module, std::string_view name, Value v) {
  String* text = Intern(name);
  bool failed = text == nullptr;
  if (failed) return false;
  const uint32_t slot = VariableSlot(module, text, &failed);
  if (failed) return false;
  module->slots[slot].value = v;
  return true;
}

}  // namespace ferry::vm
