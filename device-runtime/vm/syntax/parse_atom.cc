#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {

Node* Parser::Postfix(Node* value, Position at) {
  for (int length = 0;; ++length) {
    if (length > kMaxNesting * 4) Fail("expression is too long");
    if (At("(")) {
      value = Call(value, at);
    } else if (At("[")) {
      value = Index(value, at);
    } else if (At(".")) {
      Node* node = New(Kind::kAttribute, at);
      Next();
      node->a = value;
      node->text = ExpectName();
      value = Done(node);
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
      node->text = Mangled(Next().text);
      return Done(node);
    }
    case TokenType::kNumber: {
      Node* node = New(Kind::kNumber, token.at);
      node->text = Next().text;
      std::erase(node->text, '_');
      return Done(node);
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
    return Done(node);
  }
  if (token.type == TokenType::kIndent) {
    Fail("unexpected indent");
  } else {
    Invalid();
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
  if (bytes && text) FailAt(Peek().at, "cannot mix bytes and nonbytes literals");
  Node* node = New(format ? Kind::kFString : bytes ? Kind::kBytes : Kind::kString, at);
  if (format) {
    node->list = std::move(parts);
  } else {
    for (Node* part : parts) node->text += part->text;
  }
  return Done(node);
}

Node* Parser::Parenthesized() {
  Bracket bracket(this);
  const Position at = Next().at;
  Node* node;
  if (At(")")) {
    node = New(Kind::kTuple, at);
  } else if (At("yield")) {
    node = Yield();
  } else {
    node = Tuple(true);
    if (At("for") || At("async")) {
      if (node->kind == Kind::kTuple && !node->parenthesized)
        FailSpan({node->list[0]->at, node->end},
                 "did you forget parentheses around the comprehension target?");
      return Comprehension(node, nullptr, Kind::kYield, at);
    }
    if (node->kind == Kind::kStarred) FailNode(node, "cannot use starred expression here");
  }
  if (At("=") && attempts_ == 0) AssignmentTarget(node);
  Expect(")");
  if (node->kind == Kind::kTuple && !node->parenthesized) {
    node->at = at;
    Done(node);
  }
  node->parenthesized = true;
  return node;
}

Node* Parser::Brackets() {
  Bracket bracket(this);
  const Position at = Next().at;
  Node* node = New(Kind::kList, at);
  if (!Accept("]")) {
    Node* first = StarOrNamed();
    if (At("for") || At("async")) return Comprehension(first, nullptr, Kind::kList, at);
    node->list.push_back(first);
    while (Accept(",")) {
      if (At("]")) break;
      node->list.push_back(StarOrNamed());
    }
    if ((At("for") || At("async")) && node->list.size() > 1)
      FailSpan({node->list[0]->at, node->list.back()->end},
               "did you forget parentheses around the comprehension target?");
    Expect("]");
  }
  return Done(node);
}

// One element of a dict or set display; false after one that ends it.
bool Parser::BraceItem(Node* node, bool first, bool* dict) {
  Node *key = nullptr, *value = nullptr;
  const Position at = Peek().at;
  if (Accept("**")) {
    value = Binary(0);
    if (first && (At("for") || At("async")))
      FailAt(at, "dict unpacking cannot be used in dict comprehension");
  } else {
    key = StarOrNamed();
    if (key->kind != Kind::kStarred && (first ? At(":") : *dict)) {
      if (!At(":") && error_.ok())
        FailAt(last_end_.column > 1 ? Position{last_end_.line, last_end_.column - 1} : last_end_,
               "':' expected after dictionary key");
      const Position colon = Peek().at;
      Expect(":");
      if (At("}") || At(",")) FailAt(colon, "expression expected after dictionary key and ':'");
      if (At("*")) Fail("cannot use a starred expression in a dictionary value");
      value = Expression();
    }
  }
  if (first) *dict = value != nullptr;
  if (*dict != (value != nullptr)) Invalid();
  node->list.push_back(key);
  node->list2.push_back(value);
  return true;
}

Node* Parser::Braces() {
  Bracket bracket(this);
  const Position at = Next().at;
  Node* node = New(Kind::kDict, at);
  bool dict = true;
  for (bool first = true; !At("}") && Peek().type != TokenType::kEnd; first = false) {
    BraceItem(node, first, &dict);
    if (first && (At("for") || At("async"))) {
      Node* key = node->list[0];
      return Comprehension(key == nullptr ? node->list2[0] : key, node->list2[0],
                           dict ? Kind::kDict : Kind::kSet, at);
    }
    if (!Accept(",")) break;
  }
  Expect("}");
  if (!dict) {
    node->kind = Kind::kSet;
    node->list2.clear();
  }
  return Done(node);
}

Node* Parser::Comprehension(Node* element, Node* value, Kind kind, Position at, bool argument) {
  Node* node = New(Kind::kComprehension, at);
  if (element->kind == Kind::kStarred)
    FailNode(element, "iterable unpacking cannot be used in comprehension");
  node->op = static_cast<int>(kind);
  node->a = element;
  node->b = value;
  while (At("for") || At("async")) {
    Clause clause;
    clause.async = Accept("async");
    Expect("for");
    clause.target = TargetList();
    CheckTarget(clause.target);
    Expect("in");
    clause.iterable = Or();
    while (Accept("if")) clause.conditions.push_back(AtAhead(1, ":=") ? Named() : Or());
    node->clauses.push_back(std::move(clause));
  }
  if (argument && At(","))
    FailSpan({element->at, last_end_}, "Generator expression must be parenthesized");
  Expect(kind == Kind::kList ? "]" : kind == Kind::kYield ? ")" : "}");
  return Done(node);
}

void Parser::Argument(Node* call, Position open) {
  const Position at = Peek().at;
  if (Accept("**")) {
    call->names.emplace_back();
    call->list2.push_back(Expression());
    return;
  }
  if (Peek().type == TokenType::kName && AtAhead(1, "=")) {
    std::string name = Mangled(Next().text);
    Next();
    if (At(")") || At(",")) FailSpan({at, last_end_}, "expected argument value expression");
    call->list2.push_back(Expression());
    if (std::find(call->names.begin(), call->names.end(), name) != call->names.end())
      FailSpan({at, last_end_}, fmt::format("keyword argument repeated: {}", name));
    call->names.push_back(std::move(name));
    if (At("for"))
      FailSpan({at, last_end_}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    return;
  }
  Node* value = StarOrNamed();
  if (At("=")) {
    if (At("=") && value->kind == Kind::kConstant && value->text != "...")
      FailSpan({value->at, Peek().end}, fmt::format("cannot assign to {}", value->text));
    FailSpan({value->at, Peek().end},
             "expression cannot contain assignment, perhaps you meant \"==\"?");
  }
  if (At("for") || At("async")) {
    const bool alone = call->list.empty() && call->names.empty();
    Node* generator = Comprehension(value, nullptr, Kind::kYield, open, true);
    if (!alone) FailNode(value, "Generator expression must be parenthesized");
    call->list.push_back(generator);
    call->parenthesized = true;  // for now: the bracket has been read
    return;
  }
  if (value->kind != Kind::kStarred && !call->names.empty()) {
    const bool unpacked =
        std::find(call->names.begin(), call->names.end(), "") != call->names.end();
    FailSpan({Peek().at, Peek().end}, unpacked
                                          ? "positional argument follows keyword argument unpacking"
                                          : "positional argument follows keyword argument");
  }
  if (value->kind == Kind::kStarred && !call->names.empty() &&
      std::find(call->names.begin(), call->names.end(), "") != call->names.end())
    FailNode(value, "iterable argument unpacking follows keyword argument unpacking");
  call->list.push_back(value);
}

Node* Parser::Call(Node* callee, Position at) {
  Bracket bracket(this);
  Node* node = New(Kind::kCall, at);
  node->a = callee;
  const Position open = Next().at;
  while (!At(")") && Peek().type != TokenType::kEnd) {
    Argument(node, open);
    if (node->parenthesized) {  // a generator expression without brackets of its own
      node->parenthesized = false;
      return Done(node);
    }
    if (!Accept(",")) break;
  }
  Expect(")");
  return Done(node);
}

Node* Parser::SliceOrExpression() {
  const Position at = Peek().at;
  const auto bound = [&]() -> Node* {
    return At(":") || At("]") || At(",") ? nullptr : Expression();
  };
  Node* first = At(":") ? nullptr : StarOrNamed();
  if (!At(":")) return first;
  Node* slice = New(Kind::kSlice, at);
  Next();
  slice->a = first;
  slice->b = bound();
  if (Accept(":")) slice->c = bound();
  return Done(slice);
}

Node* Parser::Index(Node* value, Position at) {
  Bracket bracket(this);
  Node* node = New(Kind::kIndex, at);
  Next();
  node->a = value;
  const Position start = Peek().at;
  Node* first = SliceOrExpression();
  if (At(",") || first->kind == Kind::kStarred) {
    Node* tuple = New(Kind::kTuple, start);
    tuple->list.push_back(first);
    while (Accept(",")) {
      if (At("]")) break;
      tuple->list.push_back(SliceOrExpression());
    }
    first = Done(tuple);
  }
  node->b = first;
  Expect("]");
  return Done(node);
}

}  // namespace ferry::vm
