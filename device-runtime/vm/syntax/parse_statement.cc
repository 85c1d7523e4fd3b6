#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {
namespace {

struct Augmented {
  std::string_view text;
  Operator op;
};
constexpr Augmented kAugmented[] = {
    {"+=", Operator::kAdd},   {"-=", Operator::kSub},       {"*=", Operator::kMul},
    {"/=", Operator::kDiv},   {"//=", Operator::kFloorDiv}, {"%=", Operator::kMod},
    {"**=", Operator::kPow},  {"@=", Operator::kMatMul},    {"&=", Operator::kAnd},
    {"|=", Operator::kOr},    {"^=", Operator::kXor},       {"<<=", Operator::kLeft},
    {">>=", Operator::kRight}};

}  // namespace

bool Parser::CompoundStatement(std::vector<Node*>* out) {
  const bool async = At("async");
  const auto at = [&](std::string_view word) { return AtAhead(async ? 1 : 0, word); };
  const Position start = Peek().at;
  Node* node;
  if (At("if")) {
    node = If();
  } else if (At("while")) {
    node = While();
  } else if (at("for")) {
    node = For(Accept("async"));
  } else if (At("try")) {
    node = Try();
  } else if (at("with")) {
    node = With(Accept("async"));
  } else if (at("def")) {
    node = Def({}, Accept("async"));
  } else if (At("class")) {
    node = Class({});
  } else if (At("@")) {
    node = Decorated();
  } else {
    if (async) FailSpan({Peek(1).at, Peek(1).end}, "invalid syntax");
    return AtWord("match") && Match(out);
  }
  node->at = start;
  out->push_back(Done(node));
  return true;
}

void Parser::Statement(std::vector<Node*>* out) {
  Nested nested(this);
  if (Peek().type == TokenType::kIndent)
    return FailAt({Peek().at.line, std::max(1, Peek().at.column - 1)}, "unexpected indent");
  if (!CompoundStatement(out)) SimpleStatement(out);
}

void Parser::SimpleStatement(std::vector<Node*>* out) {
  do {
    if (Peek().type == TokenType::kNewline) break;
    out->push_back(SmallStatement());
  } while (Accept(";"));
  if (Peek().type != TokenType::kNewline) return Invalid();
  ++pos_;
}

Node* Parser::SmallStatement() {
  const Position at = Peek().at;
  if (Accept("pass")) return Done(New(Kind::kPass, at));
  if (Accept("break")) return Done(New(Kind::kBreak, at));
  if (Accept("continue")) return Done(New(Kind::kContinue, at));
  if (Accept("return")) {
    Node* node = New(Kind::kReturn, at);
    if (Peek().type != TokenType::kNewline && !At(";")) node->a = Tuple(true);
    return Done(node);
  }
  if (At("raise")) return Raise();
  if (At("global")) return Names(Kind::kGlobal);
  if (At("nonlocal")) return Names(Kind::kNonlocal);
  if (At("import")) return Import();
  if (At("from")) return FromImport();
  if (At("del")) return Delete();
  if (Accept("assert")) {
    Node* node = New(Kind::kAssert, at);
    node->a = Expression();
    if (Accept(",")) node->b = Expression();
    return Done(node);
  }
  return ExpressionStatement();
}

Node* Parser::Delete() {
  Node* node = New(Kind::kDelete, Next().at);
  Node* targets = TargetList();
  if (targets->kind == Kind::kTuple && !targets->parenthesized) {
    node->list = targets->list;
  } else {
    node->list = {targets};
  }
  for (Node* target : node->list) CheckTarget(target, "delete");
  return Done(node);
}

// What CPython says of "print x": the statement that Python 2 had.
void Parser::LegacyPrint(Node* name) {
  if (name->kind != Kind::kName || name->parenthesized ||
      (name->text != "print" && name->text != "exec") || attempts_ > 0)
    return;
  const bool more = StartsExpression() && Attempt([&] { return Tuple(true) != nullptr; });
  if (more)
    FailSpan({name->at, last_end_},
             fmt::format("Missing parentheses in call to '{}'. Did you mean {}(...)?", name->text,
                         name->text));
}

Node* Parser::AugmentedStatement(Node* target, Operator op) {
  if (target->kind != Kind::kName && target->kind != Kind::kAttribute &&
      target->kind != Kind::kIndex)
    FailNode(target, fmt::format("'{}' is an illegal expression for augmented assignment",
                                 ExpressionName(target)));
  Node* node = New(Kind::kAugmented, target->at);
  Next();
  node->op = static_cast<int>(op);
  node->a = target;
  node->b = At("yield") ? Yield() : Tuple(true);
  return Done(node);
}

Node* Parser::Annotated(Node* target) {
  if (target->kind == Kind::kTuple || target->kind == Kind::kList) {
    FailNode(target,
             fmt::format("only single target (not {}) can be annotated", ExpressionName(target)));
  } else if (target->kind != Kind::kName && target->kind != Kind::kAttribute &&
             target->kind != Kind::kIndex) {
    FailNode(target, "illegal target for annotation");
  }
  Node* node = New(Kind::kAnnotated, target->at);
  Next();
  node->a = target;
  node->op = target->kind == Kind::kName && !target->parenthesized;
  node->c = Expression();
  if (Accept("=")) node->b = At("yield") ? Yield() : Tuple(true);
  return Done(node);
}

