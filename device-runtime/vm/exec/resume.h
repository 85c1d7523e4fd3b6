// Generators that a loop of the same C++ frame asks for their items.
#pragma once

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// A frame that runs the generator to its next yield, whose value goes to *item. false: there is
// none, and Vm::Resume knows why.
inline bool PushGenerator(Vm& vm, Generator* generator, Value* item) {
  if (generator->kind() != GeneratorKind::kGenerator ||
      (generator->state != Generator::kFresh && generator->state != Generator::kSuspended))
    return false;
  CodeObject* code = generator->function->code;
  Value* const base = vm.top;
  const uint32_t count = generator->register_count;
  if (!vm.HasFrame(base + code->registers + 4)) [[unlikely]]
    return false;
  for (uint32_t i = 0; i < count; ++i) base[i] = generator->registers[i];
  const Instruction* pc = code->instructions.data();
  if (generator->state == Generator::kSuspended) {
    const Instruction& yield = pc[generator->pc];
    if (yield.op != Op::kYield) return false;
    base[yield.a] = Value::None();
    pc += generator->pc + 1;
  }
  Frame& frame = vm.frames.emplace_back();
  frame.code = code;
  frame.function = generator->function;
  frame.pc = pc;
  frame.base = base;
  frame.result = item;
  frame.generator = generator;
  frame.kind = FrameKind::kResumed;
  vm.top = base + code->registers;
  generator->state = Generator::kRunning;
  return true;
}

}  // namespace ferry::vm
