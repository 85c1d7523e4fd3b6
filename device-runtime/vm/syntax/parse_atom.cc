#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {

Node* Parser::Postfix(Node* value) {
  for (int length = 0;; ++length) {
    if (length > kMaxNesting * 4) Fail("expression is too long");
    if (At("(")) {
      value = Call(value);
    } else if (At("[")) {
      value = Index(value);
    } else if (At(".")) {
      Node* node = New(Kind::kAttribute, Next().at);
      node->a = value;
      node->text = ExpectName("an attribute name");
      value = node;
    } else {
      return value;
    }
  }
}

Node* Parser::Atom() {
  const Token& token = Peek();
  switch (token.type) {
    case TokenType::kName: {
      Node* node = New(Kind::kName, token.at);
      node->text = Next().text;
      return node;
    }
    case TokenType::kNumber: {
      Node* node = New(Kind::kNumber, token.at);
      node->text = Next().text;
      std::erase(node->text, '_');
      return node;
    }
    case TokenType::kString:
    case TokenType::kBytes:
    case TokenType::kFString:
      return Strings();
    default:
      break;
  }
  if (At("(")) return Parenthesized();
  if (At("[")) return Brackets();
  if (At("{")) return Braces();
  if (At("None") || At("True") || At("False") || At("...")) {
    Node* node = New(Kind::kConstant, token.at);
    node->text = Next().text;
    return node;
  }
  if (token.type == TokenType::kKeyword) {
    Fail(fmt::format("unexpected keyword '{}'", token.text));
  } else {
    Fail(fmt::format("expected an expression, found {}", Shown()));
  }
  return New(Kind::kPass, Peek().at);
}

Node* Parser::Strings() {
  const Position at = Peek().at;
  std::vector<Node*> parts;
  bool format = false, bytes = false, text = false;
  for (;;) {
    const TokenType type = Peek().type;
    if (type != TokenType::kString && type != TokenType::kBytes && type != TokenType::kFString)
      break;
    (type == TokenType::kBytes ? bytes : text) = true;
    if (bytes && text) Fail("cannot mix bytes and nonbytes literals");
    Token token = Next();
    if (token.type == TokenType::kFString) {
      format = true;
      FString(token, &parts);
      continue;
    }
    Node* node = New(Kind::kString, token.at);
    node->text = std::move(token.value);
    parts.push_back(node);
  }
  Node* node = New(format ? Kind::kFString : bytes ? Kind::kBytes : Kind::kString, at);
  if (format) {
    node->list = std::move(parts);
  } else {
    for (Node* part : parts) node->text += part->text;
  }
  return node;
}

Node* Parser::Parenthesized() {
  Nested nested(this);
  const Position at = Next().at;
  Node* node;
  if (At(")")) {
    node = New(Kind::kTuple, at);
  } else if (At("yield")) {
    node = Yield();
  } else {
    node = Tuple(true);
    if (At("for")) return Comprehension(node, nullptr, Kind::kYield, at);
    if (node->kind == Kind::kStarred) FailAt(node->at, "cannot use starred expression here");
  }
  node->parenthesized = true;
  Expect(")");
  return node;
}

Node* Parser::Brackets() {
  Nested nested(this);
  const Position at = Next().at;
  Node* node = New(Kind::kList, at);
  if (Accept("]")) return node;
  Node* first = StarOrNamed();
  if (At("for")) return Comprehension(first, nullptr, Kind::kList, at);
  node->list.push_back(first);
  while (Accept(",")) {
    if (At("]")) break;
    node->list.push_back(StarOrNamed());
  }
  Expect("]");
  return node;
}

