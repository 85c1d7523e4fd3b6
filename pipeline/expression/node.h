// The tree of an expression; internal to the room.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "pipeline/expression/value.h"

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
  kLen,
  kCount,
  kSum,
  kBucket,
  kKeyedHash,
};

// A name that means the event itself and not a field of it.
enum class OwnName { kNone, kEvent, kPage, kTimeMs };

inline constexpr size_t kNoCapture = SIZE_MAX;

class ExpressionNode {
 public:
  Op op = Op::kConstant;
  size_t column = 1;              // in the text, from 1
  Json constant;                  // kConstant
  Value value;                    // of it
  std::vector<std::string> path;  // kField, and functions over a capture
  OwnName own = OwnName::kNone;   // what a path of one name may mean
  size_t capture = kNoCapture;    // whose field; with it min and max are over the list
  std::vector<std::unique_ptr<ExpressionNode>> children;
};

// How the operator or function is written.
std::string_view OpText(Op op);

}  // namespace ferry::expression
