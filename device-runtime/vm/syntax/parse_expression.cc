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
  return Done(tuple);
}

// Targets end at `in`, which is also an operator: so they are read below comparisons.
Node* Parser::TargetList() {
  const Position at = Peek().at;
  const auto one = [&] {
    const Position star = Peek().at;
    if (!Accept("*")) return Binary(0);
    Node* node = New(Kind::kStarred, star);
    node->a = Binary(0);
    return Done(node);
  };
  Node* first = one();
  if (!At(",")) return first;
  Node* tuple = New(Kind::kTuple, at);
  tuple->list.push_back(first);
  while (Accept(",")) {
    if (At("in") || Peek().type == TokenType::kNewline || Peek().type == TokenType::kEnd) break;
    tuple->list.push_back(one());
  }
  return Done(tuple);
}

Node* Parser::StarOrNamed() {
  const Position at = Peek().at;
  if (!Accept("*")) return Named();
  Node* node = New(Kind::kStarred, at);
  node->a = Binary(0);
  return Done(node);
}

Node* Parser::Named() {
  const Position at = Peek().at;
  if (Peek().type == TokenType::kName && AtAhead(1, ":=")) {
    Node* node = New(Kind::kNamed, at);
    node->text = Mangled(Next().text);
    Next();
    node->a = Expression();
    return Done(node);
  }
  Node* value = Expression();
  if (At(":="))
    FailNode(value,
             fmt::format("cannot use assignment expressions with {}", ExpressionName(value)));
  return value;
}

Node* Parser::Expression() {
  Nested nested(this);
  if (At("lambda")) return Lambda();
  const Position at = Peek().at;
  Node* value = Or();
  if (brackets_ > 0 && attempts_ == 0 && StartsExpression()) {
    // Two expressions in a row: what CPython says about them, when the second one is whole.
    Node* second = nullptr;
    const bool whole = Attempt([&] {
      second = Expression();
      return true;
    });
    if (whole && value->kind != Kind::kPass)
      FailSpan({at, second->end}, "invalid syntax. Perhaps you forgot a comma?");
  }
  if (!At("if")) return value;
  Node* node = New(Kind::kConditional, at);
  Next();
  node->b = value;
  node->a = Or();
  if (!At("else") && !At(":") && error_.ok())
    FailSpan({at, last_end_}, "expected 'else' after 'if' expression");
  Expect("else");
  node->c = Expression();
  return Done(node);
}

Node* Parser::Or() {
  const Position at = Peek().at;
  Node* first = And();
  if (!At("or")) return first;
  Node* node = New(Kind::kBool, at);
  node->op = static_cast<int>(Operator::kBoolOr);
  node->list.push_back(first);
  while (Accept("or")) node->list.push_back(And());
  return Done(node);
}

Node* Parser::And() {
  const Position at = Peek().at;
  Node* first = Not();
  if (!At("and")) return first;
  Node* node = New(Kind::kBool, at);
  node->op = static_cast<int>(Operator::kBoolAnd);
  node->list.push_back(first);
  while (Accept("and")) node->list.push_back(Not());
  return Done(node);
}

Node* Parser::Not() {
  Nested nested(this);
  if (!At("not")) return Comparison();
  Node* node = New(Kind::kUnary, Next().at);
  node->op = static_cast<int>(Operator::kNot);
  node->a = Not();
  return Done(node);
}

Node* Parser::Comparison() {
  const Position at = Peek().at;
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
    } else if (At("not") && AtAhead(1, "in")) {
      Next();
      op = Operator::kNotIn;
    } else if (At("is")) {
      op = Operator::kIs;
      if (AtAhead(1, "not")) {
        Next();
        op = Operator::kIsNot;
      }
    } else if (!found) {
      break;
    }
    Next();
    if (node == nullptr) {
      node = New(Kind::kCompare, at);
      node->a = first;
    }
    node->ops.push_back(static_cast<int>(op));
    node->list.push_back(Binary(0));
    Done(node);
  }
  return node == nullptr ? first : node;
}

Node* Parser::Binary(int level) {
  constexpr int kLevels = 6;
  if (level == kLevels) return Unary();
  const Position at = Peek().at;
  Node* left = Binary(level + 1);
  for (int length = 0;; ++length) {
    const BinaryOperator* found = nullptr;
    for (const BinaryOperator& binary : kBinary)
      if (binary.level == level && At(binary.text)) found = &binary;
    if (found == nullptr) return left;
    if (length > kMaxNesting * 4) Fail("expression is too long");
    Node* node = New(Kind::kBinary, at);
    Next();
    node->op = static_cast<int>(found->op);
    node->a = left;
    node->b = Binary(level + 1);
    left = Done(node);
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
  return Done(node);
}

Node* Parser::Power() {
  const Position at = Peek().at;
  Node* value;
  if (Accept("await")) {
    value = New(Kind::kAwait, at);
    const Position inner = Peek().at;
    value->a = Postfix(Atom(), inner);
    Done(value);
  } else {
    value = Postfix(Atom(), at);
  }
  if (!At("**")) return value;
  Node* node = New(Kind::kBinary, at);
  Next();
  node->op = static_cast<int>(Operator::kPow);
  node->a = value;
  node->b = Unary();
  return Done(node);
}

Node* Parser::Lambda() {
  Node* node = New(Kind::kLambda, Next().at);
  (void)source_.Take(sizeof(FunctionNode));  // the next node sees that it failed
  arena_->functions.emplace_back();
  node->function = &arena_->functions.back();
  node->function->name = "<lambda>";
  Parameters(node->function, ":", false);
  if (!Accept(":")) Invalid();
  Node* result = New(Kind::kReturn, Peek().at);
  result->a = Expression();
  node->function->body = {Done(result)};
  return Done(node);
}

Node* Parser::Yield() {
  Node* node = New(Kind::kYield, Next().at);
  if (Accept("from")) {
    node->kind = Kind::kYieldFrom;
    node->a = Expression();
  } else if (Peek().type != TokenType::kNewline && Peek().type != TokenType::kEnd && !At(")") &&
             !At("=") && !At("]") && !At(";") && !At("}")) {
    node->a = Tuple(true);
  }
  return Done(node);
}

}  // namespace ferry::vm
