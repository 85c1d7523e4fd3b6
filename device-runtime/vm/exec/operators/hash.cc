// hash(): numbers, tuples and frozensets have the values of CPython, whose sets show them in their
// order. Strings and the rest have values of our own.
#include "device-runtime/vm/exec/operators/hash.h"

#include <bit>

#include "device-runtime/vm/exec/call/native_level.h"
#include "device-runtime/vm/exec/collections/buffer.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/collections/view.h"
#include "device-runtime/vm/exec/collections/wide_range.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/exec/state.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

int64_t NotMinusOne(int64_t h) {
  return h == -1 ? -2 : h;
}

constexpr uint64_t kP1 = 11400714785074694791u, kP2 = 14029467366897019727u,
                   kP5 = 2870177450012600261u;
inline uint64_t AddLane(uint64_t acc, int64_t lane) {
  return std::rotl(acc + static_cast<uint64_t>(lane) * kP2, 31) * kP1;
}
inline int64_t LastLane(uint64_t acc, uint32_t size) {
  acc += size ^ (kP5 ^ 3527539u);
  return acc == UINT64_MAX ? 1546275796 : static_cast<int64_t>(acc);
}

bool HashOfTuple(Vm& vm, Tuple* tuple, int64_t* hash) {
  if (++vm.native_depth > kMaxNativeDepth) {
    vm.TooDeep();
    return false;
  }
  uint64_t acc = kP5;
  bool ok = true;
  for (uint32_t k = 0; k < tuple->size && ok; ++k) {
    const Value item = tuple->items[k];
    int64_t lane = 0;
    if (item.IsSmallInt()) {
      lane = NotMinusOne(item.AsSmallInt());
      ok = vm.ChargeSteps(1);
    } else {
      ok = vm.ChargeSteps(1) && vm.HashVisible(item, &lane);
    }
    acc = AddLane(acc, lane);
  }
  --vm.native_depth;
  *hash = LastLane(acc, tuple->size);
  return ok;
}

int64_t HashOfSet(const Dict* set) {
  const auto shuffle = [](uint64_t h) { return ((h ^ 89869747u) ^ (h << 16)) * 3644798167u; };
  uint64_t h = 0;
  for (uint32_t k = 0; k < set->used; ++k)
    if (!set->entries[k].key.empty()) h ^= shuffle(set->entries[k].hash);
  h ^= (static_cast<uint64_t>(set->count) + 1) * 1927868237u;
  h ^= (h >> 11) ^ (h >> 25);
  h = h * 69069u + 907133923u;
  return h == UINT64_MAX ? 590923713 : static_cast<int64_t>(h);
}

}  // namespace

// Of small integers and strings alone.
static bool HashOfItems(const Value* items, uint32_t count, int64_t* hash) {
  if (count > 16) return false;
  uint64_t acc = kP5;
  for (uint32_t k = 0; k < count; ++k) {
    const Value item = items[k];
    if (item.IsSmallInt()) {
      acc = AddLane(acc, NotMinusOne(item.AsSmallInt()));
    } else if (IsExactString(item)) {
      auto* string = As<String>(item);
      if (string->hash == 0) string->hash = Vm::HashText(string->view());
      acc = AddLane(acc, NotMinusOne(static_cast<int64_t>(string->hash)));
    } else {
      return false;
    }
  }
  *hash = LastLane(acc, count);
  return true;
}

bool QuickTupleHash(Vm& vm, Value v, int64_t* hash) {
  if (!IsExact(v, Type::kTuple)) return false;
  const auto* tuple = As<Tuple>(v);
  return HashOfItems(tuple->items, tuple->size, hash) && vm.ChargeSteps(tuple->size);
}

// Whether the entry's key is the tuple of these values; *known false: a script knows.
static bool HasKey(const Entry& entry, const Value* items, uint32_t count, bool* known) {
  *known = IsExact(entry.key, Type::kTuple);
  bool equal = *known && As<Tuple>(entry.key)->size == count;
  for (uint32_t i = 0; equal && i < count; ++i) {
    const Value item = As<Tuple>(entry.key)->items[i];
    if (!(item == items[i]) && !QuickEqual(item, items[i], &equal)) return *known = false;
  }
  return equal;
}

Entry* FindKey(Vm& vm, Dict* dict, const Value* items, uint32_t count, bool* known) {
  int64_t visible;
  *known = false;
  if (!HashOfItems(items, count, &visible) || vm.steps_slice < count) return nullptr;
  Entry* found = nullptr;
  *known = true;
  if (dict->keyed()) return *known = false, nullptr;
  if (dict->count > 0 && dict->type == Type::kDict) {
    const uint64_t hash = MixHash(static_cast<uint64_t>(visible));
    const uint32_t mask = dict->capacity * 2 - 1, home = static_cast<uint32_t>(hash) & mask;
    for (uint32_t at = home; found == nullptr && *known; at = (at + 1) & mask) {
      if (((at - home) & mask) > kFreeProbes) PayProbes(vm, 1);
      const uint32_t number = dict->index[at];
      if (number == 0) break;
      Entry& entry = dict->entries[number - 1];
      if (entry.hash == hash && HasKey(entry, items, count, known)) found = &entry;
    }
  } else if (dict->count > 0) {
    const auto hash = static_cast<uint64_t>(visible);
    uint64_t places = 0;
    for (Probe probe(dict, hash); found == nullptr && *known; probe.Next()) {
      if (++places > kFreeProbes) PayProbes(vm, 1);
      Entry& entry = dict->entries[probe.at()];
      if (entry.key.empty() && Fresh(entry)) break;
      if (!entry.key.empty() && entry.hash == hash && HasKey(entry, items, count, known))
        found = &entry;
    }
  }
  if (*known) vm.steps_slice -= count;
  return found;
}

