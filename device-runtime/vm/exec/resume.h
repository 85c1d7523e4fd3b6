// Generators that a loop of the same C++ frame asks for their items.
#pragma once

#include <cstring>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// Copies, and perhaps one value more: the registers of a generator and those of a frame have room.
inline void CopyValues(Value* to, const Value* from, uint32_t count) {
  for (const Value* const end = from + count; from < end; from += 2, to += 2)
    std::memcpy(static_cast<void*>(to), from, 2 * sizeof(Value));  // in one move
}

// A frame that runs the generator to its next yield, whose value goes to *item, after `sent` was
// sent. false: there is none, and Vm::Resume knows why.
inline bool PushGenerator(Vm& vm, Generator* generator, Value sent, Value* item, FrameKind kind) {
  if (generator->state > Generator::kSuspended) return false;
  CodeObject* code = generator->function->code;
  Value* const base = vm.top;
  const uint32_t count = generator->register_count;
  if (!vm.HasFrame(base + code->registers + 4)) [[unlikely]]
    return false;
  CopyValues(base, generator->registers, count);
  base[count] = Value();  // CopyValues' one more is of no life that the collector knows
  const Instruction* pc = code->instructions.data();
  if (generator->state == Generator::kSuspended) {
    const Instruction& yield = pc[generator->pc];
    if (yield.op != Op::kYield) return false;
    base[yield.a] = sent;
    pc += generator->pc + 1;
  }
  Frame& frame = vm.frames.Push();
  frame.code = code;
  frame.function = generator->function;
  frame.pc = pc;
  frame.base = base;
  frame.result = item;
  frame.generator = generator;
  frame.kind = kind;
  vm.top = base + code->registers;
  generator->state = Generator::kRunning;
  return true;
}

}  // namespace ferry::vm
