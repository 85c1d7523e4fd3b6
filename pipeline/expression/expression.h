// Expressions over the fields of a row: small, safe, bounded. Grammar:
//
//   or: and {"or" and}   and: not {"and" not}   not: "not" not | comparison
//   comparison: sum [("=="|"!="|"<"|"<="|">"|">=") sum]   sum: product {("+"|"-") product}
//   product: unary {("*"|"/"|"%") unary}   unary: "-" unary | primary
//   primary: number | "string" | true | false | null | field{.field} | function(..) | (or)
//
// Functions: abs floor ceil round min max len. A missing field is null. Null in arithmetic or in
// an ordering gives null; null == null is true. Numbers are doubles or 64-bit integers (+ - *  of
// integers stay integers, an overflow becomes a double); + also joins strings. A division by zero
// is null. Comparing a string with a number: == is false, an ordering is an error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace ferry::expression {

inline constexpr size_t kMaxExpressionBytes = 4096;
inline constexpr int kMaxExpressionDepth = 50;
inline constexpr size_t kMaxStringResult = 64 << 10;

class ExpressionNode;

// A parsed expression; immutable, shared by copies; any thread.
class Expression {
 public:
  // kMalformed: "column 5: expected ..."; kLimitExceeded.
  static Result<Expression> Parse(std::string_view text);
  // The value for one row's fields; kInvalidArgument when types do not fit, naming operator and
  // types.
  Result<Json> Evaluate(const Json& fields) const;
  // True only for the value true; null counts as false; another type is an error.
  Result<bool> Test(const Json& fields) const;
  const std::string& text() const { return text_; }

 private:
  std::shared_ptr<const ExpressionNode> root_;
  std::string text_;
};

}  // namespace ferry::expression
