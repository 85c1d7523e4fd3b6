// Doubles: rounding to decimal places, hexadecimal text, reading.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Nearest multiple of 10**-digits of the exact value, halves to even; infinite when too large.
double RoundDouble(double d, int64_t digits);
std::string DoubleToHex(double d);
Value DoubleFromHex(Vm& vm, std::string_view text);
// What float(text) reads, without the spaces around; false: it is malformed.
bool ParseDouble(std::string_view text, double* out);
// A real number as a double: floats, ints, __float__, __index__; TypeError "must be real number,
// not ..." and OverflowError otherwise. `ask`: __float__ of classes derived from float, too, as
// float() does.
bool ToReal(Vm& vm, Value v, double* out, bool ask = false);

}  // namespace ferry::vm
