// Generators that a loop of the same C++ frame asks for their items.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Whether the stack has room for what a generator's calls put there (see OnStack), and the frames
// for one more. false: past Limits::depth that is fatal, else the caller raises TooDeep.
inline bool HasGeneratorFrame(Vm& vm, const CodeObject* code) {
  return vm.HasFrame(vm.top + code->registers + 4);
}

// A new generator of the function, whose first `count` registers are set. Empty: there is no
// memory.
Value NewGenerator(Vm& vm, Function* function, const Value* args, uint32_t count);
// Puts a RuntimeError in the place of a pending StopIteration, which must not leave a generator: it
// would read as its end. The value is always empty. Source: PEP 479.
Value NoStop(Vm& vm, Generator* generator);

// Copies `count` arguments of a call, which lie in registers of a generator, to where the callee's
// frame can begin: to the stack, behind one free place. Nothing may collect before it does.
inline Value* OnStack(Vm& vm, const Value* args, uint32_t count) {
  Value* const to = vm.top + 1;
  to[-1] = Value();
  for (uint32_t i = 0; i < count; ++i) to[i] = args[i];
  return to;
}

// Pushes a frame that runs the generator to its next yield, whose value goes to *item, after `sent`
// was sent. false: there is none, and Vm::Resume knows why. Runs nothing itself.
inline bool PushGenerator(Vm& vm, Generator* generator, Value sent, Value* item, FrameKind kind) {
  if (generator->state > Generator::kSuspended) return false;
  CodeObject* code = generator->function->code;
  if (!HasGeneratorFrame(vm, code)) [[unlikely]]
    return false;
  Value* const base = generator->registers;
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
  frame.top = vm.top;
  frame.result = item;
  frame.held = Value::Of(generator);
  frame.kind = kind;
  generator->state = Generator::kRunning;
  return true;
}

}  // namespace ferry::vm
