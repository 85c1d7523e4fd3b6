// The tree of an expression; internal to the room.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace ferry::expression {

enum class Op {
  kConstant,
  kField,
  kOr,
  kAnd,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,
  kAbs,
  kCeil,
  kFloor,
  kRound,
  kMin,
  kMax,
  kLen
};

class ExpressionNode {
 public:
  Op op = Op::kConstant;
  Json constant;                  // kConstant
  std::vector<std::string> path;  // kField
  std::vector<std::unique_ptr<ExpressionNode>> children;
};

// How the operator or function is written.
std::string_view OpText(Op op);
Result<Json> EvaluateNode(const ExpressionNode& node, const Json& fields);

}  // namespace ferry::expression
