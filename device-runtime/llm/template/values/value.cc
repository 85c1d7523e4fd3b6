#include "device-runtime/llm/template/values/value.h"

#include <algorithm>
#include <cmath>

#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm::jinja {
namespace {

constexpr size_t kBoxBytes = 48;  // what a shared box takes beside its contents

Status TooDeep() {
  return Status::Of(Code::kLimitExceeded, "values nest over {} deep", kMaxTemplateDepth);
}

}  // namespace

Value Value::Text(std::string text) {
  return Value(Data(std::make_shared<const TextBox>(TextBox{std::move(text)})));
}

Result<Value> Value::MakeText(std::string text, Budget& budget) {
  FERRY_TRY(budget.Charge(kBoxBytes + text.size()));
  return Text(std::move(text));
}

Result<Value> Value::MakeList(List list, Budget& budget) {
  FERRY_TRY(budget.Charge(kBoxBytes + list.size() * sizeof(Value)));
  int depth = 0;
  for (const Value& item : list) depth = std::max(depth, item.Depth());
  if (depth >= kMaxTemplateDepth) return TooDeep();
  return Value(Data(std::make_shared<const ListBox>(ListBox{std::move(list), depth + 1})));
}

Result<Value> Value::MakeDict(Dict dict, Budget& budget) {
  FERRY_TRY(budget.Charge(kBoxBytes + dict.size() * 2 * sizeof(Value)));
  int depth = 0;
  for (const auto& [key, item] : dict) depth = std::max({depth, key.Depth(), item.Depth()});
  if (depth >= kMaxTemplateDepth) return TooDeep();
  return Value(Data(std::make_shared<const DictBox>(DictBox{std::move(dict), depth + 1})));
}

namespace {

// Of either type of nlohmann's values: they differ in the order of an object's members.
template <typename AnyJson>
Result<Value> ValueOfJson(const AnyJson& json, Budget& budget) {
  if (json.is_null()) return Value::Null();
  if (json.is_boolean()) return Value::Bool(json.template get<bool>());
  if (json.is_number_float()) return Value::Float(json.template get<double>());
  if (json.is_number_unsigned() &&
      json.template get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    return Value::Float(json.template get<double>());
  }
  if (json.is_number()) return Value::Int(json.template get<int64_t>());
  if (json.is_string()) return Value::MakeText(json.template get<std::string>(), budget);
  if (json.is_array()) {
    List list;
    for (const AnyJson& item : json) {
      FERRY_ASSIGN_OR_RETURN(Value value, ValueOfJson(item, budget));
      list.push_back(std::move(value));
    }
    return Value::MakeList(std::move(list), budget);
  }
  if (!json.is_object()) return Status(Code::kInvalidArgument, "a variable of binary data");
  Dict dict;
  for (auto member = json.begin(); member != json.end(); ++member) {
    FERRY_ASSIGN_OR_RETURN(Value name, Value::MakeText(member.key(), budget));
    FERRY_ASSIGN_OR_RETURN(Value value, ValueOfJson(*member, budget));
    dict.emplace_back(std::move(name), std::move(value));
  }
  return Value::MakeDict(std::move(dict), budget);
}

}  // namespace

Result<Value> Value::FromJson(const Json& json, Budget& budget) {
  return ValueOfJson(json, budget);
}

Result<Value> Value::FromJson(const nlohmann::ordered_json& json, Budget& budget) {
  return ValueOfJson(json, budget);
}

const std::string* Value::text() const {
  const auto* box = std::get_if<std::shared_ptr<const TextBox>>(&data_);
  return box != nullptr ? &(*box)->text : nullptr;
}

const List* Value::list() const {
  const auto* box = std::get_if<std::shared_ptr<const ListBox>>(&data_);
  return box != nullptr ? &(*box)->list : nullptr;
}

const Dict* Value::dict() const {
  const auto* box = std::get_if<std::shared_ptr<const DictBox>>(&data_);
  return box != nullptr ? &(*box)->dict : nullptr;
}

Namespace* Value::space() const {
  const auto* space = std::get_if<Namespace*>(&data_);
  return space != nullptr ? *space : nullptr;
}

const Statement* Value::macro() const {
  const auto* macro = std::get_if<const Statement*>(&data_);
  return macro != nullptr ? *macro : nullptr;
}

const Loop* Value::loop() const {
  const auto* loop = std::get_if<std::shared_ptr<const Loop>>(&data_);
  return loop != nullptr ? loop->get() : nullptr;
}

int Value::Depth() const {
  if (const auto* box = std::get_if<std::shared_ptr<const ListBox>>(&data_)) return (*box)->depth;
  if (const auto* box = std::get_if<std::shared_ptr<const DictBox>>(&data_)) return (*box)->depth;
  // A loop keeps its list alive, so it counts like one.
  if (loop() != nullptr) return loop()->items.Depth() + 1;
  return 0;
}

double Value::AsDouble() const {
  if (boolean()) return *boolean() ? 1 : 0;
  if (integer()) return static_cast<double>(*integer());
  return real() ? *real() : 0;
}

bool Value::AsInteger(int64_t* out) const {
  if (boolean()) *out = *boolean() ? 1 : 0;
  if (integer()) *out = *integer();
  return boolean() || integer();
}

