// CodeObject: what the compiler makes of a function, class body or module; the interpreter's input.
// An instruction is 64 bits: operation and three 16-bit operands, so no function needs wide forms.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device-runtime/vm/exec/layout.h"

namespace ferry::vm {

enum class Op : uint16_t {
#define FERRY_OP(name) k##name,
#include "device-runtime/vm/compile/opcodes.inc"
#undef FERRY_OP
};

struct Instruction {
  Op op;
  uint16_t a, b, c;
};
static_assert(sizeof(Instruction) == 8);

inline constexpr size_t kMaxInstructions = 30000;  // of one function: jumps are 16-bit
inline constexpr size_t kMaxRegisters = 4000;      // of one function
inline constexpr size_t kMaxConstants = 60000;

// An exception raised in [start, end) goes to `handler` with the exception in register `reg`.
struct HandlerEntry {
  uint16_t start, end, handler, reg;
};
// While pc is in [start, end) the exception in `reg` is being handled: it is the context of new
// ones.
struct HandledRange {
  uint16_t start, end, reg;
};
// Where an instruction comes from: lines from 1, columns in bytes from 0.
struct Place {
  uint32_t line = 0;
  uint16_t more_lines = 0;  // to the line of the end
  uint16_t column = 0, end_column = 0;
};
inline constexpr uint16_t kNoColumn = 0xFFFF;
struct Capture {
  bool local;  // a cell of the enclosing function, else one it captured itself
  uint16_t index;
};

// Lives as long as its isolate.
struct CodeObject {
  String* name = nullptr;
  String* qualified_name = nullptr;
  Module* module = nullptr;
  std::vector<Instruction> instructions;
  std::vector<Place> places;  // of each instruction
  std::vector<Value> constants;
  std::vector<HandlerEntry> handlers;  // innermost first
  std::vector<HandledRange> handled;   // innermost first
  std::vector<CodeObject*> functions;
  std::vector<Capture> captures;
  // Parameters lie in registers 0..: positional, keyword-only, *rest, **keyword rest.
  std::vector<String*> parameters;
  uint16_t positional = 0, positional_only = 0, keyword_only = 0;
  bool rest = false, keyword_rest = false;
  bool generator = false;  // calls make a Generator
  GeneratorKind generator_kind = GeneratorKind::kGenerator;
  bool class_body = false;  // register 0 is the namespace
  bool simple = false;      // positional parameters only, no generator: calls take the fast way
  Value doc;                // str, also a constant; or empty
  int class_cell = -1;      // which captured cell is __class__, for super()
  uint16_t registers = 0;
  std::vector<std::pair<String*, uint16_t>> variables;  // locals and their registers, some cells
  uint16_t temporaries = 0;  // the first register behind those of parameters and variables
  mutable Value object;      // what scripts see as __code__, once they have asked; or empty
};

}  // namespace ferry::vm
