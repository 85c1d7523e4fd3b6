// Methods of texts, dicts and lists.
#include <algorithm>

#include "device-runtime/llm/template/evaluate/evaluator.h"
#include "device-runtime/llm/template/filters/filters.h"
#include "device-runtime/llm/template/values/python_text.h"

namespace ferry::llm::jinja {
namespace {

struct MethodCall {
  const Value& receiver;
  std::string_view method;
  const Arguments& arguments;
  Budget& budget;

  Value Argument(size_t index, std::string_view name) const {
    const Value* found = arguments.Find(index, name);
    return found != nullptr ? *found : Value();
  }
  Result<std::string> Text(size_t index, std::string_view name) const {
    const Value value = Argument(index, name);
    if (value.text()) return *value.text();
    return Status::Of(Code::kInvalidArgument, "{} takes a string, not {}", method,
                      value.KindName());
  }
};

Result<Value> TextList(const std::vector<std::string_view>& parts, Budget& budget) {
  List list;
  for (const std::string_view part : parts) {
    FERRY_ASSIGN_OR_RETURN(Value value, Value::MakeText(std::string(part), budget));
    list.push_back(std::move(value));
  }
  return Value::MakeList(std::move(list), budget);
}

// str.split without a separator: by runs of white space.
std::vector<std::string_view> Words(std::string_view text, int64_t most) {
  std::vector<std::string_view> parts;
  text = Strip(text, nullptr, true, false);
  while (!text.empty()) {
    if (most == 0) {
      parts.push_back(Strip(text, nullptr, false, true));
      break;
    }
    size_t end = 0;
    while (end < text.size() &&
           Strip(text.substr(end), nullptr, true, false).size() == text.size() - end) {
      end += OffsetOf(text.substr(end), 1);
    }
    parts.push_back(text.substr(0, end));
    text = Strip(text.substr(end), nullptr, true, false);
    --most;
  }
  return parts;
}

Result<Value> Split(const MethodCall& call, std::string_view text) {
  int64_t most = -1;
  (void)call.Argument(1, "maxsplit").AsInteger(&most);
  const Value separator = call.Argument(0, "sep");
  if (separator.undefined() || separator.none()) return TextList(Words(text, most), call.budget);
  FERRY_ASSIGN_OR_RETURN(const std::string cut, call.Text(0, "sep"));
  if (cut.empty()) return Status(Code::kInvalidArgument, "split by the empty string");
  FERRY_TRY(call.budget.Charge(Occurrences(text, cut) * sizeof(std::string_view)));
  std::vector<std::string_view> parts;
  const bool from_right = call.method == "rsplit";
  while (most != 0) {
    const size_t found = from_right ? text.rfind(cut) : text.find(cut);
    if (found == std::string_view::npos) break;
    parts.push_back(from_right ? text.substr(found + cut.size()) : text.substr(0, found));
    text = from_right ? text.substr(0, found) : text.substr(found + cut.size());
    --most;
  }
  parts.push_back(text);
  if (from_right) std::reverse(parts.begin(), parts.end());
  return TextList(parts, call.budget);
}

Result<Value> SplitLines(const MethodCall& call, std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\r\n"), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : std::min<size_t>(text.size(), 1));
  }
  return TextList(parts, call.budget);
}

// startswith and endswith: one text or any of a list.
Result<Value> Begins(const MethodCall& call, std::string_view text) {
  const Value wanted = call.Argument(0, "prefix");
  const List parts = wanted.list() ? *wanted.list() : List{wanted};
  for (const Value& part : parts) {
    if (!part.text()) {
      return Status::Of(Code::kInvalidArgument, "{} takes a string, not {}", call.method,
                        part.KindName());
    }
    const bool fits =
        call.method == "startswith" ? text.starts_with(*part.text()) : text.ends_with(*part.text());
    if (fits) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Result<Value> ReplaceText(const MethodCall& call, std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const std::string old, call.Text(0, "old"));
  FERRY_ASSIGN_OR_RETURN(const std::string fresh, call.Text(1, "new"));
  if (old.empty()) return Status(Code::kUnsupported, "replacing the empty string");
  int64_t count = -1;
  (void)call.Argument(2, "count").AsInteger(&count);
  FERRY_TRY(call.budget.Charge(text.size() + Occurrences(text, old) * fresh.size()));
  return Value::Text(Replaced(text, old, fresh, count));
}

Result<Value> FindText(const MethodCall& call, std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const std::string part, call.Text(0, "sub"));
  if (call.method == "count") {
    if (part.empty()) return Status(Code::kUnsupported, "counting the empty string");
    return Value::Int(static_cast<int64_t>(Occurrences(text, part)));
  }
  const size_t found = call.method == "find" ? text.find(part) : text.rfind(part);
  if (found == std::string_view::npos) return Value::Int(-1);
  return Value::Int(static_cast<int64_t>(Length(text.substr(0, found))));
}

Result<Value> WithoutPart(const MethodCall& call, std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const std::string part, call.Text(0, "prefix"));
  if (call.method == "removeprefix" && text.starts_with(part)) text.remove_prefix(part.size());
  if (call.method == "removesuffix" && text.ends_with(part)) text.remove_suffix(part.size());
  return Value::MakeText(std::string(text), call.budget);
}

