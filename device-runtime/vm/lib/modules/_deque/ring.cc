#include "device-runtime/vm/lib/modules/_deque/ring.h"

namespace ferry::vm {

Value NewDeque(Vm& vm, int64_t limit) {
  Class* cls = ClassOfRecord(vm, kDeque);
  const Value list = cls == nullptr ? Value() : vm.NewList(nullptr, 0);
  const Value deque = list.empty() ? list : vm.NewRecord(cls, Ring::kValues);
  if (deque.empty()) return deque;
  Value* values = As<Record>(deque)->values;
  values[0] = list;
  values[1] = values[2] = values[4] = Value::SmallInt(0);
  if (limit >= 0) values[3] = Value::SmallInt(limit);
  return deque;
}

// Twice the places; the list's size is a power of two, all of it valid values.
bool Ring::Grow(Vm& vm) {
  List* ring = list();
  const uint32_t size = ring->size, more = size == 0 ? 8 : size * 2;
  if (more > kMaxItems) {
    vm.TooLarge();
    return false;
  }
  if (!vm.ChargeSteps(size / 16) || !vm.Reserve(ring, more)) return false;
  for (uint32_t i = size; i < more; ++i) ring->items[i] = Value::None();
  // What lies before the first place moves behind the old end.
  for (int64_t i = 0; i < first(); ++i) std::swap(ring->items[i], ring->items[size + i]);
  ring->size = more;
  return true;
}

bool Ring::PushBack(Vm& vm, Value v) {
  if (limit() == 0) return true;
  if (count() == list()->size && !Grow(vm)) return false;
  list()->items[Place(count())] = v;
  Put(2, count() + 1);
  if (limit() >= 0 && count() > limit()) PopFront();
  Changed();
  return true;
}

bool Ring::PushFront(Vm& vm, Value v) {
  if (limit() == 0) return true;
  if (count() == list()->size && !Grow(vm)) return false;
  Put(1, (first() + list()->size - 1) & (list()->size - 1));
  list()->items[first()] = v;
  Put(2, count() + 1);
  if (limit() >= 0 && count() > limit()) PopBack();
  Changed();
  return true;
}

Value Ring::PopBack() {
  const Value v = At(count() - 1);
  Set(count() - 1, Value::None());
  Put(2, count() - 1);
  Changed();
  return v;
}

Value Ring::PopFront() {
  const Value v = At(0);
  Set(0, Value::None());
  Put(1, (first() + 1) & (list()->size - 1));
  Put(2, count() - 1);
  Changed();
  return v;
}

void Ring::Clear() {
  while (count() > 0) PopBack();
  Changed();
}

void Ring::Rotate(int64_t by) {
  const int64_t n = count();
  if (n < 2) return;
  by %= n;
  if (by < 0) by += n;
  if (by <= n / 2) {
    for (; by > 0; --by) {
      const Value v = PopBack();
      Put(1, (first() + list()->size - 1) & (list()->size - 1));
      list()->items[first()] = v;
      Put(2, n);
    }
  } else {
    for (by = n - by; by > 0; --by) {
      const Value v = PopFront();
      list()->items[Place(count())] = v;
      Put(2, n);
    }
  }
  Changed();
}

void Ring::Remove(int64_t at) {
  for (int64_t i = at; i + 1 < count(); ++i) Set(i, At(i + 1));
  PopBack();
}

bool Ring::Extend(Vm& vm, Value iterable, bool front) {
  Roots roots(vm);
  roots.Add(Value::Of(record_));
  if (iterable == Value::Of(record_)) {
    iterable = vm.ToList(iterable);
    if (iterable.empty()) return false;
    roots.Add(iterable);
  }
  const Value iterator = vm.Iterate(iterable);
  if (iterator.empty()) return false;
  roots.Add(iterator);
  for (Value item; !(item = vm.Next(iterator)).empty();)
    if (!(front ? PushFront(vm, item) : PushBack(vm, item))) return false;
  return !vm.failed();
}

}  // namespace ferry::vm
