// What checked builds ask of frames and registers (check.h).
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Why the frame cannot be one that runs or waits; nullptr: it can. Its registers are those of its
// generator, or lie on the stack, and its instruction is one of its code.
inline const char* WrongFrame(const Frame& frame, const Value* stack, const Value* stack_end) {
  const CodeObject* const code = frame.code;
  if (code == nullptr) return "a frame without code";
  const Instruction* const first = code->instructions.data();
  if (frame.pc < first || frame.pc > first + code->instructions.size())
    return "a frame whose instruction is none of its code";
  if (frame.top < stack || frame.top > stack_end) return "a frame whose top is not on the stack";
  if (IsGenerator(frame.kind)) {
    if (!Is(frame.held, Type::kGenerator)) return "a generator's frame without its generator";
    const Generator* const generator = frame.generator();
    if (frame.base != generator->registers || generator->register_count < code->registers)
      return "a generator's frame whose registers are not the generator's";
    return nullptr;
  }
  if (frame.base < stack || frame.base + code->registers > frame.top)
    return "a frame whose registers are not below its top";
  return nullptr;
}

inline void CheckFrame(const Vm& vm, const Frame& frame, Site site = Site::Here()) {
  const char* const wrong = WrongFrame(frame, vm.stack.get(), vm.stack_end);
  if (wrong != nullptr) CheckFailed(site, "every frame is sound", wrong);
}

// The first of `count` registers of the running frame, which lie at `base`; one behind the last is
// the first of none.
inline Value* CheckedRegisters(const Frame& frame, Value* base, size_t first, size_t count,
                               Site site = Site::Here()) {
  if (base != frame.base || first + count > frame.code->registers) [[unlikely]]
    CheckFailed(site, "an operand is a register of the running code");
  return base + first;
}
inline const Value* CheckedConstant(const Frame& frame, const Value* constants, size_t number,
                                    Site site = Site::Here()) {
  if (constants != frame.code->constants.data() || number >= frame.code->constants.size())
      [[unlikely]]
    CheckFailed(site, "an operand is a constant of the running code");
  return constants + number;
}
inline Variable& CheckedVariable(const Frame& frame, size_t number, Site site = Site::Here()) {
  if (number >= frame.code->module->count) [[unlikely]]
    CheckFailed(site, "an operand is a variable of the running module");
  return frame.code->module->slots[number];
}
inline Cell* CheckedCell(const Frame& frame, size_t number, Site site = Site::Here()) {
  if (frame.function == nullptr || number >= frame.function->cell_count) [[unlikely]]
    CheckFailed(site, "an operand is a cell of the running function");
  return frame.function->cells[number];
}
inline const Instruction* CheckedInstruction(const Frame& frame, const Instruction* pc,
                                             Site site = Site::Here()) {
  const Instruction* const first = frame.code->instructions.data();
  if (pc < first || pc >= first + frame.code->instructions.size()) [[unlikely]]
    CheckFailed(site, "the next instruction is one of the running code");
  return pc;
}

}  // namespace ferry::vm
