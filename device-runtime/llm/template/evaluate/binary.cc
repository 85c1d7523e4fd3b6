// Arithmetic, concatenation and repetition.
#include <cmath>

#include "device-runtime/llm/template/evaluate/access.h"

namespace ferry::llm::jinja {
namespace {

Status Misfit(std::string_view op, const Value& left, const Value& right) {
  return Status::Of(Code::kInvalidArgument, "{} {} {}", left.KindName(), op, right.KindName());
}

Status OutOfRange() {
  return Status(Code::kLimitExceeded, "an integer out of range");
}

// Floor division, as Python's.
int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Result<Value> Power(int64_t base, int64_t exponent) {
  if (exponent < 0) return Value::Float(std::pow(static_cast<double>(base), exponent));
  if (base == 0 || base == 1) return Value::Int(exponent == 0 ? 1 : base);
  if (base == -1) return Value::Int(exponent % 2 == 0 ? 1 : -1);
  int64_t out = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(out, base, &out)) return OutOfRange();
  }
  return Value::Int(out);
}

Result<Value> OnIntegers(std::string_view op, int64_t a, int64_t b) {
  int64_t out = 0;
  bool over = false;
  if (op == "+") {
    over = __builtin_add_overflow(a, b, &out);
  } else if (op == "-") {
    over = __builtin_sub_overflow(a, b, &out);
  } else if (op == "*") {
    over = __builtin_mul_overflow(a, b, &out);
  } else if (op == "**") {
    return Power(a, b);
  } else {
    if (b == 0) return Status(Code::kInvalidArgument, "division by zero");
    if (a == INT64_MIN && b == -1) return OutOfRange();
    if (op == "/") return Value::Float(static_cast<double>(a) / static_cast<double>(b));
    out = op == "//" ? FloorDivide(a, b) : a - FloorDivide(a, b) * b;
  }
  if (over) return OutOfRange();
  return Value::Int(out);
}

Result<Value> OnFloats(std::string_view op, double a, double b) {
  if (op == "+") return Value::Float(a + b);
  if (op == "-") return Value::Float(a - b);
  if (op == "*") return Value::Float(a * b);
  if (op == "**") return Value::Float(std::pow(a, b));
  if (b == 0) return Status(Code::kInvalidArgument, "division by zero");
  if (op == "/") return Value::Float(a / b);
  if (op == "//") return Value::Float(std::floor(a / b));
  return Value::Float(a - std::floor(a / b) * b);
}

Result<Value> Repeat(const Value& value, int64_t times, Budget& budget) {
  const size_t count = times < 0 ? 0 : static_cast<size_t>(times);
  const size_t size = value.text() ? value.text()->size() : value.list()->size() * sizeof(Value);
  if (size != 0 && count > kMaxTemplateValueBytes / size) return budget.Charge(SIZE_MAX);
  FERRY_TRY(budget.Charge(size * count));
  if (value.text()) {
    std::string out;
    for (size_t i = 0; i < count && size != 0; ++i) out += *value.text();
    return Value::Text(std::move(out));
  }
  List out;
  for (size_t i = 0; i < count && size != 0; ++i) {
    out.insert(out.end(), value.list()->begin(), value.list()->end());
  }
  return Value::MakeList(std::move(out), budget);
}

}  // namespace

Result<Value> Binary(std::string_view op, const Value& left, const Value& right, Budget& budget) {
  FERRY_TRY(budget.Step());
  if (op == "~") {
    FERRY_ASSIGN_OR_RETURN(std::string text, ToText(left, budget));
    FERRY_ASSIGN_OR_RETURN(const std::string more, ToText(right, budget));
    return Value::MakeText(text + more, budget);
  }
  int64_t a = 0;
  int64_t b = 0;
  const bool left_integer = left.AsInteger(&a);
  const bool right_integer = right.AsInteger(&b);
  if (left_integer && right_integer) return OnIntegers(op, a, b);
  if (left.IsNumber() && right.IsNumber()) return OnFloats(op, left.AsDouble(), right.AsDouble());
  if (op == "+" && left.text() && right.text()) {
    FERRY_TRY(budget.Charge(left.text()->size() + right.text()->size()));
    return Value::Text(*left.text() + *right.text());
  }
  if (op == "+" && left.list() && right.list()) {
    FERRY_TRY(budget.Charge((left.list()->size() + right.list()->size()) * sizeof(Value)));
    List out = *left.list();
    out.insert(out.end(), right.list()->begin(), right.list()->end());
    return Value::MakeList(std::move(out), budget);
  }
  if (op == "*" && (left.text() || left.list()) && right_integer) return Repeat(left, b, budget);
  if (op == "*" && (right.text() || right.list()) && left_integer) return Repeat(right, a, budget);
  if (op == "%" && left.text()) return Status(Code::kUnsupported, "formatting by %");
  return Misfit(op, left, right);
}

}  // namespace ferry::llm::jinja
