// Where a collection begins: everything that the isolate itself holds.
#include <algorithm>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

void Vm::Collect() {
  Value* end = top;
  for (const Frame& frame : frames) {
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

}  // namespace ferry::vm
