// Tests of what a value is.
#include "device-runtime/llm/template/checks/checks.h"
#include "device-runtime/llm/template/values/python_text.h"

namespace ferry::llm::jinja {

#define FERRY_CHECK_KIND(Name, condition)                              \
  Result<bool> Name##Check(const Value& value, const List&, Budget&) { \
    return condition;                                                  \
  }

FERRY_CHECK_KIND(Boolean, value.boolean() != nullptr)
FERRY_CHECK_KIND(Callable, value.macro() != nullptr || value.builtin() != nullptr)
FERRY_CHECK_KIND(Defined, !value.undefined())
FERRY_CHECK_KIND(False, value.boolean() != nullptr && !*value.boolean())
FERRY_CHECK_KIND(Float, value.real() != nullptr)
FERRY_CHECK_KIND(Integer, value.integer() != nullptr)
FERRY_CHECK_KIND(Iterable, value.text() || value.list() || value.dict() || value.undefined())
FERRY_CHECK_KIND(Mapping, value.dict() != nullptr)
FERRY_CHECK_KIND(None, value.none())
FERRY_CHECK_KIND(Number, value.IsNumber())
FERRY_CHECK_KIND(Sequence, value.text() || value.list() || value.dict() || value.undefined())
FERRY_CHECK_KIND(String, value.text() != nullptr)
FERRY_CHECK_KIND(True, value.boolean() != nullptr && *value.boolean())
FERRY_CHECK_KIND(Undefined, value.undefined())

#undef FERRY_CHECK_KIND

// As str.islower: at least one letter with case, and none of the other case.
Result<bool> LowerCheck(const Value& value, const List&, Budget& budget) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(value, budget));
  return Lower(text) == text && Upper(text) != text;
}

Result<bool> UpperCheck(const Value& value, const List&, Budget& budget) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(value, budget));
  return Upper(text) == text && Lower(text) != text;
}

}  // namespace ferry::llm::jinja
