// Integers of any size. Results that fit are small integers again.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Both sides ints of any kind (bool too); the result is empty on failure. `op` is an Operator.
Value IntBinary(Vm& vm, int op, Value a, Value b);
// Floored quotient and remainder; ZeroDivisionError with `zero`.
bool IntDivMod(Vm& vm, Value a, Value b, Value* quotient, Value* remainder, const char* zero);

// ---- convert.cc ----
// The nearest double of a / b, rounded once.
Value IntTrueDivide(Vm& vm, Value a, Value b);

// ---- power.cc ----
Value IntPow(Vm& vm, Value base, Value exponent, Value modulus);  // modulus may be empty

// ---- bigint.cc ----
Value IntNegate(Vm& vm, Value v);

// ---- root.cc ----
Value IntSqrt(Vm& vm, Value v);  // v >= 0
Value IntGcd(Vm& vm, Value a, Value b);
// To a multiple of 10**-digits, halves to even.
Value IntRound(Vm& vm, Value v, int64_t digits);

// ---- bigint.cc ----
// -1, 0, 1.
int IntCompare(Value a, Value b);

// ---- text.cc ----
// Digits of `base` (2 to 36) with optional sign; empty (ValueError) otherwise. Decimal digits past
// Vm::max_int_digits are a ValueError, too.
Value ParseInt(Vm& vm, std::string_view digits, int base);
// Appends the digits; false when it failed.
bool AppendInt(Vm& vm, Value v, int base, std::string* out);
// The text that AppendInt appends; empty when it failed.
std::string IntToText(Vm& vm, Value v, int base);

// ---- convert.cc ----
// Nearest double; infinite when too large.
double IntToDouble(Value v);
Value IntFromDouble(Vm& vm, double d);  // truncated; d is finite

// ---- bigint.cc ----
// false when it does not fit.
bool IntToInt64(Value v, int64_t* out);
bool IntToUint64(Value v, uint64_t* out);

// ---- convert.cc ----
// What Python's hash() gives: modulo 2**61 - 1, -1 is -2; ints and floats that are equal hash
// equally.
int64_t IntHash(Value v);
int64_t DoubleHash(double d);

// ---- bigint.cc ----
int64_t IntBitLength(Value v);

// ---- convert.cc ----
int CompareIntDouble(Value i, double d);  // d is no NaN

// ---- bits.cc ----
// Two's complement of `size` bytes; false: reported.
bool IntToBytes(Vm& vm, Value v, size_t size, bool little, bool is_signed, char* out);
Value IntFromBytes(Vm& vm, const char* bytes, size_t size, bool little, bool is_signed);
int64_t IntBitCount(Value v);  // ones of the magnitude

// ---- bigint.cc ----
bool IntOdd(Value v);
int IntSign(Value v);  // -1, 0, 1

}  // namespace ferry::vm
