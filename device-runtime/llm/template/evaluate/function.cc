// Macros and the functions that templates call by name.
#include <ctime>

#include "device-runtime/llm/template/evaluate/nested.h"

namespace ferry::llm::jinja {
namespace {

constexpr size_t kMaxTimeTextBytes = 256;

}  // namespace

Evaluator::Evaluator(Budget& budget, const int64_t* now) : budget_(budget), now_(now) {
  scopes_.emplace_back();
  for (const std::string_view name : {"dict", "namespace", "raise_exception", "range"}) {
    Define(name, Value::OfBuiltin(name));
  }
  if (now_ != nullptr) Define("strftime_now", Value::OfBuiltin("strftime_now"));
}

const Value* Arguments::Find(size_t index, std::string_view name) const {
  if (index < positional.size()) return &positional[index];
  for (const auto& [other, value] : named) {
    if (other == name) return &value;
  }
  return nullptr;
}

Result<Value> Evaluator::CallMacro(const Statement& macro, const Arguments& arguments) {
  const Nested nested(depth_);
  FERRY_TRY(nested.Check());
  if (arguments.positional.size() > macro.targets.size()) {
    return SyntaxError(Code::kInvalidArgument, macro.at,
                       fmt::format("macro {:?} takes {} arguments, not {}", macro.text,
                                   macro.targets.size(), arguments.positional.size()));
  }
  const size_t frame = std::exchange(frame_, scopes_.size());
  scopes_.emplace_back();
  for (size_t i = 0; i < macro.targets.size(); ++i) {
    const Value* given = arguments.Find(i, macro.targets[i]);
    Value value;
    if (given != nullptr) {
      value = *given;
    } else if (macro.defaults[i] != nullptr) {
      FERRY_ASSIGN_OR_RETURN(value, Eval(*macro.defaults[i]));
    }
    scopes_.back()[macro.targets[i]] = std::move(value);
  }
  std::string outer = std::exchange(out_, {});
  FERRY_TRY(Run(macro.branches[0].body));
  std::swap(out_, outer);
  scopes_.pop_back();
  frame_ = frame;
  return Value::MakeText(std::move(outer), budget_);
}

Result<Value> Evaluator::CallBuiltin(std::string_view name, const Arguments& arguments) {
  if (name == "range") return Range(arguments);
  if (name == "namespace") return MakeNamespace(arguments);
  if (name == "dict") return MakeDictOf(arguments);
  if (name == "strftime_now") return TimeText(arguments);
  const Value* message = arguments.Find(0, "message");
  FERRY_ASSIGN_OR_RETURN(std::string text,
                         ToText(message != nullptr ? *message : Value(), budget_));
  return Status(Code::kInvalidArgument, std::move(text));
}

Result<Value> Evaluator::MakeNamespace(const Arguments& arguments) {
  FERRY_TRY(budget_.Charge(sizeof(Namespace) + arguments.named.size() * 2 * sizeof(Value)));
  Namespace& space = spaces_.emplace_back();
  if (!arguments.positional.empty()) {
    if (!arguments.positional[0].dict()) {
      return Status::Of(Code::kInvalidArgument, "a namespace of {}",
                        arguments.positional[0].KindName());
    }
    for (const auto& [key, value] : *arguments.positional[0].dict()) {
      if (key.text()) space.emplace_back(*key.text(), value);
    }
  }
  space.insert(space.end(), arguments.named.begin(), arguments.named.end());
  return Value::OfNamespace(&space);
}

Result<Value> Evaluator::MakeDictOf(const Arguments& arguments) {
  Dict dict;
  if (!arguments.positional.empty()) {
    if (!arguments.positional[0].dict()) {
      return Status::Of(Code::kInvalidArgument, "a dict of {}", arguments.positional[0].KindName());
    }
    dict = *arguments.positional[0].dict();
  }
  for (const auto& [name, value] : arguments.named) dict.emplace_back(Value::Text(name), value);
  return Value::MakeDict(std::move(dict), budget_);
}

Result<Value> Evaluator::Range(const Arguments& arguments) {
  int64_t bounds[3] = {0, 0, 1};
  const size_t count = arguments.positional.size();
  if (count < 1 || count > 3) return Status(Code::kInvalidArgument, "range takes 1 to 3 integers");
  for (size_t i = 0; i < count; ++i) {
    if (!arguments.positional[i].AsInteger(&bounds[count == 1 ? 1 : i])) {
      return Status(Code::kInvalidArgument, "range takes integers");
    }
  }
  const int64_t start = bounds[0];
  const int64_t stop = bounds[1];
  const int64_t step = bounds[2];
  if (step == 0) return Status(Code::kInvalidArgument, "range with step 0");
  List list;
  for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
    FERRY_TRY(budget_.Step());
    FERRY_TRY(budget_.Charge(sizeof(Value)));
    list.push_back(Value::Int(i));
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return Value::MakeList(std::move(list), budget_);
}

Result<Value> Evaluator::TimeText(const Arguments& arguments) {
  const Value* format = arguments.Find(0, "format");
  if (format == nullptr || !format->text() || format->text()->empty()) {
    return Status(Code::kInvalidArgument, "strftime_now takes a format");
  }
  const std::time_t seconds = static_cast<std::time_t>(*now_);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) {
    return Status::Of(Code::kInvalidArgument, "{} is no time", *now_);
  }
  char buffer[kMaxTimeTextBytes];
  const size_t size = std::strftime(buffer, sizeof(buffer), format->text()->c_str(), &parts);
  return Value::MakeText(std::string(buffer, size), budget_);
}

}  // namespace ferry::llm::jinja
