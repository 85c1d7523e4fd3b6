// The format mini-language: [[fill]align][sign][z][#][0][width][,_][.precision][type].
#pragma once

#include <string>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

struct FormatSpec {
  std::string fill = " ";
  char align = '<';
  char sign = 0;  // 0: none given
  bool no_negative_zero = false, alternate = false;
  char group = 0;  // ',' or '_'
  int64_t width = 0, precision = -1;
  uint32_t type = 0;  // a code point
};

// Reads `text` for an object of the type named; `type` and `align` are what holds when it names
// none. False: a ValueError is pending.
bool ParseFormatSpec(Vm& vm, std::string_view text, std::string_view type_name, char type,
                     char align, FormatSpec* spec);
// "Unknown format code"; always false.
bool UnknownFormat(Vm& vm, uint32_t type, std::string_view type_name);

// ---- format.cc ----
// The digits of an int, with '-'; fails past the limits of str(int).
bool IntDigits(Vm& vm, Value v, int base, std::string* out);

// Sign and prefix, digits (the first `whole` of which take separators), and what follows, padded.
struct NumberParts {
  std::string sign, prefix, digits, rest;
  size_t group_size = 3;
};

// ---- spec.cc ----
bool PadNumber(Vm& vm, const FormatSpec& spec, NumberParts parts, std::string* out);
bool PadText(Vm& vm, const FormatSpec& spec, std::string_view body, std::string* out);

}  // namespace ferry::vm
