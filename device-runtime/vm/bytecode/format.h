// The bytecode file: a module's code, compiled. Numbers are LEB128 unless a width is given.
//
//   magic "\x7f" "FBC", version u8, instruction set u32 (little-endian)
//   flags (file_flags)
//   source, if the flag says so: size, UTF-8; up to here all versions are the same
//   the sizes of the parts, then the parts (FilePart): what is alike lies together, so that it
//   packs well
//
//   kTexts: strings: count, then size and UTF-8 of each; everything else names strings by
//     number + 1, or 0 for the next one that was not named before
//   kCode: variables of the module: count, strings; instructions name variables by number.
//     Code objects: count, then each; the first is the module's, every other one belongs to one
//     before it
//   kNames: the strings that code objects name
//   kOperations, and by kinds of operands kOperands, kConstants, kGlobals, kJumps: of the
//     instructions of all code objects in turn, numbered as operand_coder.h says
//   kPlaces: where they come from
//
// A code object: name, qualified name + 1 (0: as it follows from where it stands), flags
// (code_flags), positional, positional-only and keyword-only parameters, registers, those of
// parameters and variables, captured cell of the class + 1, docstring + 1; counted lists of
// parameters (strings), constants, inner functions (code objects), captures (index * 2 + local),
// handlers (start, length, handler, register), handled ranges (start, length, register); the number
// of instructions. An instruction is its operation and the operands that it uses (operands.h);
// Cache words are implied. Places are runs: number of instructions, difference to the line before
// (zigzag), lines to the end, first and last column; or, where the file has kFirstLines, the line
// of the first instruction alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

inline constexpr std::string_view kBytecodeMagic =
    "\x7f"
    "FBC";
inline constexpr uint8_t kBytecodeVersion = 3;
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

enum FilePart {
  kTexts,
  kCode,
  kNames,
  kOperations,
  kOperands,
  kConstants,
  kGlobals,
  kJumps,
  kPlaces,
  kFileParts
};

namespace file_flags {
inline constexpr uint32_t kHasSource = 1;
inline constexpr uint32_t kFirstLines = 2;
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

// ---- writer.cc ----
// The module's code as a file. `source` may be empty: then the file has none. Without `places` it
// knows the first line of every function alone. kUnsupported: it has an instruction or a constant
// that files do not hold.
Result<std::string> WriteBytecode(Vm& vm, const CodeObject& module, std::string_view source,
                                  bool places = true);

// ---- reader.cc ----
// The parts of a file; whole as far as the sizes that it names are. False: it is none, or too
// short.
bool PartsOf(std::string_view bytes, std::string_view (&parts)[kFileParts]);

// What inner code is called when nothing else is said: "outer.<locals>.name", "Class.name".
std::string QualifiedName(const CodeObject& outer, std::string_view name);

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
