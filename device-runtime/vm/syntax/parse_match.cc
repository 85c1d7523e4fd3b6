// The match statement and its patterns. Source: the Python 3.11 language reference, 8.6.
#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {

// Reads a match statement where there is one: `match` is a name too, so the statement is told by
// its colon and the `case` in the block.
bool Parser::Match(std::vector<Node*>* out) {
  const Position at = Peek().at;
  Node* subject = nullptr;
  const bool found = Attempt([&] {
    Next();
    subject = Tuple(true);
    return At(":") && Peek(1).type == TokenType::kNewline && Peek(2).type == TokenType::kIndent &&
           Peek(3).type == TokenType::kName && Peek(3).text == "case";
  });
  if (!found) return false;
  if (subject->kind == Kind::kStarred) FailNode(subject, "can't use starred expression here");
  Node* node = New(Kind::kMatch, at);
  node->a = subject;
  Next();
  pos_ += 2;
  while (AtWord("case")) node->list.push_back(Case());
  if (Peek().type == TokenType::kDedent) {
    ++pos_;
  } else {
    Invalid();
  }
  out->push_back(Done(node));
  return true;
}

Node* Parser::Case() {
  Node* node = New(Kind::kCase, Next().at);
  node->a = Patterns();
  if (Accept("if")) node->b = Named();
  node->body = Block("'case' statement", node->at.line);
  return Done(node);
}

Node* Parser::Patterns() {
  const Position at = Peek().at;
  Node* first = At("*") ? StarPattern() : AsPattern();
  if (!At(",")) {
    if (first->kind == Kind::kMatchStar) Invalid();
    return first;
  }
  Node* node = New(Kind::kMatchSequence, at);
  node->list.push_back(first);
  while (Accept(",")) {
    if (At(":") || At("if")) break;
    node->list.push_back(At("*") ? StarPattern() : AsPattern());
  }
  return Done(node);
}

Node* Parser::StarPattern() {
  Node* node = New(Kind::kMatchStar, Next().at);
  const std::string name = ExpectName();
  if (name != "_") node->text = name;
  return Done(node);
}

Node* Parser::AsPattern() {
  const Position at = Peek().at;
  Node* pattern = OrPattern();
  if (!Accept("as")) return pattern;
  Node* node = New(Kind::kMatchAs, at);
  node->a = pattern;
  if (AtWord("_")) Fail("cannot use '_' as a target");
  if (Peek().type != TokenType::kName) Fail("invalid pattern target");
  node->text = ExpectName();
  if (At(".") || At("(")) FailSpan({Peek().at, Peek().end}, "invalid pattern target");
  return Done(node);
}

Node* Parser::OrPattern() {
  const Position at = Peek().at;
  Node* first = ClosedPattern();
  if (!At("|")) return first;
  Node* node = New(Kind::kMatchOr, at);
  node->list.push_back(first);
  while (Accept("|")) node->list.push_back(ClosedPattern());
  return Done(node);
}

Node* Parser::ClosedPattern() {
  Nested nested(this);
  const Position at = Peek().at;
  if (Peek().type == TokenType::kName) return NamePattern();
  if (At("None") || At("True") || At("False")) {
    Node* node = New(Kind::kMatchConstant, at);
    node->a = Atom();
    return Done(node);
  }
  if (At("[")) {
    Bracket bracket(this);
    Next();
    Node* node = SequencePattern("]");
    node->at = at;
    return Done(node);
  }
  if (At("(")) {
    Bracket bracket(this);
    Next();
    const bool empty = At(")");
    Node* node = SequencePattern(")");
    // One pattern in round brackets without a comma is only that pattern.
    if (!empty && node->list.size() == 1 && !node->parenthesized &&
        node->list[0]->kind != Kind::kMatchStar)
      return node->list[0];
    node->at = at;
    return Done(node);
  }
  if (At("{")) return MappingPattern();
  return LiteralPattern();
}

// The patterns up to `close`; parenthesized says that there was a comma.
Node* Parser::SequencePattern(std::string_view close) {
  Node* node = New(Kind::kMatchSequence, Peek().at);
  while (!At(close) && Peek().type != TokenType::kEnd) {
    node->list.push_back(At("*") ? StarPattern() : AsPattern());
    if (!Accept(",")) break;
    node->parenthesized = true;
  }
  Expect(close);
  return node;
}

Node* Parser::NamePattern() {
  const Position at = Peek().at;
  if (!AtAhead(1, ".") && !AtAhead(1, "(")) {
    Node* node = New(Kind::kMatchAs, at);
    const std::string name = ExpectName();
    if (name != "_") node->text = name;
    return Done(node);
  }
  Node* value = New(Kind::kName, at);
  value->text = ExpectName();
  Done(value);
  while (At(".")) {
    Node* node = New(Kind::kAttribute, at);
    Next();
    node->a = value;
    node->text = ExpectName();
    value = Done(node);
  }
  if (At("(")) return ClassPattern(value);
  Node* node = New(Kind::kMatchValue, at);
  node->a = value;
  return Done(node);
}

Node* Parser::ClassPattern(Node* cls) {
  Bracket bracket(this);
  Node* node = New(Kind::kMatchClass, cls->at);
  Next();
  node->a = cls;
  while (!At(")") && Peek().type != TokenType::kEnd) {
    const Span name{Peek().at, Peek().end};
    if (Peek().type == TokenType::kName && AtAhead(1, "=")) {
      std::string keyword = ExpectName();
      Next();
      if (std::find(node->names.begin(), node->names.end(), keyword) != node->names.end())
        FailSpan(name, fmt::format("attribute name repeated in class pattern: {}", keyword));
      node->names.push_back(std::move(keyword));
      node->list2.push_back(AsPattern());
    } else {
      node->list.push_back(AsPattern());
      if (!node->names.empty())
        FailNode(node->list.back(), "positional patterns follow keyword patterns");
    }
    if (!Accept(",")) break;
  }
  Expect(")");
  return Done(node);
}

Node* Parser::MappingPattern() {
  Bracket bracket(this);
  Node* node = New(Kind::kMatchMapping, Next().at);
  while (!At("}") && Peek().type != TokenType::kEnd) {
    if (Accept("**")) {
      node->text = ExpectName();
      if (node->text == "_") Invalid();
      Accept(",");
      break;
    }
    Node* key = Peek().type == TokenType::kName           ? NamePattern()
                : At("None") || At("True") || At("False") ? ClosedPattern()
                                                          : LiteralPattern();
    if (key->kind != Kind::kMatchValue && key->kind != Kind::kMatchConstant) Invalid();
    node->list.push_back(key->a);
    Expect(":");
    node->list2.push_back(AsPattern());
    if (!Accept(",")) break;
  }
  Expect("}");
  return Done(node);
}

// A number with its sign, a complex number written as a sum, or strings.
Node* Parser::LiteralPattern() {
  Node* node = New(Kind::kMatchValue, Peek().at);
  const TokenType type = Peek().type;
  if (type == TokenType::kString || type == TokenType::kBytes || type == TokenType::kFString) {
    node->a = Strings();
    if (node->a->kind == Kind::kFString)
      FailNode(node->a, "patterns may only match literals and attribute lookups");
    return Done(node);
  }
  if (type != TokenType::kNumber && !(At("-") && Peek(1).type == TokenType::kNumber)) Invalid();
  node->a = Binary(4);
  if (node->a->kind == Kind::kBinary && node->a->b->kind == Kind::kNumber &&
      (node->a->b->text.back() | 0x20) != 'j')
    FailNode(node->a->b, "imaginary number required in complex literal");
  return Done(node);
}

}  // namespace ferry::vm
