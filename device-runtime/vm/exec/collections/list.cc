#include "device-runtime/vm/exec/collections/list.h"

#include <algorithm>
#include <cstring>

namespace ferry::vm {

bool Vm::Reserve(List* list, size_t count) {
  if (count <= list->capacity) return true;
  if (count > kMaxItems) {
    TooLarge();
    return false;
  }
  const size_t capacity = list->capacity == 0
                              ? std::max<size_t>(count, 4)
                              : std::max<size_t>(count, list->capacity + list->capacity / 2 + 2);
  auto* items = static_cast<Value*>(heap.NewBuffer(capacity * sizeof(Value)));
  if (items == nullptr) {
    OutOfMemory();
    return false;
  }
  if (list->size > 0)
    std::memcpy(static_cast<void*>(items), list->items, list->size * sizeof(Value));
  heap.FreeBuffer(list->items, list->capacity * sizeof(Value));
  list->items = items;
  list->capacity = static_cast<uint32_t>(capacity);
  return true;
}

bool Vm::Append(List* list, Value v) {
  if (list->size == list->capacity && !Reserve(list, list->size + 1)) return false;
  list->items[list->size++] = v;
  return true;
}

static Value* CopyItems(Value* to, const Value* from, size_t count) {
  if (count > 8) return std::copy_n(from, count, to);
  for (size_t i = 0; i < count; ++i) *to++ = from[i];
  return to;
}

Value JoinedTuple(Vm& vm, const Value* values, size_t count, const Tuple* y) {
  const size_t all = count + y->size;
  if (!vm.ChargeSteps(static_cast<int64_t>(all / 16))) return Value();
  if (all == 0) return vm.empty_tuple;
  if (all > kMaxItems) return vm.TooLarge();
  auto* tuple = Cast<Tuple>(vm.heap.NewUncleared(
      Type::kTuple, sizeof(Tuple) - sizeof(Tuple::items) + all * sizeof(Value)));
  if (tuple == nullptr) return vm.OutOfMemory();
  tuple->size = static_cast<uint32_t>(all);
  CopyItems(CopyItems(tuple->items, values, count), y->items, y->size);
  return Value::Of(tuple);
}

Value Joined(Vm& vm, Value x, Value y) {
  if (Is(x, Type::kTuple))
    return JoinedTuple(vm, As<Tuple>(x)->items, As<Tuple>(x)->size, As<Tuple>(y));
  const size_t n = As<List>(x)->size, m = As<List>(y)->size;
  if (!vm.ChargeSteps(static_cast<int64_t>((n + m) / 16))) return Value();
  const Value out = vm.NewList(nullptr, n + m);
  if (out.empty()) return out;
  auto* to = As<List>(out);
  CopyItems(CopyItems(to->items, As<List>(x)->items, n), As<List>(y)->items, m);
  to->size = static_cast<uint32_t>(n + m);
  return out;
}

}  // namespace ferry::vm
