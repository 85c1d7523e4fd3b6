// The text of the usual values in the usual formats, into a small buffer: small integers, floats
// and short ASCII strings. What this does not know, format.cc and text/percent.cc do.
#pragma once

#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Text of at most `kMost` bytes, all ASCII.
struct ShortText {
  static constexpr size_t kMost = 160;
  char data[kMost];
  size_t size = 0;
  std::string_view view() const { return {data, size}; }
};

// A format as format() and % have it in common. `type` 0: as str() of the value.
struct ShortFormat {
  char fill = ' ';
  char align = 0;  // 0: as the type does
  bool plus = false, group = false, zero = false;
  char type = 0;
  int width = 0;
  int precision = -1;
};

// Reads a specification of format(); false: not one of the usual ones.
bool ReadShortFormat(std::string_view spec, ShortFormat* out);
// False: another kind of value, another type, or longer than a ShortText.
bool WriteShort(Value v, const ShortFormat& format, ShortText* out);
// What str() gives of small integers and floats.
bool ShortStr(Value v, ShortText* out);
// `text` as a string: ASCII.
Value NewAscii(Vm& vm, std::string_view text);

}  // namespace ferry::vm
