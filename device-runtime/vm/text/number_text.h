// Doubles as text in the forms of printf and of format().
#pragma once

#include <string>

namespace ferry::vm {

struct DoubleForm {
  char type = 'g';          // e f g (lower case); r: the shortest text that reads back the same
  int precision = 6;        // digits after the point (e, f) or all digits (g)
  bool alternate = false;   // a point always; g keeps its zeros
  bool point_zero = false;  // "1.0", not "1"; the exponent begins one digit earlier
};
// |d|, without a sign; "inf" and "nan" too.
std::string FormatDouble(double d, const DoubleForm& form);

}  // namespace ferry::vm
