// Integers of any size. Results that fit are small integers again.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/vm/exec/vm.h"

namespace ferry::vm {

// Both sides ints of any kind (bool too); the result is empty on failure. `op` is an Operator.
Value IntBinary(Vm& vm, int op, Value a, Value b);
Value IntPow(Vm& vm, Value base, Value exponent, Value modulus);  // modulus may be empty
Value IntNegate(Vm& vm, Value v);
// -1, 0, 1.
int IntCompare(Value a, Value b);
// Digits of `base` with optional sign; empty (ValueError) otherwise.
Value ParseInt(Vm& vm, std::string_view digits, int base);
std::string IntToText(Value v, int base);
// Nearest double; infinite when too large.
double IntToDouble(Value v);
Value IntFromDouble(Vm& vm, double d);  // truncated; d is finite
// false when it does not fit.
bool IntToInt64(Value v, int64_t* out);
uint64_t IntHash(Value v);
int64_t IntTextSteps(Value v);  // what IntToText counts against the limit of steps
int64_t IntBitLength(Value v);
int CompareIntDouble(Value i, double d);  // d is no NaN

}  // namespace ferry::vm
