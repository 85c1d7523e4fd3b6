// Filters that make numbers.
#include <charconv>
#include <cmath>

#include "device-runtime/llm/template/filters/filters.h"
#include "device-runtime/llm/template/values/python_text.h"

namespace ferry::llm::jinja {
namespace {

// A text that is a number and nothing else but blanks around it.
template <typename Number>
bool ReadNumber(const std::string& text, Number* out) {
  const std::string_view digits = Strip(text, nullptr, true, true);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), *out);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && !digits.empty();
}

constexpr double kIntegerEnd = 9.2e18;  // below 2^63

}  // namespace

Result<Value> AbsFilter(const FilterCall& call) {
  int64_t integer = 0;
  if (call.input.AsInteger(&integer)) {
    if (integer == INT64_MIN) return Status(Code::kLimitExceeded, "an integer out of range");
    return Value::Int(integer < 0 ? -integer : integer);
  }
  if (call.input.real()) return Value::Float(std::fabs(*call.input.real()));
  return Status::Of(Code::kInvalidArgument, "abs of {}", call.input.KindName());
}

Result<Value> IntFilter(const FilterCall& call) {
  int64_t integer = 0;
  double real = 0;
  if (call.input.AsInteger(&integer)) return Value::Int(integer);
  if (call.input.text() && ReadNumber(*call.input.text(), &integer)) return Value::Int(integer);
  const bool number =
      call.input.real() != nullptr || (call.input.text() && ReadNumber(*call.input.text(), &real));
  if (call.input.real()) real = *call.input.real();
  if (number && std::fabs(real) < kIntegerEnd) return Value::Int(static_cast<int64_t>(real));
  return call.arguments[0].undefined() ? Value::Int(0) : call.arguments[0];
}

Result<Value> FloatFilter(const FilterCall& call) {
  double real = 0;
  if (call.input.IsNumber()) return Value::Float(call.input.AsDouble());
  if (call.input.text() && ReadNumber(*call.input.text(), &real)) return Value::Float(real);
  return call.arguments[0].undefined() ? Value::Float(0) : call.arguments[0];
}

}  // namespace ferry::llm::jinja
