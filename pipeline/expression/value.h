// A value while an expression is computed: small, borrowing texts and structures from the event, so
// that a comparison of a field copies nothing. Internal to the room.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/json.h"

namespace ferry::expression {

struct Value {
  enum class Kind : uint8_t { kNull, kBool, kInt, kUnsigned, kDouble, kText, kJson };
  Kind kind = Kind::kNull;
  union {
    bool b;
    int64_t i = 0;
    uint64_t u;  // above INT64_MAX only
    double d;
    const Json* json;  // an array or an object
  };
  std::string_view text = {};

  static Value Null() { return {}; }
  static Value Bool(bool value);
  static Value Int(int64_t value);
  static Value Double(double value);  // null when not finite: JSON has neither infinities nor NaN
  static Value Text(std::string_view value);
  // Borrows from `json`.
  static Value Of(const Json& json);

  bool is_null() const { return kind == Kind::kNull; }
  bool is_number() const {
    return kind == Kind::kInt || kind == Kind::kUnsigned || kind == Kind::kDouble;
  }
  double AsDouble() const;  // of a number
  Json ToJson() const;
  std::string_view TypeName() const;
};

// Numbers by value, others by kind and value.
bool Equal(const Value& a, const Value& b);

}  // namespace ferry::expression
