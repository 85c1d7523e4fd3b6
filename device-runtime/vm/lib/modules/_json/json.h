// JSON text of values and back, as the module json has it.
#pragma once

#include <string_view>

#include "device-runtime/vm/lib/lib.h"

namespace ferry::vm {

struct JsonForm {
  bool skip_keys = false, ascii = true, check_circular = true, allow_nan = true;
  bool sort_keys = false, pretty = false;
  std::string_view indent, item_separator = ", ", key_separator = ": ";
  Value fallback;  // called with what has no JSON form; Empty: TypeError
};
// The text; scripts run in `fallback` and in methods of derived classes: `v` is kept by the caller.
Value WriteJson(Vm& vm, Value v, const JsonForm& form);
Value QuoteJson(Vm& vm, Value text, bool ascii);

struct JsonHooks {
  bool strict = true;                            // no control characters in strings
  Value object, pairs, real, integer, constant;  // or Empty
};
// (value, end) of the value that begins at code point `index`.
Value ScanJson(Vm& vm, Value text, int64_t index, const JsonHooks& hooks);
Value LoadJson(Vm& vm, Value text);

inline constexpr int kMaxJsonLevels = 990;  // as CPython's recursion limit allows

}  // namespace ferry::vm
