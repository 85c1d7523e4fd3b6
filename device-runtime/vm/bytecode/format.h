// The bytecode file: a module's code, compiled. Numbers are LEB128 unless a width is given.
//
//   magic "\x7f" "FBC", version u8, instruction set u32 (little-endian)
//   flags (file_flags)
//   source, if the flag says so: size, UTF-8; up to here all versions are the same
//   strings: count, then size and UTF-8 of each; everything below names strings by number
//   variables of the module: count, strings; instructions name variables by number
//   code objects: count, then each; the first is the module's, every other one belongs to one
//     before it
//
// A code object: name, qualified name, flags (code_flags), positional, positional-only and
// keyword-only parameters, registers, captured cell of the class + 1, docstring + 1; counted lists
// of parameters (strings), constants, inner functions (code objects), captures (index * 2 + local),
// handlers (start, length, handler, register), handled ranges (start, length, register),
// instructions, lines. An instruction is its operation and the operands that it uses (operands.h);
// Cache words are implied. Lines are runs: number of instructions, difference to the line before
// (zigzag) and, unless the file has lines only, lines to the end, first and last column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

inline constexpr std::string_view kBytecodeMagic =
    "\x7f"
    "FBC";
inline constexpr uint8_t kBytecodeVersion = 1;
inline constexpr size_t kMaxConstantDepth = 20;  // tuples in tuples
inline constexpr size_t kMaxCodes = 60000;       // code objects of one module

enum class ConstantTag : uint8_t {
  kNone,
  kFalse,
  kTrue,
  kEllipsis,
  kInt,      // zigzag
  kBigInt,   // string: hexadecimal digits with sign
  kFloat,    // 8 bytes, little-endian
  kString,   // string
  kBytes,    // size, bytes
  kTuple,    // count, constants
  kComplex,  // two floats
};

namespace file_flags {
inline constexpr uint32_t kHasSource = 1;
inline constexpr uint32_t kLinesOnly = 2;  // no columns
inline constexpr uint32_t kAll = 3;
}  // namespace file_flags
namespace code_flags {
inline constexpr uint32_t kRest = 1, kKeywordRest = 2, kGenerator = 4, kClassBody = 8;
inline constexpr uint32_t kAll = 15;
}  // namespace code_flags

inline constexpr uint64_t Zigzag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
inline constexpr int64_t Unzigzag(uint64_t v) {
  return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
}

// The module's code as a file. `source` may be empty: then the file has none. Without `columns` it
// knows of every instruction its line alone. kUnsupported: it has an instruction or a constant that
// files do not hold.
Result<std::string> WriteBytecode(Vm& vm, const CodeObject& module, std::string_view source,
                                  bool columns = true);

// The source that the file of any version carries; empty when it has none.
std::string_view SourceOfBytecode(std::string_view bytes);

// Reads a file into vm.codes, verified. kMalformed says what is wrong, kUnsupported that another
// version made it, kScriptMemory.
Result<CodeObject*> ReadBytecode(Vm& vm, std::string_view bytes, Module* module);

// The code of a module from its source text or its bytecode. Bytecode of another version is
// compiled again when it has its source with it.
Result<CodeObject*> ReadModule(Vm& vm, std::string_view bytes, std::string_view file,
                               Module* module);

}  // namespace ferry::vm
