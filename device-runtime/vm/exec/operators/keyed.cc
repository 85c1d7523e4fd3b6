#include "device-runtime/vm/exec/operators/keyed.h"

#include "common/sys/random.h"
#include "device-runtime/vm/exec/loop/quick.h"
#include "device-runtime/vm/text/siphash.h"

namespace ferry::vm {
namespace {

constexpr uint32_t kMostItems = 16;  // of a tuple
constexpr uint32_t kEntriesAStep = 8;

// Small integers and strings are equal to nothing of another kind that CanBeKeyed lets in.
bool PlainTuple(const Tuple* tuple) {
  if (tuple->size > kMostItems) return false;
  for (uint32_t i = 0; i < tuple->size; ++i)
    if (!tuple->items[i].IsSmallInt() && !IsExactString(tuple->items[i])) return false;
  return true;
}

uint64_t OfTuple(const HashKey& secret, const Tuple* tuple) {
  uint64_t lanes[kMostItems];
  for (uint32_t i = 0; i < tuple->size; ++i) {
    const Value item = tuple->items[i];
    lanes[i] = item.IsSmallInt() ? static_cast<uint64_t>(item.AsSmallInt())
                                 : SipHash13(secret, As<String>(item)->view());
  }
  return SipHash13(secret, {reinterpret_cast<const char*>(lanes), tuple->size * sizeof(uint64_t)});
}

}  // namespace

const HashKey& Vm::Secret() {
  if (!has_secret) {
    secret = {sys::SystemRandom().Next64(), sys::SystemRandom().Next64()};
    has_secret = true;
  }
  return secret;
}

uint64_t KeyedHome(Vm& vm, Value key, uint64_t hash) {
  if (IsExactString(key)) return SipHash13(vm.Secret(), As<String>(key)->view());
  if (IsExact(key, Type::kBytes)) return SipHash13(vm.Secret(), As<BytesObject>(key)->view());
  if (IsExact(key, Type::kTuple)) return OfTuple(vm.Secret(), As<Tuple>(key));
  return hash;  // of numbers and constants
}

bool CanBeKeyed(Value key) {
  if (!key.IsObject() || IsExactString(key)) return true;
  if (IsExact(key, Type::kTuple)) return PlainTuple(As<Tuple>(key));
  return IsExact(key, Type::kBytes) || IsExact(key, Type::kBigInt);
}

bool MarkKeyed(Vm& vm, Dict* table, Value key) {
  // Numbers are placed by their hashes in any table, and scripts pay for what meets there.
  if (table->keying() != Keying::kUnkeyed || !key.IsObject() || IsExact(key, Type::kBigInt) ||
      !CanBeKeyed(key))
    return false;
  PayProbes(vm, table->used / kEntriesAStep);
  for (uint32_t i = 0; i < table->used; ++i) {
    if (table->entries[i].key.empty() || CanBeKeyed(table->entries[i].key)) continue;
    table->set_keying(Keying::kNever);
    return false;
  }
  table->set_keying(Keying::kKeyed);
  return true;
}

}  // namespace ferry::vm