uint64_t Vm::Identity(Value v) {
  constexpr uint64_t kFirst = 0x7F0000000000;
  return v.IsObject() ? kFirst + heap.IdOf(v.object()) : v.bits() & 0x7FFFFFFFFFFF;
}

bool Vm::HashVisiblePlain(Value v, int64_t* hash) {
  if (v.IsFloat()) {
    *hash = DoubleHash(v.AsFloat());
    return true;
  }
  if (IsInt(v)) {
    *hash = IntHash(v);
    return !IsExact(v, Type::kBigInt) || ChargeSteps(As<BigInt>(v)->size / 32);
  }
  if (!v.IsObject()) {
    *hash = static_cast<int64_t>(HashOfInt(static_cast<int64_t>(v.bits())) >> 3);
    return true;
  }
  switch (v.object()->type) {
    case Type::kFloat:
      *hash = DoubleHash(As<FloatObject>(v)->value);
      return true;
    case Type::kString: {
      auto* string = As<String>(v);
      if (string->hash == 0) string->hash = HashText(string->view());
      *hash = NotMinusOne(static_cast<int64_t>(string->hash));
      return true;
    }
    case Type::kBytes:
      if (!ChargeSteps(As<BytesObject>(v)->size / 64)) return false;
      *hash = NotMinusOne(static_cast<int64_t>(HashText(As<BytesObject>(v)->view())));
      return true;
    case Type::kTuple:
      return HashOfTuple(*this, As<Tuple>(v), hash);
    case Type::kFrozenSet:
      if (!ChargeSteps((int64_t{As<Dict>(v)->count} + As<Dict>(v)->used / 64) / 8)) return false;
      *hash = HashOfSet(As<Dict>(v));
      return true;
    case Type::kRange: {
      Value of[4];
      if (!RangeParts(*this, As<Range>(v), of)) return false;
      Value parts[3] = {of[3], Value::None(), Value::None()};
      if (IntSign(of[3]) != 0) parts[1] = of[0];
      if (IntCompare(of[3], Value::SmallInt(1)) > 0) parts[2] = of[2];
      const Value tuple = NewTuple(parts, 3);
      return !tuple.empty() && HashOfTuple(*this, As<Tuple>(tuple), hash);
    }
    case Type::kComplex: {
      const auto* c = As<Complex>(v);
      *hash = NotMinusOne(
          static_cast<int64_t>(static_cast<uint64_t>(DoubleHash(c->real)) +
                               1000003 * static_cast<uint64_t>(DoubleHash(c->imaginary))));
      return true;
    }
    case Type::kMemoryView: {
      std::string copy;
      std::string_view bytes;
      if (!BytesOf(*this, v, &copy, &bytes)) return false;
      if (!As<MemoryView>(v)->readonly) {
        Raise(Error::kValueError, "cannot hash writable memoryview object");
        return false;
      }
      *hash = NotMinusOne(static_cast<int64_t>(HashText(bytes)));
      return true;
    }
    case Type::kByteArray:
    case Type::kArray:
    case Type::kList:
    case Type::kDict:
    case Type::kSet:
    case Type::kSlice:
      Throw(Error::kTypeError, "unhashable type: '{}'", TypeName(v));
      return false;
    case Type::kBoundMethod: {
      int64_t function;
      NativeLevel level(*this);
      if (!level.ok() || !HashVisiblePlain(As<BoundMethod>(v)->function, &function)) return false;
      const uint64_t self = Identity(As<BoundMethod>(v)->self) >> 4;
      *hash = NotMinusOne(static_cast<int64_t>(self ^ static_cast<uint64_t>(function)));
      return true;
    }
    case Type::kAlias: {
      uint64_t h;
      if (!AliasHash(*this, As<Alias>(v), &h)) return false;
      *hash = NotMinusOne(static_cast<int64_t>(h));
      return true;
    }
    case Type::kView:
      if (As<View>(v)->kind() != ViewKind::kValues) {
        Throw(Error::kTypeError, "unhashable type: '{}'", TypeName(v));
        return false;
      }
      [[fallthrough]];
    default:
      *hash = static_cast<int64_t>(Identity(v) >> 4);
      return true;
  }
}

bool Vm::HashPlain(Value v, uint64_t* hash) {
  if (v.IsSmallInt()) {
    *hash = HashOfInt(v.AsSmallInt());
    return true;
  }
  if (Is(v, Type::kString)) {
    auto* string = As<String>(v);
    if (string->hash == 0) string->hash = HashText(string->view());
    *hash = string->hash;
    return true;
  }
  int64_t visible = 0;
  if (!HashVisiblePlain(v, &visible)) return false;
  *hash = MixHash(static_cast<uint64_t>(visible));
  return true;
}

bool Vm::HashVisible(Value v, int64_t* hash) {
  if (HasMethods(v)) {
    const Value method = FindInClass(ClassOf(v), names.hash);
    if (method.IsNone()) {
      Throw(Error::kTypeError, "unhashable type: '{}'", TypeName(v));
      return false;
    }
    bool found;
    const Value result = CallSpecial(v, names.hash, nullptr, 0, &found);
    if (found) {
      if (result.empty()) return false;
      if (IsInt(result)) {
        int64_t i;
        *hash = IntToInt64(result, &i) ? NotMinusOne(i) : IntHash(Plain(result));
        return true;
      }
      Raise(Error::kTypeError, "__hash__ method should return an integer");
      return false;
    }
  }
  return HashVisiblePlain(Plain(v), hash);
}

}  // namespace ferry::vm
