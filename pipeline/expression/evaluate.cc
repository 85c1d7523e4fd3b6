#include <cmath>
#include <optional>

#include "pipeline/expression/expression.h"
#include "pipeline/expression/node.h"

namespace ferry::expression {
namespace {

// A number of an expression: an integer while that is exact, else a double.
struct Number {
  bool whole = false;
  int64_t i = 0;
  double d = 0;
};

std::optional<Number> AsNumber(const Json& value) {
  if (const auto* u = value.get_ptr<const Json::number_unsigned_t*>())
    return *u <= INT64_MAX ? Number{true, static_cast<int64_t>(*u), static_cast<double>(*u)}
                           : Number{false, 0, static_cast<double>(*u)};
  if (const auto* i = value.get_ptr<const Json::number_integer_t*>())
    return Number{true, *i, static_cast<double>(*i)};
  if (const auto* d = value.get_ptr<const Json::number_float_t*>()) return Number{false, 0, *d};
  return std::nullopt;
}

// JSON has neither infinities nor NaN.
Json FromDouble(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Status BadTypes(Op op, const Json& a, const Json& b) {
  return Status::Of(Code::kInvalidArgument, "{} does not take {} and {}", OpText(op), a.type_name(),
                    b.type_name());
}
Status BadType(Op op, const Json& a) {
  return Status::Of(Code::kInvalidArgument, "{} does not take {}", OpText(op), a.type_name());
}

Json Arithmetic(Op op, const Number& a, const Number& b) {
  if (a.whole && b.whole && op != Op::kDivide) {
    int64_t out = 0;
    if (op == Op::kAdd && !__builtin_add_overflow(a.i, b.i, &out)) return out;
    if (op == Op::kSubtract && !__builtin_sub_overflow(a.i, b.i, &out)) return out;
    if (op == Op::kMultiply && !__builtin_mul_overflow(a.i, b.i, &out)) return out;
    if (op == Op::kModulo && b.i == 0) return nullptr;
    if (op == Op::kModulo && b.i == -1) return 0;
    if (op == Op::kModulo) {  // the sign of the divisor, as in scripts
      const int64_t rest = a.i % b.i;
      return rest != 0 && (rest < 0) != (b.i < 0) ? rest + b.i : rest;
    }
  }
  switch (op) {
    case Op::kAdd:
      return FromDouble(a.d + b.d);
    case Op::kSubtract:
      return FromDouble(a.d - b.d);
    case Op::kMultiply:
      return FromDouble(a.d * b.d);
    case Op::kDivide:
      return FromDouble(a.d / b.d);  // by zero: not finite, so null
    default:
      return FromDouble(a.d - b.d * std::floor(a.d / b.d));
  }
}

Result<Json> Calculate(Op op, const Json& a, const Json& b) {
  if (a.is_null() || b.is_null()) return Json(nullptr);
  const auto left = AsNumber(a), right = AsNumber(b);
  if (left && right) return Arithmetic(op, *left, *right);
  const auto* left_text = a.get_ptr<const std::string*>();
  const auto* right_text = b.get_ptr<const std::string*>();
  if (op != Op::kAdd || left_text == nullptr || right_text == nullptr) return BadTypes(op, a, b);
  if (left_text->size() + right_text->size() > kMaxStringResult)
    return Status::Of(Code::kLimitExceeded, "a string over {} bytes", kMaxStringResult);
  return Json(*left_text + *right_text);
}

bool Holds(Op op, int order) {
  switch (op) {
    case Op::kLess:
      return order < 0;
    case Op::kLessEqual:
      return order <= 0;
    case Op::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Result<Json> Compare(Op op, const Json& a, const Json& b) {
  if (op == Op::kEqual) return Json(a == b);
  if (op == Op::kNotEqual) return Json(a != b);
  if (a.is_null() || b.is_null()) return Json(nullptr);
  const auto left = AsNumber(a), right = AsNumber(b);
  if (left && right) {
    if (left->whole && right->whole)
      return Json(Holds(op, left->i < right->i ? -1 : left->i > right->i));
    return Json(Holds(op, left->d < right->d ? -1 : left->d > right->d));
  }
  const auto* left_text = a.get_ptr<const std::string*>();
  const auto* right_text = b.get_ptr<const std::string*>();
  if (left_text == nullptr || right_text == nullptr) return BadTypes(op, a, b);
  const int order = left_text->compare(*right_text);
  return Json(Holds(op, order));
}

Result<bool> Truth(Op op, const Json& value) {
  if (value.is_null()) return false;
  if (const auto* b = value.get_ptr<const bool*>()) return *b;
  return BadType(op, value);
}

Json Field(const ExpressionNode& node, const Json& fields) {
  const Json* at = &fields;
  for (const std::string& name : node.path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(name);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return *at;
}

// A rounded double as an integer where it fits.
Json Whole(double value) {
  constexpr double kLimit = 9007199254740992;  // 2^53: every integer below is exact
  if (std::fabs(value) <= kLimit) return static_cast<int64_t>(value);
  return FromDouble(value);
}

Result<Json> CallOne(Op op, const Json& value) {
  if (value.is_null()) return Json(nullptr);
  if (op == Op::kLen) {
    if (const auto* text = value.get_ptr<const std::string*>()) return Json(text->size());
    if (value.is_structured()) return Json(value.size());
    return BadType(op, value);
  }
  const auto number = AsNumber(value);
  if (!number) return BadType(op, value);
  if (number->whole && op != Op::kNegate && op != Op::kAbs) return value;
  switch (op) {
    case Op::kNegate:
      return Arithmetic(Op::kSubtract, {true, 0, 0}, *number);
    case Op::kAbs:
      return number->d < 0 ? Arithmetic(Op::kSubtract, {true, 0, 0}, *number) : value;
    case Op::kCeil:
      return Whole(std::ceil(number->d));
    case Op::kFloor:
      return Whole(std::floor(number->d));
    default:
      return Whole(std::nearbyint(number->d));  // halves to even, as in scripts
  }
}

// min and max over the arguments that are not null.
Result<Json> Extreme(const ExpressionNode& node, const Json& fields) {
  Json best;
  for (const auto& child : node.children) {
    FERRY_ASSIGN_OR_RETURN(Json value, EvaluateNode(*child, fields));
    if (value.is_null()) continue;
    if (!AsNumber(value)) return BadType(node.op, value);
    if (best.is_null()) {
      best = std::move(value);
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(Json less, Compare(Op::kLess, value, best));
    if (less == (node.op == Op::kMin)) best = std::move(value);
  }
  return best;
}

}  // namespace

std::string_view OpText(Op op) {
  static constexpr std::string_view kTexts[] = {
      "constant", "field", "or",   "and",   "not",   "==",  "!=",  "<",
      "<=",       ">",     ">=",   "+",     "-",     "*",   "/",   "%",
      "-",        "abs",   "ceil", "floor", "round", "min", "max", "len"};
  return kTexts[static_cast<size_t>(op)];
}

Result<Json> EvaluateNode(const ExpressionNode& node, const Json& fields) {
  switch (node.op) {
    case Op::kConstant:
      return node.constant;
    case Op::kField:
      return Field(node, fields);
    case Op::kMin:
    case Op::kMax:
      return Extreme(node, fields);
    default:
      break;
  }
  FERRY_ASSIGN_OR_RETURN(Json left, EvaluateNode(*node.children[0], fields));
  switch (node.op) {
    case Op::kOr:
    case Op::kAnd: {
      FERRY_ASSIGN_OR_RETURN(bool decided, Truth(node.op, left));
      if (decided == (node.op == Op::kOr)) return Json(decided);
      FERRY_ASSIGN_OR_RETURN(Json right, EvaluateNode(*node.children[1], fields));
      FERRY_ASSIGN_OR_RETURN(bool value, Truth(node.op, right));
      return Json(value);
    }
    case Op::kNot: {
      FERRY_ASSIGN_OR_RETURN(bool value, Truth(node.op, left));
      return Json(!value);
    }
    default:
      break;
  }
  if (node.children.size() == 1) return CallOne(node.op, left);
  FERRY_ASSIGN_OR_RETURN(Json right, EvaluateNode(*node.children[1], fields));
  if (node.op >= Op::kEqual && node.op <= Op::kGreaterEqual) return Compare(node.op, left, right);
  return Calculate(node.op, left, right);
}

Result<Json> Expression::Evaluate(const Json& fields) const {
  return EvaluateNode(*root_, fields);
}

Result<bool> Expression::Test(const Json& fields) const {
  FERRY_ASSIGN_OR_RETURN(Json value, EvaluateNode(*root_, fields));
  if (value.is_null()) return false;
  if (const auto* b = value.get_ptr<const bool*>()) return *b;
  return Status::Of(Code::kInvalidArgument, "a condition gave {}, not true or false",
                    value.type_name());
}

}  // namespace ferry::expression