Result<Value> IsDigits(const MethodCall&, std::string_view text) {
  return Value::Bool(!text.empty() &&
                     text.find_first_not_of("0123456789") == std::string_view::npos);
}

Result<Value> StripText(const MethodCall& call, std::string_view text) {
  const Value chars = call.Argument(0, "chars");
  return Value::MakeText(
      std::string(Strip(text, chars.text(), call.method != "rstrip", call.method != "lstrip")),
      call.budget);
}

Result<Value> ChangeCase(const MethodCall& call, std::string_view text) {
  FERRY_TRY(call.budget.Charge(text.size()));
  if (call.method == "upper") return Value::Text(Upper(text));
  if (call.method == "lower") return Value::Text(Lower(text));
  return Value::Text(call.method == "title" ? Title(text) : Capitalized(text));
}

// " ".join(list).
Result<Value> JoinTexts(const MethodCall& call, std::string_view) {
  const Value items = call.Argument(0, "iterable");
  return RunFilter(*FindFilter("join"), items, {call.receiver}, {}, call.budget);
}

struct TextMethod {
  std::string_view name;
  Result<Value> (*run)(const MethodCall& call, std::string_view text);
};

constexpr TextMethod kTextMethods[] = {
    {"capitalize", ChangeCase},
    {"count", FindText},
    {"endswith", Begins},
    {"find", FindText},
    {"isdigit", IsDigits},
    {"join", JoinTexts},
    {"lower", ChangeCase},
    {"lstrip", StripText},
    {"removeprefix", WithoutPart},
    {"removesuffix", WithoutPart},
    {"replace", ReplaceText},
    {"rfind", FindText},
    {"rsplit", Split},
    {"rstrip", StripText},
    {"split", Split},
    {"splitlines", SplitLines},
    {"startswith", Begins},
    {"strip", StripText},
    {"title", ChangeCase},
    {"upper", ChangeCase},
};

Result<Value> CallDict(const MethodCall& call, const Dict& dict, bool* known) {
  if (call.method == "get") {
    FERRY_ASSIGN_OR_RETURN(const bool there,
                           Contains(call.receiver, call.Argument(0, "key"), call.budget));
    if (!there) {
      const Value* fallback = call.arguments.Find(1, "default");
      return fallback != nullptr ? *fallback : Value::Null();
    }
    for (const auto& [key, value] : dict) {
      FERRY_ASSIGN_OR_RETURN(const bool same, Equal(key, call.Argument(0, "key"), call.budget));
      if (same) return value;
    }
  }
  if (call.method == "items")
    return RunFilter(*FindFilter("items"), call.receiver, {}, {}, call.budget);
  if (call.method == "keys" || call.method == "values") {
    List list;
    for (const auto& [key, value] : dict) list.push_back(call.method == "keys" ? key : value);
    return Value::MakeList(std::move(list), call.budget);
  }
  *known = false;
  return Value();
}

Result<Value> CallList(const MethodCall& call, const List& list, bool* known) {
  if (call.method == "index" || call.method == "count") {
    int64_t count = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      FERRY_ASSIGN_OR_RETURN(const bool same,
                             Equal(list[i], call.Argument(0, "value"), call.budget));
      if (same && call.method == "index") return Value::Int(static_cast<int64_t>(i));
      count += same;
    }
    if (call.method == "count") return Value::Int(count);
    return Status(Code::kInvalidArgument, "the value is not in the list");
  }
  *known = false;
  return Value();
}

}  // namespace

Result<Value> CallMethod(const Value& receiver, std::string_view method, const Arguments& arguments,
                         Budget& budget) {
  const MethodCall call = {receiver, method, arguments, budget};
  if (receiver.text()) {
    for (const TextMethod& known : kTextMethods) {
      if (known.name == method) return known.run(call, *receiver.text());
    }
  }
  bool known = receiver.dict() || receiver.list();
  if (receiver.dict()) {
    FERRY_ASSIGN_OR_RETURN(Value value, CallDict(call, *receiver.dict(), &known));
    if (known) return value;
  } else if (receiver.list()) {
    FERRY_ASSIGN_OR_RETURN(Value value, CallList(call, *receiver.list(), &known));
    if (known) return value;
  }
  if (receiver.undefined()) {
    return Status::Of(Code::kInvalidArgument, "{:?} of an undefined value", method);
  }
  return Status::Of(Code::kUnsupported, "the method {:?} of {}", method, receiver.KindName());
}

}  // namespace ferry::llm::jinja
