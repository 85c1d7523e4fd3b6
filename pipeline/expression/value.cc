#include "pipeline/expression/value.h"

#include <cmath>

namespace ferry::expression {

Value Value::Bool(bool value) {
  Value out;
  out.kind = Kind::kBool;
  out.b = value;
  return out;
}

Value Value::Int(int64_t value) {
  Value out;
  out.kind = Kind::kInt;
  out.i = value;
  return out;
}

Value Value::Double(double value) {
  Value out;
  if (!std::isfinite(value)) return out;
  out.kind = Kind::kDouble;
  out.d = value;
  return out;
}

Value Value::Text(std::string_view value) {
  Value out;
  out.kind = Kind::kText;
  out.text = value;
  return out;
}

Value Value::Of(const Json& json) {
  Value out;
  switch (json.type()) {
    case Json::value_t::boolean:
      return Bool(*json.get_ptr<const Json::boolean_t*>());
    case Json::value_t::number_integer:
      return Int(*json.get_ptr<const Json::number_integer_t*>());
    case Json::value_t::number_unsigned: {
      const uint64_t value = *json.get_ptr<const Json::number_unsigned_t*>();
      if (value <= INT64_MAX) return Int(static_cast<int64_t>(value));
      out.kind = Kind::kUnsigned;
      out.u = value;
      return out;
    }
    case Json::value_t::number_float:
      return Double(*json.get_ptr<const Json::number_float_t*>());
    case Json::value_t::string:
      return Text(*json.get_ptr<const Json::string_t*>());
    case Json::value_t::array:
    case Json::value_t::object:
      out.kind = Kind::kJson;
      out.json = &json;
      return out;
    default:
      return out;
  }
}

double Value::AsDouble() const {
  if (kind == Kind::kInt) return static_cast<double>(i);
  return kind == Kind::kUnsigned ? static_cast<double>(u) : d;
}

Json Value::ToJson() const {
  switch (kind) {
    case Kind::kBool:
      return b;
    case Kind::kInt:
      return i;
    case Kind::kUnsigned:
      return u;
    case Kind::kDouble:
      return d;
    case Kind::kText:
      return std::string(text);
    case Kind::kJson:
      return *json;
    default:
      return nullptr;
  }
}

std::string_view Value::TypeName() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kText:
      return "string";
    case Kind::kJson:
      return json->type_name();
    default:
      return "number";
  }
}

bool Equal(const Value& a, const Value& b) {
  if (a.kind == b.kind) {
    switch (a.kind) {
      case Value::Kind::kNull:
        return true;
      case Value::Kind::kBool:
        return a.b == b.b;
      case Value::Kind::kInt:
        return a.i == b.i;
      case Value::Kind::kUnsigned:
        return a.u == b.u;
      case Value::Kind::kDouble:
        return a.d == b.d;
      case Value::Kind::kText:
        return a.text == b.text;
      default:
        return *a.json == *b.json;
    }
  }
  // An integer and a double; a signed and an unsigned integer are never equal.
  const bool numbers = a.is_number() && b.is_number();
  const bool one_double = a.kind == Value::Kind::kDouble || b.kind == Value::Kind::kDouble;
  return numbers && one_double && a.AsDouble() == b.AsDouble();
}

}  // namespace ferry::expression
