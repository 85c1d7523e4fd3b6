#include "device-runtime/llm/template/filters/filters.h"

#include <algorithm>

namespace ferry::llm::jinja {
namespace {

constexpr Filter kFilters[] = {
#define FERRY_TEMPLATE_FILTER(Function, name, parameters) {name, parameters, Function##Filter},
#include "device-runtime/llm/template/filters/list.inc"
#undef FERRY_TEMPLATE_FILTER
};

// Index of `name` in "a,b,c", or -1; "" counts the parameters.
int ParameterIndex(std::string_view parameters, std::string_view name) {
  int index = 0;
  while (!parameters.empty()) {
    const size_t comma = std::min(parameters.find(','), parameters.size());
    if (!name.empty() && parameters.substr(0, comma) == name) return index;
    parameters.remove_prefix(std::min(comma + 1, parameters.size()));
    ++index;
  }
  return name.empty() ? index : -1;
}

}  // namespace

const Filter* FindFilter(std::string_view name) {
  const auto found = std::find_if(std::begin(kFilters), std::end(kFilters),
                                  [name](const Filter& filter) { return filter.name == name; });
  return found == std::end(kFilters) ? nullptr : found;
}

Result<Value> RunFilter(const Filter& filter, const Value& input, List arguments,
                        std::vector<std::pair<std::string, Value>> named, Budget& budget) {
  if (filter.parameters != "*") {
    const size_t count = static_cast<size_t>(ParameterIndex(filter.parameters, ""));
    if (arguments.size() > count) {
      return Status::Of(Code::kInvalidArgument, "filter {:?} takes {} arguments, not {}",
                        filter.name, count, arguments.size());
    }
    arguments.resize(count);
    for (auto& [name, value] : named) {
      const int index = ParameterIndex(filter.parameters, name);
      if (index < 0) {
        return Status::Of(Code::kInvalidArgument, "filter {:?} has no argument {:?}", filter.name,
                          name);
      }
      arguments[index] = std::move(value);
    }
    named.clear();
  }
  return filter.run({budget, input, arguments, named});
}

}  // namespace ferry::llm::jinja
