// heapq: heaps in lists. A comparison may run a script that changes the list, so every step looks
// at its size again.
#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {
namespace {

List* HeapOf(Vm& vm, Args& args, const char* name, uint32_t count) {
  if (!Expect(vm, args, name, count, count)) return nullptr;
  if (Is(args[0], Type::kList)) return As<List>(args[0]);
  std::string_view plain = name;
  if (plain.starts_with("_heapq.")) plain.remove_prefix(7);
  vm.Throw(Error::kTypeError, "{}() argument {}must be list, not {}", plain, count > 1 ? "1 " : "",
           vm.TypeName(args[0]));
  return nullptr;
}

// Whether items[a] goes before items[b]; false: failed or the list was changed.
bool Before(Vm& vm, List* heap, uint32_t a, uint32_t b, bool largest, bool* before) {
  const uint32_t size = heap->size;
  const Value x = heap->items[largest ? b : a], y = heap->items[largest ? a : b];
  if (Value::BothInt(x, y)) {
    *before = x.AsSmallInt() < y.AsSmallInt();
    return true;
  }
  if (!vm.ChargeSteps(2) || !vm.Less(x, y, before)) return false;
  if (heap->size == size) return true;
  vm.Raise(Error::kRuntimeError, "list changed size during iteration");
  return false;
}

// Moves the item at `at` up to its place, not above `start`.
bool SiftUp(Vm& vm, List* heap, uint32_t start, uint32_t at, bool largest) {
  while (at > start) {
    const uint32_t parent = (at - 1) / 2;
    bool before;
    if (!Before(vm, heap, at, parent, largest, &before)) return false;
    if (!before) return true;
    std::swap(heap->items[at], heap->items[parent]);
    at = parent;
  }
  return true;
}

// Moves the item at `at` down to a leaf along the smaller children, then up to its place.
bool SiftDown(Vm& vm, List* heap, uint32_t at, bool largest) {
  const uint32_t start = at, size = heap->size;
  if (!vm.ChargeSteps(2)) return false;
  while (2 * at + 1 < size) {
    uint32_t child = 2 * at + 1;
    if (child + 1 < size) {
      bool before;
      if (!Before(vm, heap, child, child + 1, largest, &before)) return false;
      child += !before;
    }
    std::swap(heap->items[at], heap->items[child]);
    at = child;
  }
  return SiftUp(vm, heap, start, at, largest);
}

Value Heapify(Vm& vm, List* heap, bool largest) {
  if (heap == nullptr) return Value();
  for (uint32_t i = heap->size / 2; i-- > 0;)
    if (!SiftDown(vm, heap, i, largest)) return Value();
  return Value::None();
}
Value HeapifyMin(Vm& vm, Args& args) {
  return Heapify(vm, HeapOf(vm, args, "_heapq.heapify", 1), false);
}
Value HeapifyMax(Vm& vm, Args& args) {
  return Heapify(vm, HeapOf(vm, args, "_heapify_max", 1), true);
}

Value Push(Vm& vm, Args& args) {
  List* heap = HeapOf(vm, args, "heappush", 2);
  if (heap == nullptr || !vm.Append(heap, args[1])) return Value();
  return SiftUp(vm, heap, 0, heap->size - 1, false) ? Value::None() : Value();
}

Value Pop(Vm& vm, List* heap, bool largest) {
  if (heap == nullptr) return Value();
  if (heap->size == 0) return vm.Raise(Error::kIndexError, "index out of range");
  const Value last = heap->items[--heap->size];
  if (heap->size == 0) return last;
  Roots roots(vm);
  const Value first = roots.Add(heap->items[0]);
  heap->items[0] = last;
  return SiftDown(vm, heap, 0, largest) ? first : Value();
}
Value PopMin(Vm& vm, Args& args) {
  return Pop(vm, HeapOf(vm, args, "_heapq.heappop", 1), false);
}
Value PopMax(Vm& vm, Args& args) {
  return Pop(vm, HeapOf(vm, args, "_heappop_max", 1), true);
}

Value ReplaceFirst(Vm& vm, List* heap, Value item, bool largest) {
  if (heap == nullptr) return Value();
  if (heap->size == 0) return vm.Raise(Error::kIndexError, "index out of range");
  Roots roots(vm);
  const Value first = roots.Add(heap->items[0]);
  heap->items[0] = item;
  return SiftDown(vm, heap, 0, largest) ? first : Value();
}
Value ReplaceMin(Vm& vm, Args& args) {
  List* heap = HeapOf(vm, args, "heapreplace", 2);
  return heap == nullptr ? Value() : ReplaceFirst(vm, heap, args[1], false);
}
Value ReplaceMax(Vm& vm, Args& args) {
  List* heap = HeapOf(vm, args, "_heapreplace_max", 2);
  return heap == nullptr ? Value() : ReplaceFirst(vm, heap, args[1], true);
}

Value PushPop(Vm& vm, Args& args) {
  List* heap = HeapOf(vm, args, "heappushpop", 2);
  if (heap == nullptr) return Value();
  bool less = false;
  if (heap->size == 0) return args[1];
  if (!vm.Less(heap->items[0], args[1], &less)) return Value();
  if (!less) return args[1];
  return ReplaceFirst(vm, heap, args[1], false);
}

constexpr BuiltinRow kRows[] = {{"_heapify_max", HeapifyMax, true},
                                {"_heappop_max", PopMax, true},
                                {"_heapreplace_max", ReplaceMax, true},
                                {"heapify", HeapifyMin, true},
                                {"heappop", PopMin, true},
                                {"heappush", Push, true},
                                {"heappushpop", PushPop, true},
                                {"heapreplace", ReplaceMin, true}};

}  // namespace

Value MakeHeapq(Vm& vm) {
  return MakeModule(vm, "_heapq", kRows);
}

}  // namespace ferry::vm
