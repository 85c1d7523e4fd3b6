// hash(): numbers, tuples and frozensets have the values of CPython, whose sets show them in their
// order. Strings and the rest have values of our own.
#include <bit>

#include "device-runtime/vm/exec/data/buffer.h"
#include "device-runtime/vm/exec/native_level.h"
#include "device-runtime/vm/exec/object/view.h"
#include "device-runtime/vm/exec/vm.h"
#include "device-runtime/vm/number/bigint.h"

namespace ferry::vm {
namespace {

int64_t NotMinusOne(int64_t h) {
  return h == -1 ? -2 : h;
}

bool HashOfTuple(Vm& vm, Tuple* tuple, int64_t* hash) {
  constexpr uint64_t kP1 = 11400714785074694791u, kP2 = 14029467366897019727u,
                     kP5 = 2870177450012600261u;
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
    acc = std::rotl(acc + static_cast<uint64_t>(lane) * kP2, 31) * kP1;
  }
  --vm.native_depth;
  acc += tuple->size ^ (kP5 ^ 3527539u);
  *hash = acc == UINT64_MAX ? 1546275796 : static_cast<int64_t>(acc);
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

bool Vm::HashVisiblePlain(Value v, int64_t* hash) {
  if (v.IsFloat()) {
    *hash = DoubleHash(v.AsFloat());
    return true;
  }
  if (IsInt(v)) {
    *hash = IntHash(v);
    return true;
  }
  if (!v.IsObject()) {
    *hash = static_cast<int64_t>(HashOfInt(static_cast<int64_t>(v.bits())) >> 3);
    return true;
  }
  switch (v.object()->type) {
    case Type::kFloat:
      *hash = DoubleHash(static_cast<FloatObject*>(v.object())->value);
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
      if (!ChargeSteps(As<Dict>(v)->used / 8)) return false;
      *hash = HashOfSet(As<Dict>(v));
      return true;
    case Type::kRange: {
      auto* range = As<Range>(v);
      Value parts[3] = {NewInt(range->length), Value::None(), Value::None()};
      if (range->length > 0) parts[1] = NewInt(range->start);
      if (range->length > 1) parts[2] = NewInt(range->step);
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
      const uint64_t self = (As<BoundMethod>(v)->self.bits() & 0xFFFFFFFFFFFF) >> 4;
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
      if (v.object()->aux != 1) {
        Throw(Error::kTypeError, "unhashable type: '{}'", TypeName(v));
        return false;
      }
      [[fallthrough]];
    default:
      *hash = static_cast<int64_t>((v.bits() & 0xFFFFFFFFFFFF) >> 4);
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
