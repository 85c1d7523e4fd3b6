#include <fmt/format.h>

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

void Parser::Statement(std::vector<Node*>* out) {
  Nested nested(this);
  if (Peek().type == TokenType::kIndent) return Fail("unexpected indent");
  if (At("if")) return out->push_back(If());
  if (At("while")) return out->push_back(While());
  if (At("for")) return out->push_back(For());
  if (At("try")) return out->push_back(Try());
  if (At("with")) return out->push_back(With());
  if (At("def")) return out->push_back(Def({}));
  if (At("class")) return out->push_back(Class({}));
  if (At("@")) return out->push_back(Decorated());
  if (At("async") || At("await")) return Fail("async functions are not supported");
  SimpleStatement(out);
}

void Parser::SimpleStatement(std::vector<Node*>* out) {
  do {
    if (Peek().type == TokenType::kNewline) break;
    out->push_back(SmallStatement());
  } while (Accept(";"));
  if (Peek().type != TokenType::kNewline) return Fail(fmt::format("unexpected {}", Shown()));
  Next();
}

Node* Parser::SmallStatement() {
  const Position at = Peek().at;
  if (Accept("pass")) return New(Kind::kPass, at);
  if (Accept("break")) return New(Kind::kBreak, at);
  if (Accept("continue")) return New(Kind::kContinue, at);
  if (Accept("return")) {
    Node* node = New(Kind::kReturn, at);
    if (Peek().type != TokenType::kNewline && !At(";")) node->a = Tuple(true);
    return node;
  }
  if (At("raise")) return Raise();
  if (At("global")) return Names(Kind::kGlobal);
  if (At("nonlocal")) return Names(Kind::kNonlocal);
  if (At("import")) return Import();
  if (At("from")) return FromImport();
  if (Accept("del")) {
    Node* node = New(Kind::kDelete, at);
    Node* targets = TargetList();
    if (targets->kind == Kind::kTuple && !targets->parenthesized) {
      node->list = targets->list;
    } else {
      node->list = {targets};
    }
    for (Node* target : node->list) CheckTarget(target, false);
    return node;
  }
  if (Accept("assert")) {
    Node* node = New(Kind::kAssert, at);
    node->a = Expression();
    if (Accept(",")) node->b = Expression();
    return node;
  }
  return ExpressionStatement();
}

Node* Parser::ExpressionStatement() {
  const Position at = Peek().at;
  Node* first = At("yield") ? Yield() : Tuple(true);
  for (const Augmented& augmented : kAugmented) {
    if (!Accept(augmented.text)) continue;
    if (first->kind != Kind::kName && first->kind != Kind::kAttribute &&
        first->kind != Kind::kIndex)
      FailAt(at, "illegal target of an augmented assignment");
    Node* node = New(Kind::kAugmented, at);
    node->op = static_cast<int>(augmented.op);
    node->a = first;
    node->b = At("yield") ? Yield() : Tuple(true);
    return node;
  }
  if (Accept(":")) {
    if (first->kind != Kind::kName && first->kind != Kind::kAttribute &&
        first->kind != Kind::kIndex)
      FailAt(at, "only a single name, attribute or item can be annotated");
    Node* node = New(Kind::kAnnotated, at);
    node->a = first;
    Expression();
    if (Accept("=")) node->b = At("yield") ? Yield() : Tuple(true);
    return node;
  }
  if (!At("=")) {
    if (first->kind == Kind::kStarred) FailAt(at, "can't use starred expression here");
    Node* node = New(Kind::kExpression, at);
    node->a = first;
    return node;
  }
  Node* node = New(Kind::kAssign, at);
  Node* value = first;
  while (Accept("=")) {
    CheckTarget(value);
    node->list.push_back(value);
    value = At("yield") ? Yield() : Tuple(true);
  }
  if (value->kind == Kind::kStarred) FailAt(value->at, "can't use starred expression here");
  node->a = value;
  return node;
}

void Parser::CheckTarget(Node* target, bool allow_star) {
  switch (target->kind) {
    case Kind::kName:
    case Kind::kAttribute:
    case Kind::kIndex:
      return;
    case Kind::kTuple:
    case Kind::kList: {
      int stars = 0;
      for (Node* item : target->list) {
        const bool star = item->kind == Kind::kStarred;
        if (star && (!allow_star || ++stars > 1))
          return FailAt(item->at, "multiple starred expressions in assignment");
        CheckTarget(star ? item->a : item, allow_star);
      }
      return;
    }
    case Kind::kStarred:
      return FailAt(target->at, "starred assignment target must be in a list or tuple");
    case Kind::kCall:
      return FailAt(target->at, "cannot assign to function call");
    case Kind::kConstant:
      return FailAt(target->at, fmt::format("cannot assign to {}", target->text));
    case Kind::kNumber:
    case Kind::kString:
    case Kind::kBytes:
      return FailAt(target->at, "cannot assign to literal");
    default:
      return FailAt(target->at, "cannot assign to expression");
  }
}

Node* Parser::Raise() {
  Node* node = New(Kind::kRaise, Next().at);
  if (Peek().type == TokenType::kNewline || At(";")) return node;
  node->a = Expression();
  if (Accept("from")) node->b = Expression();
  return node;
}

Node* Parser::Names(Kind kind) {
  Node* node = New(kind, Next().at);
  do {
    node->names.push_back(ExpectName("a name"));
  } while (Accept(","));
  return node;
}

std::string Parser::DottedName() {
  std::string name = ExpectName("a module name");
  while (Accept(".")) name += "." + ExpectName("a module name");
  return name;
}

Node* Parser::Import() {
  const Position at = Next().at;
  std::vector<Node*> all;
  do {
    Node* node = New(Kind::kImport, at);
    node->text = DottedName();
    if (Accept("as")) {
      node->op = 1;
      node->names.push_back(ExpectName("a name"));
    } else {
      node->names.push_back(node->text.substr(0, node->text.find('.')));
    }
    all.push_back(node);
  } while (Accept(","));
  if (all.size() == 1) return all[0];
  Node* block = New(Kind::kIf, at);  // several imports of one line, as a block that always runs
  block->body = std::move(all);
  return block;
}

Node* Parser::FromImport() {
  Node* node = New(Kind::kFromImport, Next().at);
  for (;; Next()) {
    if (At("...")) {
      node->op += 3;
    } else if (At(".")) {
      ++node->op;
    } else {
      break;
    }
  }
  if (node->op == 0 || !At("import")) node->text = DottedName();
  Expect("import");
  if (At("*")) {
    Fail("'import *' is not supported: name what is imported");
    return node;
  }
  const bool parenthesized = Accept("(");
  do {
    if (parenthesized && At(")")) break;
    node->names.push_back(ExpectName("a name"));
    node->names2.push_back(Accept("as") ? ExpectName("a name") : node->names.back());
  } while (Accept(","));
  if (parenthesized) Expect(")");
  return node;
}

}  // namespace ferry::vm
