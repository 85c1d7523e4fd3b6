// Filters ("text | trim"): list.inc names them all. A new one is a function in a file here and a
// row there. Source: Jinja 3's list of builtin filters, tojson as Hugging Face defines it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device-runtime/llm/template/values/value.h"

namespace ferry::llm::jinja {

struct FilterCall {
  Budget& budget;
  const Value& input;
  // By parameter; undefined where not given. Of a filter that passes arguments on: as they stand.
  const List& arguments;
  const std::vector<std::pair<std::string, Value>>& named;  // only of the latter
};

struct Filter {
  std::string_view name;
  std::string_view parameters;  // "a,b"; "*" for a filter that passes its arguments on
  Result<Value> (*run)(const FilterCall& call);
};

// Null when there is none.
const Filter* FindFilter(std::string_view name);
// Binds the arguments to the filter's parameters and runs it. kInvalidArgument for arguments that
// it does not have.
Result<Value> RunFilter(const Filter& filter, const Value& input, List arguments,
                        std::vector<std::pair<std::string, Value>> named, Budget& budget);

#define FERRY_TEMPLATE_FILTER(Function, name, parameters) \
  Result<Value> Function##Filter(const FilterCall& call);
#include "device-runtime/llm/template/filters/list.inc"
#undef FERRY_TEMPLATE_FILTER

}  // namespace ferry::llm::jinja
