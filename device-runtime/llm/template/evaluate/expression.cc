#include "device-runtime/llm/template/checks/checks.h"
#include "device-runtime/llm/template/evaluate/access.h"
#include "device-runtime/llm/template/evaluate/nested.h"
#include "device-runtime/llm/template/filters/filters.h"

namespace ferry::llm::jinja {
namespace {

// Says where; the innermost place is enough.
Result<Value> At(const Expression& node, Result<Value> result) {
  if (result.ok()) return result;
  return SyntaxError(result.code(), node.at, result.status().message());
}

Result<bool> Holds(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  if (op == "==" || op == "!=") {
    FERRY_ASSIGN_OR_RETURN(const bool same, Equal(left, right, budget));
    return same == (op == "==");
  }
  if (op == "in" || op == "not in") {
    FERRY_ASSIGN_OR_RETURN(const bool inside, Contains(right, left, budget));
    return inside == (op == "in");
  }
  FERRY_ASSIGN_OR_RETURN(const int order, Order(left, right, budget));
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  return op == ">" ? order > 0 : order >= 0;
}

}  // namespace

const Value* Evaluator::Lookup(std::string_view name) const {
  for (size_t i = scopes_.size(); i > frame_; --i) {
    const auto found = scopes_[i - 1].find(name);
    if (found != scopes_[i - 1].end()) return &found->second;
  }
  const auto found = scopes_[0].find(name);
  return found != scopes_[0].end() ? &found->second : nullptr;
}

Result<Value> Evaluator::Eval(const Expression& node) {
  const Nested nested(depth_);
  FERRY_TRY(nested.Check());
  FERRY_TRY(budget_.Step());
  return EvalNode(node);
}

Result<Value> Evaluator::EvalNode(const Expression& node) {
  switch (node.kind) {
    case Expression::kLiteral:
      return node.value;
    case Expression::kName: {
      const Value* found = Lookup(node.name);
      return found != nullptr ? *found : Value();
    }
    case Expression::kList: {
      List list;
      for (const ExpressionPtr& part : node.parts) {
        FERRY_ASSIGN_OR_RETURN(Value item, Eval(*part));
        list.push_back(std::move(item));
      }
      return At(node, Value::MakeList(std::move(list), budget_));
    }
    case Expression::kDict:
      return EvalDict(node);
    case Expression::kAttribute: {
      FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*node.parts[0]));
      return At(node, Attribute(value, node.name, budget_));
    }
    case Expression::kIndex: {
      FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*node.parts[0]));
      FERRY_ASSIGN_OR_RETURN(const Value key, Eval(*node.parts[1]));
      return At(node, Item(value, key, budget_));
    }
    case Expression::kSlice:
      return EvalSlice(node);
    case Expression::kCall:
      return EvalCall(node);
    case Expression::kFilter:
      return EvalFilter(node);
    case Expression::kTest:
      return EvalTest(node);
    case Expression::kNot: {
      FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*node.parts[0]));
      return Value::Bool(!value.Truth());
    }
    case Expression::kNegative:
    case Expression::kPositive:
      return EvalNegative(node);
    case Expression::kBinary: {
      FERRY_ASSIGN_OR_RETURN(const Value left, Eval(*node.parts[0]));
      FERRY_ASSIGN_OR_RETURN(const Value right, Eval(*node.parts[1]));
      return At(node, Binary(node.name, left, right, budget_));
    }
    case Expression::kAnd:
    case Expression::kOr: {
      FERRY_ASSIGN_OR_RETURN(Value left, Eval(*node.parts[0]));
      if (left.Truth() == (node.kind == Expression::kOr)) return left;
      return Eval(*node.parts[1]);
    }
    case Expression::kCompare:
      return EvalCompare(node);
    case Expression::kConditional:
      break;
  }
  FERRY_ASSIGN_OR_RETURN(const Value condition, Eval(*node.parts[0]));
  if (condition.Truth()) return Eval(*node.parts[1]);
  return node.parts[2] != nullptr ? Eval(*node.parts[2]) : Value();
}

