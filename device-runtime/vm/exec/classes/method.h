// Special methods of script classes that the interpreter's loop runs in its own C++ frame: which
// function it is, if it is a plain one with just the parameters that are given, and how its frame
// begins. The general ways (Vm::Binary, Vm::Index ..) do the same by a nested run.
#pragma once

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// The special method of a value if it is a plain script function of `count` parameters, self too;
// else nullptr. No script runs.
inline Function* SpecialFunction(Vm& vm, Value v, String* name, uint32_t count) {
  const Value found = vm.FindInClass(vm.ClassOf(v), name);
  if (!Is(found, Type::kFunction)) return nullptr;
  auto* function = As<Function>(found);
  return function->code->simple && function->code->positional == count ? function : nullptr;
}

// The method that an operator of script instances tries first; nullptr: none that the loop can run.
Function* BinaryMethod(Vm& vm, uint8_t op, Value x, Value y, bool in_place);
Function* CompareMethod(Vm& vm, uint8_t op, Value x, Value y);
// The operator at the pc of the frame, after that method has given NotImplemented. Empty: it
// failed. Scripts may run.
Value OperateAgain(Vm& vm, const Frame& frame);

// Makes [from, to) of the stack empty, and perhaps one value more.
inline void ClearValues(Value* from, const Value* to) {
  for (; from < to; from += 2) from[0] = from[1] = Value();
}

// Pushes a frame of a simple function whose `count` arguments, as many as its parameters, lie at
// `args`. false: there is no room, which is reported.
inline bool PushSimple(Vm& vm, Function* function, Value* args, uint32_t count, Value* result,
                       FrameKind kind) {
  CodeObject* code = function->code;
  const size_t need = code->registers + size_t{1};
  if (!vm.HasFrame(args + need)) [[unlikely]]
    return !vm.TooDeep().empty();
  ClearValues(args + count, args + need);
  // Field by field: a Frame built aside and copied waits for its own stores.
  Frame& frame = vm.frames.Push();
  frame.code = code;
  frame.function = function;
  frame.pc = code->instructions.data();
  frame.base = args;
  frame.top = args + code->registers;
  frame.result = result;
  frame.kind = kind;
  vm.top = args + code->registers;
  return true;
}

}  // namespace ferry::vm
