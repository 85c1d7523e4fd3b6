#include "device-runtime/llm/template/checks/checks.h"

#include <algorithm>

namespace ferry::llm::jinja {
namespace {

constexpr Check kChecks[] = {
#define FERRY_TEMPLATE_CHECK(Function, name, count) {name, count, Function##Check},
#include "device-runtime/llm/template/checks/list.inc"
#undef FERRY_TEMPLATE_CHECK
};

}  // namespace

const Check* FindCheck(std::string_view name) {
  const auto found = std::find_if(std::begin(kChecks), std::end(kChecks),
                                  [name](const Check& check) { return check.name == name; });
  return found == std::end(kChecks) ? nullptr : found;
}

Result<bool> RunCheck(const Check& check, const Value& value, const List& arguments,
                      Budget& budget) {
  FERRY_TRY(budget.Step());
  if (arguments.size() != check.arguments) {
    return Status::Of(Code::kInvalidArgument, "test {:?} takes {} arguments, not {}", check.name,
                      check.arguments, arguments.size());
  }
  return check.run(value, arguments, budget);
}

}  // namespace ferry::llm::jinja
