// Bytecode: modules compiled ahead of time. A loader may give it wherever it may give source text
// (ModuleFile::bytes); it is verified before it runs, so it may come from anywhere.
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::vm {

// How a compiled module's file is named.
inline constexpr std::string_view kBytecodeSuffix = ".fbc";

// ---- compile/ahead.cc ----
// Whether this program has the compiler (FERRY_VM_COMPILER); without it only bytecode runs.
bool HasCompiler();

// Compiles `source` as CheckSyntax does, with its errors. `file` names it in them; the file that
// is run is named by its loader. With its source a file shows lines in tracebacks, and outlives
// changes of the bytecode where there is a compiler. Without places tracebacks name the line where
// a function begins. kUnsupported without a compiler.
Result<std::string> CompileToBytecode(std::string_view source, std::string_view file,
                                      bool with_source = true, bool with_places = true);

// ---- bytecode/bytecode.cc ----
// Whether these bytes say that they are bytecode; no source text begins like that.
bool IsBytecode(std::string_view bytes);

// Whether an isolate would take it: kMalformed, kUnsupported (made by another version),
// kLimitExceeded.
Status CheckBytecode(std::string_view bytes);

}  // namespace ferry::vm
