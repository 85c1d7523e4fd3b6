// What each operand of an instruction is, so that files can be written and checked without knowing
// what instructions do.
#pragma once

#include "device-runtime/vm/compile/code.h"
#include "device-runtime/vm/exec/loop/helper.h"

namespace ferry::vm {

// "Value": anything a script can hold. Registers also hold cells, class bodies and nothing; which
// of these an instruction may meet is what the verifier proves.
enum class Operand : uint8_t {
  kNone,  // unused, or free for the interpreter
  // Registers.
  kTo,           // written: a value
  kAny,          // read, whatever it holds
  kFrom,         // read: a value
  kMaybe,        // read: a value or nothing
  kFromOrCell,   // read: a value or a cell
  kChange,       // read and written: a value
  kCell,         // read: a cell
  kList,         // read: a list that nothing else knows
  kSet,          // the same for a set
  kDict,         // and a dict
  kListToTuple,  // read: such a list; written: a tuple
  kException,    // read: an exception
  kCause,        // read when c is 1: a value
  kMessage,      // read when b is 1: a value
  kToPair,       // two written: a value, and a value or nothing
  kToList,
  kToTuple,
  kToSet,
  kToDict,
  kToText,      // written: a str
  kToSpan,      // written: as many values as the count in c
  kFromSpan,    // read: as many values as the count in c
  kTextSpan,    // the same, all str
  kFromTwo,     // read: two values
  kFromThree,   // read: three values
  kDelegate,    // 0, or 1 + a register read: a value
  kHelperSpan,  // as many registers as the helper in b says: some read, all values then
  kFormatted,   // read: a value and a str
  kCallee,      // read: a value, then b arguments; written: a value, and anything above it
  kMethod,      // the same with a value or nothing between
  kSpread,      // read: a value, a list, a dict; written as kCallee
  kDefaults,    // read: a tuple or nothing, a dict or nothing; written: a function or class body
  kClassParts,  // read: a tuple, a class body, and a dict when b is 1; written: a value
  // Others.
  kConstant,  // number of a constant
  kName,      // number of a constant that is an interned str
  kKeywords,  // number of a constant that is a tuple of interned str, at most b of them
  kGlobal,    // number of a variable of the module
  kFree,      // number of a captured cell
  kCode,      // number of a function in the code
  kForward,   // distance of a jump forward
  kBack,      // distance of a jump back
  kArguments,
  kCount,
  kStarCount,  // before << 8 | after
  kFlag,       // 0 or 1
  kNumber,
  kHelper,  // number of a helper
  kBinaryOperator,
  kUnaryOperator,
};

struct OperandRow {
  bool known = false;  // false: no instruction of a file
  Operand kinds[3] = {};
  uint8_t words = 0;  // Cache words that follow
};

const OperandRow& OperandsOf(Op op);

// Changes with every change of the instructions: files of another set are refused.
uint32_t InstructionSet();

inline uint16_t OperandOf(const Instruction& instruction, int i) {
  return i == 0 ? instruction.a : i == 1 ? instruction.b : instruction.c;
}

// How many registers an operand of kToSpan stands for.
inline uint32_t CountOf(const Instruction& instruction) {
  return instruction.op == Op::kUnpackStar ? (instruction.c >> 8) + (instruction.c & 255u) + 1u
                                           : instruction.c;
}

// The registers of a helper, and how many of them it reads.
struct HelperRow {
  uint8_t registers, reads;
};
HelperRow HelperOf(uint16_t number);

// The instruction after it does not run next.
inline bool EndsFlow(Op op) {
  return op == Op::kReturn || op == Op::kThrow || op == Op::kRaise || op == Op::kRaiseAgain ||
         op == Op::kRaiseAssertion || op == Op::kJump || op == Op::kJumpBack;
}

}  // namespace ferry::vm
