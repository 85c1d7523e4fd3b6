// A compiled regular expression: words for the matcher. It lives in one bytes object of the heap.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "device-runtime/vm/regex/node.h"

namespace ferry::vm::regex {

// Words of an instruction: the operation, then operands. Jumps are places in the program.
enum class Op : uint32_t {
  kMatch,
  kFail,
  kLiteral,      // code point
  kLiteralFold,  // key: see FoldKey; what to fold with: kUnicode or 0
  kAny,          // all but \n
  kAnyAll,
  kSet,        // place of the set; words to skip
  kAt,         // At | kMultiLine | kUnicode
  kSave,       // register
  kJump,       // to
  kSplit,      // the other way; tried after the next instruction
  kReference,  // group, fold
  kCondition,  // group, to when it did not take part
  kLook,       // behind width + 1 or 0, negated, end
  kAtomic,     // end
  kOne,        // least, most, mode, end: repeats the one instruction that follows
  kLoopBegin,  // register of count
  kLoop,       // register of count, least, most, mode, exit; bodies jump back to it
  kTurn,       // register of count: a turn of the body begins
};

// Header words.
enum Header : uint32_t {
  kRegisters,
  kGroups,
  kFirstBytes /* 8 words of bits */,
  kHasFirst = 10,
  kWidthLeast,
  kCode
};

// A set in the program: negated, categories, flags, number of ranges, 8 words for code points below
// 256, ranges.
enum SetWord : uint32_t {
  kSetNegated,
  kSetCategories,
  kSetFlags,
  kSetRanges,
  kSetBits,
  kSetFirst = 12
};

// ---- compile.cc ----
// Compiles; false with *problem (look-behind without fixed width).
bool Compile(const Tree& tree, bool bytes, std::vector<uint32_t>* program, Problem* problem);

// ---- set.cc ----
// What characters that differ only in case have in common.
uint32_t FoldKey(uint32_t c, bool unicode);
bool IsWord(uint32_t c, bool unicode);
// Whether the set has `c`, >= 256 or not.
bool SetHas(const uint32_t* set, uint32_t c);

inline constexpr size_t kMaxProgramWords = 4u << 20;

}  // namespace ferry::vm::regex
