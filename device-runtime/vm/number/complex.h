// Complex numbers: arithmetic, text.
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

struct ComplexParts {
  double real = 0, imaginary = 0;
};
inline bool IsComplex(Value v) {
  return Is(v, Type::kComplex);
}
// Ints, floats and complex numbers; OverflowError for ints beyond doubles. false: reported.
bool ToComplex(Vm& vm, Value v, ComplexParts* out);
ComplexParts ComplexMultiply(ComplexParts a, ComplexParts b);
bool ComplexDivide(ComplexParts a, ComplexParts b, ComplexParts* out);  // false: by zero
// a ** b; ZeroDivisionError, OverflowError.
Value ComplexPower(Vm& vm, ComplexParts a, ComplexParts b);
// `op` is an Operator of the arithmetic ones; *handled false where complex numbers have none.
Value ComplexBinary(Vm& vm, int op, Value a, Value b, bool* handled);
std::string ComplexRepr(ComplexParts c);
// What complex(text) gives; empty: a ValueError.
Value ParseComplex(Vm& vm, std::string_view text);
// A float as in the parts of a complex number: without the ".0".
std::string PartRepr(double d);

}  // namespace ferry::vm
