// Rows of the module math, by file.
#pragma once

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

// The functions of doubles.
std::span<const BuiltinRow> MathRealRows();
// Whether there is one positional argument; false: TypeError, "math.sin() takes exactly one
// argument (0 given)".
bool ExpectOne(Vm& vm, const Args& args, const char* module, const char* name);
// Whether there are between min and max positional arguments; false: TypeError, "pow expected 2
// arguments, got 1".
bool ExpectSome(Vm& vm, const Args& args, const char* module, const char* name, uint32_t min,
                uint32_t max);

// ---- whole.cc ----
// The functions of integers.
std::span<const BuiltinRow> MathWholeRows();

// ---- sum.cc ----
// The functions over many values.
std::span<const BuiltinRow> MathSumRows();

}  // namespace ferry::vm
