// Filters that make text.
#include <algorithm>

#include "device-runtime/llm/template/filters/filters.h"
#include "device-runtime/llm/template/values/python_text.h"

namespace ferry::llm::jinja {
namespace {

// Filters of text take anything and work on what it prints as.
template <typename Change>
Result<Value> OnText(const FilterCall& call, Change change) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(call.input, call.budget));
  return Value::MakeText(change(text), call.budget);
}

}  // namespace

Result<Value> CapitalizeFilter(const FilterCall& call) {
  return OnText(call, [](const std::string& text) { return Capitalized(text); });
}

Result<Value> LowerFilter(const FilterCall& call) {
  return OnText(call, [](const std::string& text) { return Lower(text); });
}

Result<Value> TitleFilter(const FilterCall& call) {
  return OnText(call, [](const std::string& text) { return Title(text); });
}

Result<Value> UpperFilter(const FilterCall& call) {
  return OnText(call, [](const std::string& text) { return Upper(text); });
}

Result<Value> StringFilter(const FilterCall& call) {
  return OnText(call, [](const std::string& text) { return text; });
}

// Nothing is escaped, so nothing has to be marked as safe.
Result<Value> SafeFilter(const FilterCall& call) {
  return StringFilter(call);
}

Result<Value> TrimFilter(const FilterCall& call) {
  const std::string* chars = call.arguments[0].text();
  return OnText(call, [chars](const std::string& text) {
    return std::string(Strip(text, chars, true, true));
  });
}

Result<Value> ReplaceFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(call.input, call.budget));
  FERRY_ASSIGN_OR_RETURN(const std::string old, ToText(call.arguments[0], call.budget));
  FERRY_ASSIGN_OR_RETURN(const std::string fresh, ToText(call.arguments[1], call.budget));
  if (old.empty()) return Status(Code::kUnsupported, "replacing the empty text");
  int64_t count = -1;
  (void)call.arguments[2].AsInteger(&count);
  FERRY_TRY(call.budget.Charge(text.size() + Occurrences(text, old) * fresh.size()));
  return Value::Text(Replaced(text, old, fresh, count));
}

// Puts `width` blanks before each line but the first; empty lines stay empty.
Result<Value> IndentFilter(const FilterCall& call) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(call.input, call.budget));
  std::string blanks(4, ' ');
  int64_t width = 0;
  if (call.arguments[0].text()) {
    blanks = *call.arguments[0].text();
  } else if (call.arguments[0].AsInteger(&width)) {
    FERRY_TRY(call.budget.Charge(static_cast<size_t>(std::max<int64_t>(width, 0))));
    blanks.assign(static_cast<size_t>(std::max<int64_t>(width, 0)), ' ');
  }
  const size_t lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (size_t i = 0; i < lines; ++i) FERRY_TRY(call.budget.Charge(blanks.size()));
  std::string out = call.arguments[1].Truth() ? blanks : "";
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    const bool empty_line = i + 1 == text.size() || text[i + 1] == '\n';
    if (text[i] == '\n' && (!empty_line || call.arguments[2].Truth())) out += blanks;
  }
  return Value::MakeText(std::move(out), call.budget);
}

Result<Value> TojsonFilter(const FilterCall& call) {
  int64_t indent = -1;
  (void)call.arguments[0].AsInteger(&indent);
  indent = std::clamp<int64_t>(indent, -1, 64);
  FERRY_ASSIGN_OR_RETURN(std::string text,
                         ToJsonText(call.input, static_cast<int>(indent), call.budget));
  return Value::MakeText(std::move(text), call.budget);
}

}  // namespace ferry::llm::jinja
