// Filters that apply another filter or a test to each element.
#include "device-runtime/llm/template/checks/checks.h"
#include "device-runtime/llm/template/evaluate/access.h"
#include "device-runtime/llm/template/filters/filters.h"

namespace ferry::llm::jinja {
namespace {

// The arguments from `from` on.
List Rest(const List& arguments, size_t from) {
  return arguments.size() <= from ? List() : List(arguments.begin() + from, arguments.end());
}

// What filters of this kind go over: nothing that is empty, none included.
Result<List> Input(const FilterCall& call) {
  return call.input.Truth() ? Elements(call.input, call.budget) : List();
}

// Elements whose truth, or the test that arguments[first] names, is `wanted`; with `path`, of that
// part of them.
Result<Value> Chosen(const FilterCall& call, const std::string* path, size_t first, bool wanted) {
  const Check* check = nullptr;
  if (call.arguments.size() > first) {
    const std::string* name = call.arguments[first].text();
    check = name != nullptr ? FindCheck(*name) : nullptr;
    if (check == nullptr) return Status(Code::kUnsupported, "a test of that name");
  }
  const List rest = Rest(call.arguments, first + 1);
  FERRY_ASSIGN_OR_RETURN(const List items, Input(call));
  List out;
  for (const Value& item : items) {
    Value part = item;
    if (path != nullptr) {
      FERRY_ASSIGN_OR_RETURN(part, AttributePath(item, *path, call.budget));
    }
    bool truth = part.Truth();
    if (check != nullptr) {
      FERRY_ASSIGN_OR_RETURN(truth, RunCheck(*check, part, rest, call.budget));
    }
    if (truth == wanted) out.push_back(item);
  }
  return Value::MakeList(std::move(out), call.budget);
}

Result<Value> ChosenByAttribute(const FilterCall& call, bool wanted) {
  if (call.arguments.empty() || !call.arguments[0].text()) {
    return Status(Code::kInvalidArgument, "the name of an attribute is missing");
  }
  return Chosen(call, call.arguments[0].text(), 1, wanted);
}

}  // namespace

Result<Value> SelectFilter(const FilterCall& call) {
  return Chosen(call, nullptr, 0, true);
}

Result<Value> RejectFilter(const FilterCall& call) {
  return Chosen(call, nullptr, 0, false);
}

Result<Value> SelectattrFilter(const FilterCall& call) {
  return ChosenByAttribute(call, true);
}

Result<Value> RejectattrFilter(const FilterCall& call) {
  return ChosenByAttribute(call, false);
}

Result<Value> MapFilter(const FilterCall& call) {
  const Value* path = nullptr;
  Value fallback;
  for (const auto& [name, value] : call.named) {
    if (name == "attribute") path = &value;
    if (name == "default") fallback = value;
  }
  const Filter* filter = nullptr;
  if (path == nullptr) {
    const std::string* name = call.arguments.empty() ? nullptr : call.arguments[0].text();
    filter = name != nullptr ? FindFilter(*name) : nullptr;
    if (filter == nullptr) return Status(Code::kUnsupported, "a filter of that name");
    // A filter of filters of filters would run deeper than syntax allows.
    if (filter->parameters == "*") return Status(Code::kUnsupported, "map of such a filter");
  }
  FERRY_ASSIGN_OR_RETURN(const List items, Input(call));
  List out;
  for (const Value& item : items) {
    Value made;
    if (path != nullptr) {
      FERRY_ASSIGN_OR_RETURN(const std::string text, ToText(*path, call.budget));
      FERRY_ASSIGN_OR_RETURN(made, AttributePath(item, text, call.budget));
      if (made.undefined()) made = fallback;
    } else {
      FERRY_TRY(call.budget.Step());
      FERRY_ASSIGN_OR_RETURN(
          made, RunFilter(*filter, item, Rest(call.arguments, 1), call.named, call.budget));
    }
    out.push_back(std::move(made));
  }
  return Value::MakeList(std::move(out), call.budget);
}

}  // namespace ferry::llm::jinja
