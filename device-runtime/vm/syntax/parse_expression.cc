#include <fmt/format.h>

#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {
namespace {

struct BinaryOperator {
  std::string_view text;
  Operator op;
  int level;
};
constexpr BinaryOperator kBinary[] = {
    {"|", Operator::kOr, 0},        {"^", Operator::kXor, 1},    {"&", Operator::kAnd, 2},
    {"<<", Operator::kLeft, 3},     {">>", Operator::kRight, 3}, {"+", Operator::kAdd, 4},
    {"-", Operator::kSub, 4},       {"*", Operator::kMul, 5},    {"/", Operator::kDiv, 5},
    {"//", Operator::kFloorDiv, 5}, {"%", Operator::kMod, 5},    {"@", Operator::kMatMul, 5}};

struct Comparator {
  std::string_view text;
  Operator op;
};
constexpr Comparator kComparators[] = {{"<", Operator::kLess},    {"<=", Operator::kLessEqual},
                                       {">", Operator::kGreater}, {">=", Operator::kGreaterEqual},
                                       {"==", Operator::kEqual},  {"!=", Operator::kNotEqual}};

}  // namespace

Node* Parser::Tuple(bool allow_star) {
  const Position at = Peek().at;
  Node* first = allow_star ? StarOrNamed() : Named();
  if (!At(",")) return first;
  Node* tuple = New(Kind::kTuple, at);
  tuple->list.push_back(first);
  while (Accept(",")) {
    if (Peek().type == TokenType::kNewline || Peek().type == TokenType::kEnd || At("=") ||
        At(")") || At(":") || At("]") || At(";") || At("}"))
      break;
    tuple->list.push_back(allow_star ? StarOrNamed() : Named());
  }
  return tuple;
}

// Targets end at `in`, which is also an operator: so they are read below comparisons.
Node* Parser::TargetList() {
  const Position at = Peek().at;
  const auto one = [&] {
    const Position star = Peek().at;
    if (!Accept("*")) return Binary(0);
    Node* node = New(Kind::kStarred, star);
    node->a = Binary(0);
    return node;
  };
  Node* first = one();
  if (!At(",")) return first;
  Node* tuple = New(Kind::kTuple, at);
  tuple->list.push_back(first);
  while (Accept(",")) {
    if (At("in") || Peek().type == TokenType::kNewline || Peek().type == TokenType::kEnd) break;
    tuple->list.push_back(one());
  }
  return tuple;
}

Node* Parser::StarOrNamed() {
  const Position at = Peek().at;
  if (!Accept("*")) return Named();
  Node* node = New(Kind::kStarred, at);
  node->a = Binary(0);
  return node;
}

Node* Parser::Named() {
  if (Peek().type == TokenType::kName && Peek(1).type == TokenType::kOperator &&
      Peek(1).text == ":=") {
    Node* node = New(Kind::kNamed, Peek().at);
    node->text = Next().text;
    Next();
    node->a = Expression();
    return node;
  }
  return Expression();
}

Node* Parser::Expression() {
  Nested nested(this);
  if (At("lambda")) return Lambda();
  Node* value = Or();
  if (!At("if")) return value;
  Node* node = New(Kind::kConditional, Next().at);
  node->b = value;
  node->a = Or();
  Expect("else");
  node->c = Expression();
  return node;
}

Node* Parser::Or() {
  Node* first = And();
  if (!At("or")) return first;
  Node* node = New(Kind::kBool, first->at);
  node->op = static_cast<int>(Operator::kBoolOr);
  node->list.push_back(first);
  while (Accept("or")) node->list.push_back(And());
  return node;
}

Node* Parser::And() {
  Node* first = Not();
  if (!At("and")) return first;
  Node* node = New(Kind::kBool, first->at);
  node->op = static_cast<int>(Operator::kBoolAnd);
  node->list.push_back(first);
  while (Accept("and")) node->list.push_back(Not());
  return node;
}

Node* Parser::Not() {
  Nested nested(this);
  if (!At("not")) return Comparison();
  Node* node = New(Kind::kUnary, Next().at);
  node->op = static_cast<int>(Operator::kNot);
  node->a = Not();
  return node;
}

Node* Parser::Comparison() {
  Node* first = Binary(0);
  Node* node = nullptr;
  for (;;) {
    Operator op = Operator::kIn;
    bool found = false;
    for (const Comparator& comparator : kComparators) {
      if (!found && At(comparator.text)) {
        op = comparator.op;
        found = true;
      }
    }
    if (At("in")) {
      op = Operator::kIn;
    } else if (At("not") && Peek(1).text == "in") {
      Next();
      op = Operator::kNotIn;
    } else if (At("is")) {
      op = Operator::kIs;
      if (Peek(1).type == TokenType::kKeyword && Peek(1).text == "not") {
        Next();
        op = Operator::kIsNot;
      }
    } else if (!found) {
      break;
    }
    const Position at = Next().at;
    if (node == nullptr) {
      node = New(Kind::kCompare, at);
      node->a = first;
    }
    node->ops.push_back(static_cast<int>(op));
    node->list.push_back(Binary(0));
  }
  return node == nullptr ? first : node;
}

Node* Parser::Binary(int level) {
  constexpr int kLevels = 6;
  if (level == kLevels) return Unary();
  Node* left = Binary(level + 1);
  for (int length = 0;; ++length) {
    const BinaryOperator* found = nullptr;
    for (const BinaryOperator& binary : kBinary)
      if (binary.level == level && At(binary.text)) found = &binary;
    if (found == nullptr) return left;
    if (length > kMaxNesting * 4) Fail("expression is too long");
    Node* node = New(Kind::kBinary, Next().at);
    node->op = static_cast<int>(found->op);
    node->a = left;
    node->b = Binary(level + 1);
    left = node;
  }
}

Node* Parser::Unary() {
  Nested nested(this);
  Operator op;
  if (At("-")) {
    op = Operator::kNegative;
  } else if (At("+")) {
    op = Operator::kPositive;
  } else if (At("~")) {
    op = Operator::kInvert;
  } else {
    return Power();
  }
  Node* node = New(Kind::kUnary, Next().at);
  node->op = static_cast<int>(op);
  node->a = Unary();
  return node;
}

Node* Parser::Power() {
  if (At("await")) Fail("async functions are not supported");
  Node* value = Postfix(Atom());
  if (!At("**")) return value;
  Node* node = New(Kind::kBinary, Next().at);
  node->op = static_cast<int>(Operator::kPow);
  node->a = value;
  node->b = Unary();
  return node;
}

Node* Parser::Lambda() {
  Node* node = New(Kind::kLambda, Next().at);
  arena_->functions.emplace_back();
  node->function = &arena_->functions.back();
  node->function->name = "<lambda>";
  Parameters(node->function, ":", false);
  Expect(":");
  Node* result = New(Kind::kReturn, Peek().at);
  result->a = Expression();
  node->function->body = {result};
  return node;
}

Node* Parser::Yield() {
  const Position at = Next().at;
  if (Accept("from")) {
    Node* node = New(Kind::kYieldFrom, at);
    node->a = Expression();
    return node;
  }
  Node* node = New(Kind::kYield, at);
  if (Peek().type != TokenType::kNewline && !At(")") && !At("=") && !At("]") && !At(";"))
    node->a = Tuple(true);
  return node;
}

}  // namespace ferry::vm
