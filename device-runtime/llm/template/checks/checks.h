// Tests ("x is defined"): list.inc names them all. A new one is a function in a file here and a row
// there. Source: Jinja 3's list of builtin tests.
#pragma once

#include <string_view>

#include "device-runtime/llm/template/values/value.h"

namespace ferry::llm::jinja {

struct Check {
  std::string_view name;
  size_t arguments;
  Result<bool> (*run)(const Value& value, const List& arguments, Budget& budget);
};

// Null when there is none.
const Check* FindCheck(std::string_view name);
// kInvalidArgument for another number of arguments than it takes.
Result<bool> RunCheck(const Check& check, const Value& value, const List& arguments,
                      Budget& budget);

#define FERRY_TEMPLATE_CHECK(Function, name, count) \
  Result<bool> Function##Check(const Value& value, const List& arguments, Budget& budget);
#include "device-runtime/llm/template/checks/list.inc"
#undef FERRY_TEMPLATE_CHECK

}  // namespace ferry::llm::jinja
