// Operators of dict views and of classes as types: d.keys() & other, int | None.
#include "device-runtime/vm/exec/collections/view.h"

#include "device-runtime/vm/exec/call/native_level.h"
#include "device-runtime/vm/exec/collections/set.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {
namespace {

Value AsSet(Vm& vm, Value v) {
  if (IsSet(v)) return v;
  Roots roots(vm);
  const Value set = roots.Add(vm.NewDict(Type::kSet));
  return !set.empty() && SetUpdate(vm, As<Dict>(set), v) ? set : Value();
}

bool AddPart(Vm& vm, List* parts, Value part) {
  if (part.IsNone()) part = Value::Of(vm.classes[kNoneClass]);
  if (IsAlias(part, AliasKind::kUnion)) {
    auto* inner = As<Tuple>(As<Alias>(part)->args);
    for (uint32_t i = 0; i < inner->size; ++i)
      if (!AddPart(vm, parts, inner->items[i])) return false;
    return true;
  }
  for (uint32_t i = 0; i < parts->size; ++i) {
    bool equal;
    if (!vm.Equal(parts->items[i], part, &equal)) return false;
    if (equal) return true;
  }
  return vm.Append(parts, part);
}

}  // namespace

bool IsSetView(Value v) {
  if (!Is(v, Type::kView)) return false;
  const ViewKind kind = As<View>(v)->kind();
  return kind == ViewKind::kKeys || kind == ViewKind::kItems;
}

Value ViewBinary(Vm& vm, Operator op, Value a, Value b) {
  Roots roots(vm);
  const Value x = roots.Add(AsSet(vm, a));
  const Value y = x.empty() ? x : roots.Add(AsSet(vm, b));
  bool handled;
  if (y.empty()) return y;
  return vm.BinaryPlain(static_cast<int>(op), x, y, false, &handled);
}

Value ViewCompare(Vm& vm, int op, Value a, Value b) {
  if (!(IsSetView(a) || IsSet(a)) || !(IsSetView(b) || IsSet(b))) return vm.not_implemented;
  Roots roots(vm);
  const Value x = roots.Add(AsSet(vm, a));
  const Value y = x.empty() ? x : roots.Add(AsSet(vm, b));
  return y.empty() ? y : vm.ComparePlain(op, x, y);
}

bool ViewContains(Vm& vm, Value view, Value item, bool* contains) {
  Dict* dict = As<Dict>(As<View>(view)->source);
  bool failed = false;
  *contains = false;
  if (As<View>(view)->kind() == ViewKind::kKeys) {
    *contains = vm.DictFind(dict, item, &failed) != nullptr;
    return !failed;
  }
  if (!Is(item, Type::kTuple) || As<Tuple>(item)->size != 2) return true;
  Value* found = vm.DictFind(dict, As<Tuple>(item)->items[0], &failed);
  if (failed || found == nullptr) return !failed;
  Roots roots(vm);
  return vm.Equal(roots.Add(*found), As<Tuple>(item)->items[1], contains);
}

bool IsTypeLike(Value v) {
  return Is(v, Type::kClass) || Is(v, Type::kAlias);
}

Value UnionOf(Vm& vm, Value a, Value b) {
  Roots roots(vm);
  const Value parts = roots.Add(vm.NewList(nullptr, 0));
  if (parts.empty() || !AddPart(vm, As<List>(parts), a) || !AddPart(vm, As<List>(parts), b))
    return Value();
  if (As<List>(parts)->size == 1) return As<List>(parts)->items[0];
  const Value tuple = roots.Add(vm.NewTuple(As<List>(parts)->items, As<List>(parts)->size));
  return tuple.empty() ? tuple : vm.NewAlias(AliasKind::kUnion, Value(), tuple);
}

bool AliasEqual(Vm& vm, Alias* a, Alias* b, bool* equal) {
  *equal = false;
  if (a->kind() != b->kind()) return true;
  if (a->kind() == AliasKind::kGeneric) {
    if (!vm.Equal(a->origin, b->origin, equal) || !*equal) return !vm.failed();
    return vm.Equal(a->args, b->args, equal);
  }
  auto *x = As<Tuple>(a->args), *y = As<Tuple>(b->args);
  if (x->size != y->size) return true;
  for (uint32_t i = 0; i < x->size; ++i) {
    if (!vm.Contains(b->args, x->items[i], equal)) return false;
    if (!*equal) return true;
  }
  return true;
}

bool AliasHash(Vm& vm, Alias* alias, uint64_t* hash) {
  NativeLevel level(vm);
  if (!level.ok()) return false;
  auto* args = As<Tuple>(alias->args);
  const bool generic = alias->kind() == AliasKind::kGeneric;
  uint64_t sum = static_cast<uint64_t>(alias->kind()) + 1;
  if (generic && !vm.Hash(alias->origin, &sum)) return false;
  for (uint32_t i = 0; i < args->size; ++i) {
    uint64_t one;
    if (!vm.Hash(args->items[i], &one)) return false;
    sum += one * (generic ? 2 * i + 3 : 3);  // the parts of a union have no order
  }
  *hash = sum;
  return true;
}

}  // namespace ferry::vm
