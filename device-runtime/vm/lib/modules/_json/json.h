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
struct JsonHooks {
  bool strict = true;                            // no control characters in strings
  Value object, pairs, real, integer, constant;  // or Empty
};
inline constexpr int kMaxJsonLevels = 990;  // what CPython's recursion limit allows

// Empty: they failed. `v` and `text` are kept by the caller.

// ---- json_write.cc ----
// The text; scripts run in `fallback` and in methods of derived classes.
Value WriteJson(Vm& vm, Value v, const JsonForm& form);
// The text of a str in quotes. No script runs.
Value QuoteJson(Vm& vm, Value text, bool ascii);

// ---- json_read.cc ----
// (value, end) for the value that begins at code point `index`. Scripts run in the hooks.
Value ScanJson(Vm& vm, Value text, int64_t index, const JsonHooks& hooks);
// The value of a whole text, without hooks. No script runs but that of the exception's class.
Value LoadJson(Vm& vm, Value text);

}  // namespace ferry::vm
