// Rows of the module math, by file.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

std::span<const BuiltinRow> MathRealRows();   // of doubles
std::span<const BuiltinRow> MathWholeRows();  // of integers
std::span<const BuiltinRow> MathSumRows();    // over many values

// "math.sin() takes exactly one argument (0 given)".
bool ExpectOne(Vm& vm, const Args& args, const char* module, const char* name);
// Between min and max positional arguments: "pow expected 2 arguments, got 1".
bool ExpectSome(Vm& vm, const Args& args, const char* module, const char* name, uint32_t min,
                uint32_t max);

}  // namespace ferry::vm