bool Value::Truth() const {
  if (undefined() || none()) return false;
  if (IsNumber()) return AsDouble() != 0;
  if (text()) return !text()->empty();
  if (list()) return !list()->empty();
  return dict() ? !dict()->empty() : true;
}

std::string_view Value::KindName() const {
  constexpr std::string_view kNames[] = {
      "an undefined value", "none",   "a boolean", "an integer",  "a float",
      "a string",           "a list", "a dict",    "a namespace", "a macro",
      "a function",         "a loop"};
  static_assert(std::size(kNames) == std::variant_size_v<Data>);
  return kNames[data_.index()];
}

const Value* Value::Find(std::string_view key) const {
  if (dict() == nullptr) return nullptr;
  for (const auto& [name, value] : *dict()) {
    if (name.text() != nullptr && *name.text() == key) return &value;
  }
  return nullptr;
}

Result<bool> Equal(const Value& a, const Value& b, Budget& budget) {
  FERRY_TRY(budget.Step());
  if (a.integer() && b.integer()) return *a.integer() == *b.integer();
  if (a.IsNumber() && b.IsNumber()) return a.AsDouble() == b.AsDouble();
  if (a.text() && b.text()) return *a.text() == *b.text();
  if (a.list() && b.list()) {
    if (a.list()->size() != b.list()->size()) return false;
    for (size_t i = 0; i < a.list()->size(); ++i) {
      FERRY_ASSIGN_OR_RETURN(const bool same, Equal((*a.list())[i], (*b.list())[i], budget));
      if (!same) return false;
    }
    return true;
  }
  if (a.dict() && b.dict()) {
    if (a.dict()->size() != b.dict()->size()) return false;
    for (const auto& [key, value] : *a.dict()) {
      bool found = false;
      for (const auto& [other_key, other] : *b.dict()) {
        FERRY_ASSIGN_OR_RETURN(found, Equal(key, other_key, budget));
        if (!found) continue;
        FERRY_ASSIGN_OR_RETURN(const bool same, Equal(value, other, budget));
        if (!same) return false;
        break;
      }
      if (!found) return false;
    }
    return true;
  }
  if (a.space() || b.space()) return a.space() == b.space();
  if (a.macro() || b.macro()) return a.macro() == b.macro();
  return (a.none() && b.none()) || (a.undefined() && b.undefined());
}

Result<int> Order(const Value& a, const Value& b, Budget& budget) {
  FERRY_TRY(budget.Step());
  if (a.integer() && b.integer()) {
    return (*a.integer() > *b.integer()) - (*a.integer() < *b.integer());
  }
  if (a.IsNumber() && b.IsNumber()) {
    return (a.AsDouble() > b.AsDouble()) - (a.AsDouble() < b.AsDouble());
  }
  if (a.text() && b.text()) return a.text()->compare(*b.text());
  if (a.list() && b.list()) {
    const size_t common = std::min(a.list()->size(), b.list()->size());
    for (size_t i = 0; i < common; ++i) {
      FERRY_ASSIGN_OR_RETURN(const int order, Order((*a.list())[i], (*b.list())[i], budget));
      if (order != 0) return order;
    }
    return a.list()->size() < b.list()->size() ? -1 : a.list()->size() > b.list()->size();
  }
  return Status::Of(Code::kInvalidArgument, "{} and {} have no order", a.KindName(), b.KindName());
}

Result<bool> Contains(const Value& container, const Value& item, Budget& budget) {
  if (container.undefined()) return false;
  if (container.text()) {
    if (item.text() == nullptr) {
      return Status::Of(Code::kInvalidArgument, "{} in a string", item.KindName());
    }
    return container.text()->find(*item.text()) != std::string::npos;
  }
  if (container.list()) {
    for (const Value& element : *container.list()) {
      FERRY_ASSIGN_OR_RETURN(const bool same, Equal(element, item, budget));
      if (same) return true;
    }
    return false;
  }
  if (container.dict()) {
    for (const auto& [key, value] : *container.dict()) {
      FERRY_ASSIGN_OR_RETURN(const bool same, Equal(key, item, budget));
      if (same) return true;
    }
    return false;
  }
  return Status::Of(Code::kInvalidArgument, "\"in\" {}", container.KindName());
}

Result<List> Elements(const Value& value, Budget& budget) {
  List elements;
  if (value.undefined()) return elements;
  if (value.list()) {
    FERRY_TRY(budget.Charge(value.list()->size() * sizeof(Value)));
    return *value.list();
  }
  if (value.dict()) {
    FERRY_TRY(budget.Charge(value.dict()->size() * sizeof(Value)));
    for (const auto& [key, item] : *value.dict()) elements.push_back(key);
    return elements;
  }
  if (value.text()) {
    const std::string& text = *value.text();
    for (size_t at = 0; at < text.size();) {
      const size_t length = NextUtf8(text, at).length;
      FERRY_ASSIGN_OR_RETURN(Value letter, Value::MakeText(text.substr(at, length), budget));
      elements.push_back(std::move(letter));
      at += length;
    }
    return elements;
  }
  return Status::Of(Code::kInvalidArgument, "{} cannot be gone through", value.KindName());
}

}  // namespace ferry::llm::jinja