Result<Value> Evaluator::EvalDict(const Expression& node) {
  Dict dict;
  for (size_t i = 0; i < node.parts.size(); i += 2) {
    FERRY_ASSIGN_OR_RETURN(Value key, Eval(*node.parts[i]));
    FERRY_ASSIGN_OR_RETURN(Value value, Eval(*node.parts[i + 1]));
    Value* held = nullptr;
    for (auto& [other, content] : dict) {
      FERRY_ASSIGN_OR_RETURN(const bool found, Equal(other, key, budget_));
      if (found) held = &content;
      if (found) break;
    }
    if (held == nullptr) {
      dict.emplace_back(std::move(key), std::move(value));
    } else {
      *held = std::move(value);
    }
  }
  return At(node, Value::MakeDict(std::move(dict), budget_));
}

Result<Value> Evaluator::EvalSlice(const Expression& node) {
  Value parts[4];
  for (size_t i = 0; i < 4; ++i) {
    if (node.parts[i] == nullptr) continue;
    FERRY_ASSIGN_OR_RETURN(parts[i], Eval(*node.parts[i]));
  }
  return At(node, Slice(parts[0], parts[1], parts[2], parts[3], budget_));
}

Result<Value> Evaluator::EvalCompare(const Expression& node) {
  FERRY_ASSIGN_OR_RETURN(Value left, Eval(*node.parts[0]));
  for (size_t i = 0; i < node.operators.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Value right, Eval(*node.parts[i + 1]));
    const Result<bool> holds = Holds(node.operators[i], left, right, budget_);
    if (!holds.ok()) return At(node, holds.status());
    if (!*holds) return Value::Bool(false);
    left = std::move(right);
  }
  return Value::Bool(true);
}

Result<Value> Evaluator::EvalNegative(const Expression& node) {
  FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*node.parts[0]));
  if (!value.IsNumber()) {
    return At(node, Status::Of(Code::kInvalidArgument, "the negative of {}", value.KindName()));
  }
  return At(node,
            Binary(node.kind == Expression::kNegative ? "-" : "+", Value::Int(0), value, budget_));
}

Result<Arguments> Evaluator::EvalArguments(const Expression& node) {
  Arguments arguments;
  for (size_t i = 1; i < node.parts.size(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Value value, Eval(*node.parts[i]));
    arguments.positional.push_back(std::move(value));
  }
  for (const auto& [name, part] : node.named) {
    FERRY_ASSIGN_OR_RETURN(Value value, Eval(*part));
    arguments.named.emplace_back(name, std::move(value));
  }
  return arguments;
}

Result<Value> Evaluator::EvalFilter(const Expression& node) {
  FERRY_ASSIGN_OR_RETURN(const Value input, Eval(*node.parts[0]));
  FERRY_ASSIGN_OR_RETURN(Arguments arguments, EvalArguments(node));
  return At(node, RunFilter(*FindFilter(node.name), input, std::move(arguments.positional),
                            std::move(arguments.named), budget_));
}

Result<Value> Evaluator::EvalTest(const Expression& node) {
  FERRY_ASSIGN_OR_RETURN(const Value value, Eval(*node.parts[0]));
  FERRY_ASSIGN_OR_RETURN(const Arguments arguments, EvalArguments(node));
  const Result<bool> holds = RunCheck(*FindCheck(node.name), value, arguments.positional, budget_);
  return At(node, holds.ok() ? Result<Value>(Value::Bool(*holds)) : holds.status());
}

Result<Value> Evaluator::EvalCall(const Expression& node) {
  const Expression& callee = *node.parts[0];
  Value receiver;
  Value function;
  const bool method = callee.kind == Expression::kAttribute;
  if (method) {
    FERRY_ASSIGN_OR_RETURN(receiver, Eval(*callee.parts[0]));
    if (receiver.space() || receiver.loop()) {
      FERRY_ASSIGN_OR_RETURN(function, Attribute(receiver, callee.name, budget_));
    }
  } else {
    FERRY_ASSIGN_OR_RETURN(function, Eval(callee));
  }
  FERRY_ASSIGN_OR_RETURN(const Arguments arguments, EvalArguments(node));
  if (function.macro()) return CallMacro(*function.macro(), arguments);
  // What a template raises is passed on as it is.
  if (function.builtin()) return CallBuiltin(function.builtin()->name, arguments);
  if (method) return At(node, CallMethod(receiver, callee.name, arguments, budget_));
  return At(node, Status::Of(Code::kInvalidArgument, "a call of {}{}", function.KindName(),
                             callee.name.empty() ? "" : " " + callee.name));
}

}  // namespace ferry::llm::jinja
