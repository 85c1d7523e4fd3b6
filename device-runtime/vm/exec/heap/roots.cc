// Where a collection begins: everything that the isolate itself holds.
#include <algorithm>
#include <bit>

#include "device-runtime/vm/exec/call/check.h"
#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

void Vm::Collect() {
  Value* end = top;
  for (const Frame& frame : frames) {
    if constexpr (kVmChecks) CheckFrame(*this, frame);
    end = std::max(end, frame.top);
    heap.Mark(frame.function);
    if (frame.kind == FrameKind::kConstruct || IsGenerator(frame.kind)) heap.Mark(frame.held);
  }
  if (asked == nullptr) {
    for (Value* v = stack.get(); v < end; ++v) heap.Mark(*v);
  } else {
    for (const Frame& frame : frames)
      for (uint16_t i = 0; i < std::min(frame.code->temporaries, frame.code->registers); ++i)
        heap.Mark(frame.base[i]);
  }
  for (Value v : kept) heap.Mark(v);
  for (Value v : pinned) heap.Mark(v);
  heap.Mark(pending);
  heap.Mark(passing);
  for (const CodeObject& code : codes) {
    heap.Mark(code.module);
    heap.Mark(code.name);
    heap.Mark(code.qualified_name);
    for (Value v : code.constants) heap.Mark(v);
    heap.Mark(code.object);
  }
  for (uint32_t i = 0; i < interned.capacity; ++i) heap.Mark(interned.places[i]);
  heap.Mark(modules);
  for (const auto& [type, cls] : native_classes) heap.Mark(cls);
  for (const auto& [cls, shape] : builtin_shapes) heap.Mark(shape);
  for (const auto& [type, cls] : record_classes) heap.Mark(cls);
  for (Value v : dying) heap.Mark(v);
  heap.Drain();
  if (asked != nullptr) {
    for (const MemoryView* view : views)
      if (view->marked && !view->released && view->base.object() == asked) asked = nullptr;
    for (Value* v = stack.get(); v < end; ++v) heap.Mark(*v);
    heap.Drain();
  }
  FindDying();
  std::erase_if(views, [](const MemoryView* view) { return !view->marked || view->released; });
  std::erase_if(script_classes, [](const Class* cls) { return !cls->marked; });
  DropPositions();
  heap.Sweep();
  for (MethodCacheLine& line : method_cache) line = {};  // a dead class's address may be used again
  for (SlotCacheLine& line : slot_cache) line = {};
}

// Whether this passing of a safe point collects when tests ask for that: the first ones of each
// place, then the eighth, the sixty-fourth and so on. A place is an instruction together with the
// one that the frame below waits at, so that what several natives call back counts for each of
// them. Collecting at every passing finds no more roots that are missing, but takes the time of a
// program times the size of its heap.
static bool IsDue(Vm& vm) {
  constexpr uint32_t kFirst = 3;
  const Frame* const frame = &vm.frames.back();
  uint64_t place = reinterpret_cast<uintptr_t>(frame->pc);
  if (vm.frames.size() > 1)
    place += reinterpret_cast<uintptr_t>(frame[-1].pc) * 0x9E37'79B9'7F4A'7C15;
  const uint32_t count = ++vm.passings[place];
  return count <= kFirst || (std::has_single_bit(count) && std::countr_zero(count) % 3 == 0);
}

bool Vm::CollectAtSafePoint() {
  if (heap.collects_always() && !IsDue(*this)) return true;
  Collect();
  if (!dying.empty()) RunDying();
  return fatal.ok();
}

}  // namespace ferry::vm