Node* Parser::Braces() {
  Nested nested(this);
  const Position at = Next().at;
  Node* node = New(Kind::kDict, at);
  if (Accept("}")) return node;
  bool dict = false;
  for (bool first = true; !At("}") && Peek().type != TokenType::kEnd; first = false) {
    Node *key = nullptr, *value = nullptr;
    if (Accept("**")) {
      value = Binary(0);
    } else {
      key = StarOrNamed();
      if (key->kind != Kind::kStarred && (first || dict) && (first ? At(":") : true)) {
        Expect(":");
        value = Expression();
      }
    }
    if (first) dict = value != nullptr;
    if (At("for") && first)
      return Comprehension(key == nullptr ? value : key, value, dict ? Kind::kDict : Kind::kSet,
                           at);
    if (dict != (value != nullptr)) Fail("cannot mix the items of a dict and of a set");
    node->list.push_back(key);
    node->list2.push_back(value);
    if (!Accept(",")) break;
  }
  Expect("}");
  if (!dict) {
    node->kind = Kind::kSet;
    node->list2.clear();
  }
  return node;
}

Node* Parser::Comprehension(Node* element, Node* value, Kind kind, Position at) {
  Node* node = New(Kind::kComprehension, at);
  if (element->kind == Kind::kStarred)
    FailAt(element->at, "iterable unpacking cannot be used in comprehension");
  node->op = static_cast<int>(kind);
  node->a = element;
  node->b = value;
  while (Accept("for")) {
    Clause clause;
    clause.target = TargetList();
    CheckTarget(clause.target);
    Expect("in");
    clause.iterable = Or();
    while (Accept("if")) {
      clause.conditions.push_back(Peek().type == TokenType::kName && Peek(1).text == ":=" ? Named()
                                                                                          : Or());
    }
    node->clauses.push_back(std::move(clause));
  }
  if (At("async")) Fail("async functions are not supported");
  Expect(kind == Kind::kList ? "]" : kind == Kind::kYield ? ")" : "}");
  return node;
}

Node* Parser::Call(Node* callee) {
  Nested nested(this);
  Node* node = New(Kind::kCall, callee->at);
  node->a = callee;
  const Position open = Next().at;
  while (!At(")") && Peek().type != TokenType::kEnd) {
    const Position at = Peek().at;
    if (Accept("**")) {
      node->names.emplace_back();
      node->list2.push_back(Expression());
    } else if (Peek().type == TokenType::kName && Peek(1).type == TokenType::kOperator &&
               Peek(1).text == "=") {
      std::string name(Next().text);
      Next();
      if (std::find(node->names.begin(), node->names.end(), name) != node->names.end())
        FailAt(at, fmt::format("keyword argument repeated: {}", name));
      node->names.push_back(std::move(name));
      node->list2.push_back(Expression());
    } else {
      Node* value = StarOrNamed();
      if (At("for")) {
        if (!node->list.empty() || !node->names.empty())
          Fail("generator expression must be parenthesized");
        node->list.push_back(Comprehension(value, nullptr, Kind::kYield, open));
        return node;
      }
      if (value->kind != Kind::kStarred && !node->names.empty())
        FailAt(at, "positional argument follows keyword argument");
      node->list.push_back(value);
    }
    if (!Accept(",")) break;
  }
  Expect(")");
  return node;
}

Node* Parser::SliceOrExpression() {
  const Position at = Peek().at;
  const auto bound = [&]() -> Node* {
    return At(":") || At("]") || At(",") ? nullptr : Expression();
  };
  Node* first = At(":") ? nullptr : StarOrNamed();
  if (!At(":")) return first;
  Next();
  Node* slice = New(Kind::kSlice, at);
  slice->a = first;
  slice->b = bound();
  if (Accept(":")) slice->c = bound();
  return slice;
}

Node* Parser::Index(Node* value) {
  Nested nested(this);
  Node* node = New(Kind::kIndex, Next().at);
  node->a = value;
  const Position at = Peek().at;
  Node* first = SliceOrExpression();
  if (At(",")) {
    Node* tuple = New(Kind::kTuple, at);
    tuple->list.push_back(first);
    while (Accept(",")) {
      if (At("]")) break;
      tuple->list.push_back(SliceOrExpression());
    }
    first = tuple;
  }
  node->b = first;
  Expect("]");
  return node;
}

}  // namespace ferry::vm
