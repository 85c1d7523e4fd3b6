// Values of template expressions: what Python's would be, immutable but for namespaces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "device-runtime/llm/template/values/budget.h"

namespace ferry::llm::jinja {

struct Statement;  // of syntax/; macros are values
class Value;
struct Loop;

using List = std::vector<Value>;
using Dict = std::vector<std::pair<Value, Value>>;  // in the order of insertion
using Namespace = std::vector<std::pair<std::string, Value>>;

// A reference to something that the evaluator provides by name ("range").
struct Builtin {
  std::string_view name;
};

class Value {
 public:
  struct Undefined {};
  struct None {};

  Value() : data_(Undefined{}) {}
  static Value Null() { return Value(Data(None{})); }
  static Value Bool(bool value) { return Value(Data(value)); }
  static Value Int(int64_t value) { return Value(Data(value)); }
  static Value Float(double value) { return Value(Data(value)); }
  static Value Text(std::string text);  // charge the budget for texts of outside sizes
  // Charged: kLimitExceeded when the budget is used up or values nest too deeply.
  static Result<Value> MakeText(std::string text, Budget& budget);
  static Result<Value> MakeList(List list, Budget& budget);
  static Result<Value> MakeDict(Dict dict, Budget& budget);
  static Result<Value> FromJson(const Json& json, Budget& budget);
  static Result<Value> FromJson(const nlohmann::ordered_json& json, Budget& budget);
  // Borrowed; the evaluator owns namespaces and macros as long as it runs.
  static Value OfNamespace(Namespace* space) { return Value(Data(space)); }
  static Value OfMacro(const Statement* macro) { return Value(Data(macro)); }
  static Value OfBuiltin(std::string_view name) { return Value(Data(Builtin{name})); }
  static Value OfLoop(std::shared_ptr<const Loop> loop) { return Value(Data(std::move(loop))); }

  bool undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool none() const { return std::holds_alternative<None>(data_); }
  // Null when it is something else.
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const int64_t* integer() const { return std::get_if<int64_t>(&data_); }
  const double* real() const { return std::get_if<double>(&data_); }
  const std::string* text() const;
  const List* list() const;
  const Dict* dict() const;
  Namespace* space() const;
  const Statement* macro() const;
  const Builtin* builtin() const { return std::get_if<Builtin>(&data_); }
  const Loop* loop() const;

  bool IsNumber() const { return boolean() || integer() || real(); }
  // A bool counts as 0 or 1, as in Python.
  double AsDouble() const;
  bool AsInteger(int64_t* out) const;  // false for anything but a bool or an integer
  bool Truth() const;
  // "a string", for messages.
  std::string_view KindName() const;
  // Member of a dict or null.
  const Value* Find(std::string_view key) const;

 private:
  struct TextBox {
    std::string text;
  };
  struct ListBox {
    List list;
    int depth;
  };
  struct DictBox {
    Dict dict;
    int depth;
  };
  using Data = std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const TextBox>,
                            std::shared_ptr<const ListBox>, std::shared_ptr<const DictBox>,
                            Namespace*, const Statement*, Builtin, std::shared_ptr<const Loop>>;
  explicit Value(Data data) : data_(std::move(data)) {}
  int Depth() const;

  Data data_;
};

// "loop" of a for statement.
struct Loop {
  Value items;  // a list
  size_t index = 0;
};

Result<bool> Equal(const Value& a, const Value& b, Budget& budget);
// Negative, zero or positive; kInvalidArgument when Python would not order them.
Result<int> Order(const Value& a, const Value& b, Budget& budget);
// What `in` does: a member of a list, a key of a dict, a part of a text.
Result<bool> Contains(const Value& container, const Value& item, Budget& budget);
// What a for statement goes over: list elements, dict keys, characters of a text; undefined gives
// nothing.
Result<List> Elements(const Value& value, Budget& budget);

// str(): what {{ }} prints.
Result<std::string> ToText(const Value& value, Budget& budget);
// json.dumps(ensure_ascii=False); `indent` < 0 for one line.
Result<std::string> ToJsonText(const Value& value, int indent, Budget& budget);

}  // namespace ferry::llm::jinja