Node* Parser::ExpressionStatement() {
  const Position at = Peek().at;
  const auto no_walrus = [this] {
    if (Peek().type == TokenType::kName && AtAhead(1, ":="))
      FailSpan({Peek(1).at, Peek(1).end}, "invalid syntax");
  };
  no_walrus();
  Node* first = At("yield") ? Yield() : Tuple(true);
  LegacyPrint(first);
  for (const Augmented& augmented : kAugmented)
    if (At(augmented.text)) return AugmentedStatement(first, augmented.op);
  if (At(":")) return Annotated(first);
  if (!At("=")) {
    if (first->kind == Kind::kStarred) FailNode(first, "can't use starred expression here");
    Node* node = New(Kind::kExpression, at);
    node->a = first;
    return Done(node);
  }
  Node* node = New(Kind::kAssign, at);
  Node* value = first;
  while (At("=")) {
    AssignmentTarget(value);
    Next();
    node->list.push_back(value);
    no_walrus();
    value = At("yield") ? Yield() : Tuple(true);
  }
  if (value->kind == Kind::kStarred) FailNode(value, "can't use starred expression here");
  node->a = value;
  return Done(node);
}

// `target` stands before the present "=".
void Parser::AssignmentTarget(Node* target) {
  switch (target->kind) {
    case Kind::kUnary:
      if (target->op == static_cast<int>(Operator::kNot)) return CheckTarget(target);
      break;
    case Kind::kConstant:
      if (target->text != "...") return CheckTarget(target);
      break;
    case Kind::kCall:
    case Kind::kNumber:
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kFString:
    case Kind::kBinary:
    case Kind::kDict:
    case Kind::kSet:
    case Kind::kAwait:
      break;
    case Kind::kYield:
    case Kind::kYieldFrom:
      if (target->parenthesized) break;
      return FailNode(target, "assignment to yield expression not possible");
    case Kind::kComprehension:
      if (target->op != static_cast<int>(Kind::kYield)) break;
      [[fallthrough]];
    default:
      return CheckTarget(target);
  }
  FailNode(target, fmt::format("cannot assign to {} here. Maybe you meant '==' instead of '='?",
                               ExpressionName(target)));
}

std::string_view ExpressionName(const Node* node) {
  switch (node->kind) {
    case Kind::kName:
      return "name";
    case Kind::kConstant:
      return node->text == "..." ? "ellipsis" : std::string_view(node->text);
    case Kind::kAttribute:
      return "attribute";
    case Kind::kIndex:
      return "subscript";
    case Kind::kStarred:
      return "starred";
    case Kind::kList:
      return "list";
    case Kind::kTuple:
      return "tuple";
    case Kind::kLambda:
      return "lambda";
    case Kind::kCall:
      return "function call";
    case Kind::kYield:
    case Kind::kYieldFrom:
      return "yield expression";
    case Kind::kAwait:
      return "await expression";
    case Kind::kComprehension:
      return node->op == static_cast<int>(Kind::kList)   ? "list comprehension"
             : node->op == static_cast<int>(Kind::kSet)  ? "set comprehension"
             : node->op == static_cast<int>(Kind::kDict) ? "dict comprehension"
                                                         : "generator expression";
    case Kind::kDict:
      return "dict literal";
    case Kind::kSet:
      return "set display";
    case Kind::kFString:
      return "f-string expression";
    case Kind::kCompare:
      return "comparison";
    case Kind::kConditional:
      return "conditional expression";
    case Kind::kNamed:
      return "named expression";
    case Kind::kNumber:
    case Kind::kString:
    case Kind::kBytes:
      return "literal";
    default:
      return "expression";
  }
}

void Parser::CheckTarget(Node* target, std::string_view verb) {
  switch (target->kind) {
    case Kind::kPass:  // an error has been said
      return;
    case Kind::kName:
      if (target->text == "__debug__") FailNode(target, fmt::format("cannot {} __debug__", verb));
      return;
    case Kind::kAttribute:
    case Kind::kIndex:
      return;
    case Kind::kTuple:
    case Kind::kList: {
      int stars = 0;
      for (Node* item : target->list) {
        const bool star = item->kind == Kind::kStarred;
        if (star && verb == "delete") return FailNode(item, "cannot delete starred");
        if (star && ++stars > 1)
          return FailNode(target, "multiple starred expressions in assignment");
        CheckTarget(star ? item->a : item, verb);
      }
      return;
    }
    case Kind::kStarred:
      if (verb != "delete")
        return FailNode(target, "starred assignment target must be in a list or tuple");
      [[fallthrough]];
    default:
      return FailNode(target, fmt::format("cannot {} {}", verb, ExpressionName(target)));
  }
}

Node* Parser::Raise() {
  Node* node = New(Kind::kRaise, Next().at);
  if (Peek().type != TokenType::kNewline && !At(";")) {
    node->a = Expression();
    if (Accept("from")) node->b = Expression();
  }
  return Done(node);
}

Node* Parser::Names(Kind kind) {
  Node* node = New(kind, Next().at);
  do {
    node->names.push_back(ExpectName());
  } while (Accept(","));
  return Done(node);
}

}  // namespace ferry::vm
