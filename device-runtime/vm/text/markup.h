// The text between braces of str.format: "literal {name.attribute[key]!r:spec}".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "device-runtime/vm/exec/state.h"

namespace ferry::vm {

// Literal text, and the field that follows it.
struct MarkupField {
  std::string_view literal;
  bool present = false;  // a field follows
  std::string_view name, spec;
  uint32_t conversion = 0;  // a code point; 0: none
  bool nested = false;      // the spec has fields of its own
};

class Markup {
 public:
  explicit Markup(std::string_view text) : rest_(text) {}
  bool over() const { return rest_.empty(); }
  // False: a ValueError is pending.
  bool Next(Vm& vm, MarkupField* out);

 private:
  bool Field(Vm& vm, MarkupField* out);
  std::string_view rest_;
};

struct FieldStep {
  bool end = false;
  bool attribute = false;
  std::string_view text;
  int64_t number = -1;  // of a key that is one
};
// What follows the first part of a field's name: ".attribute" and "[key]".
class FieldPath {
 public:
  explicit FieldPath(std::string_view rest) : rest_(rest) {}
  bool Next(Vm& vm, FieldStep* out);

 private:
  std::string_view rest_;
};

// *number: the value of a text of decimal digits, -1 for any other; false: too large.
bool FieldNumber(Vm& vm, std::string_view text, int64_t* number);

// str(), repr() or ascii() of `v` by 's', 'r' or 'a'.
Value ConvertField(Vm& vm, Value v, int conversion);
}  // namespace ferry::vm
