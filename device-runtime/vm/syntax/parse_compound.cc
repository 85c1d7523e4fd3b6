#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/vm/syntax/parser.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {

// The block of `what`, which began on `line`.
std::vector<Node*> Parser::Block(std::string_view what, int line) {
  std::vector<Node*> body;
  if (!At(":")) {
    if (Peek().type == TokenType::kNewline || what[0] != '\'') {
      Fail("expected ':'");
    } else {
      Invalid();
    }
    return body;
  }
  Next();
  if (Peek().type != TokenType::kNewline) {
    SimpleStatement(&body);
    return body;
  }
  ++pos_;
  if (Peek().type != TokenType::kIndent) {
    Fail(fmt::format("expected an indented block after {} on line {}", what, line));
    return body;
  }
  ++pos_;
  while (Peek().type != TokenType::kDedent && Peek().type != TokenType::kEnd) Statement(&body);
  if (Peek().type == TokenType::kDedent) ++pos_;
  return body;
}

// The condition of if and while, where "=" is a slip.
Node* Parser::Test() {
  Node* value = Named();
  if (!At("=") || attempts_ > 0) return value;
  if (value->kind != Kind::kName) {
    AssignmentTarget(value);
    Invalid();
    return value;
  }
  Next();
  Attempt([&] { return Binary(0) != nullptr; });
  FailSpan({value->at, last_end_}, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  return value;
}

Node* Parser::If() {
  Nested nested(this);
  Node* node = New(Kind::kIf, Next().at);
  node->a = Test();
  node->body = Block("'if' statement", node->at.line);
  // A chain of elif is a loop here, so that its length is not limited by the depth.
  Node* last = node;
  while (At("elif")) {
    Node* next = New(Kind::kIf, Next().at);
    next->a = Test();
    next->body = Block("'elif' statement", next->at.line);
    last->orelse = {Done(next)};
    last = next;
  }
  const int line = Peek().at.line;
  if (Accept("else")) last->orelse = Block("'else' statement", line);
  return node;
}

Node* Parser::While() {
  Node* node = New(Kind::kWhile, Next().at);
  node->a = Test();
  node->body = Block("'while' statement", node->at.line);
  const int line = Peek().at.line;
  if (Accept("else")) node->orelse = Block("'else' statement", line);
  return node;
}

Node* Parser::For(bool async) {
  Node* node = New(Kind::kFor, Next().at);
  node->op = async;
  node->a = TargetList();
  if (!At("in") && error_.ok() && node->a->kind != Kind::kPass) {
    CheckTarget(node->a);
    Invalid();
  }
  CheckTarget(node->a);
  Expect("in");
  node->b = Tuple(true);
  node->body = Block("'for' statement", node->at.line);
  const int line = Peek().at.line;
  if (Accept("else")) node->orelse = Block("'else' statement", line);
  return node;
}

Node* Parser::Handler(Node* statement) {
  Node* node = New(Kind::kHandler, Next().at);
  const bool first = statement->list.empty();
  const bool group = Accept("*");
  if (first) statement->op = group;
  if (group != (statement->op == 1))
    FailSpan({node->at, last_end_}, "cannot have both 'except' and 'except*' on the same 'try'");
  if (group && At(":")) Fail("expected one or more exception types");
  if (Peek().type == TokenType::kNewline) Fail("expected ':'");
  if (!At(":")) {
    node->a = Expression();
    if (Accept("as")) {
      node->text = ExpectName();
    } else if (At(",")) {
      Attempt([&] { return Tuple(false) != nullptr; });
      FailSpan({node->a->at, last_end_}, "multiple exception types must be parenthesized");
    }
  }
  node->body = Block(group ? "'except*' statement" : "'except' statement", node->at.line);
  return Done(node);
}

Node* Parser::Try() {
  Node* node = New(Kind::kTry, Next().at);
  node->body = Block("'try' statement", node->at.line);
  while (At("except")) {
    if (!node->list.empty() && node->list.back()->a == nullptr)
      FailSpan({node->list.back()->at, node->list.back()->at}, "default 'except:' must be last");
    node->list.push_back(Handler(node));
  }
  int line = Peek().at.line;
  if (!node->list.empty() && Accept("else")) node->orelse = Block("'else' statement", line);
  line = Peek().at.line;
  const bool has_finally = Accept("finally");
  if (has_finally) node->finally = Block("'finally' statement", line);
  if (node->list.empty() && !has_finally) FailAt(last_end_, "expected 'except' or 'finally' block");
  return node;
}

void Parser::WithItems(Node* node, bool parenthesized) {
  do {
    if (parenthesized && At(")")) break;
    node->list.push_back(Expression());
    Node* target = nullptr;
    if (Accept("as")) {
      target = StarOrNamed();
      CheckTarget(target);
    }
    node->list2.push_back(target);
  } while (Accept(","));
}

Node* Parser::With(bool async) {
  Node* node = New(Kind::kWith, Next().at);
  node->op = async;
  // "with (a as b, c):" when that reads to the colon; else the brackets belong to an expression.
  const bool parenthesized = At("(") && Attempt([&] {
                               Bracket bracket(this);
                               Next();
                               WithItems(node, true);
                               return !node->list.empty() && Accept(")") && At(":");
                             });
  if (!parenthesized) {
    node->list.clear();
    node->list2.clear();
    WithItems(node, false);
  }
  node->body = Block("'with' statement", node->at.line);
  return node;
}

void Parser::OneParameter(FunctionNode* function, bool annotations, bool keyword_only,
                          bool* defaults) {
  Parameter parameter;
  parameter.at = Peek().at;
  parameter.name = ExpectName();
  const Position end = last_end_;
  if (annotations && Accept(":")) parameter.annotation = Expression();
  if (Accept("=")) {
    if (At(",") || At(")")) Fail("expected default value expression");
    parameter.fallback = Expression();
    if (!keyword_only) *defaults = true;
  } else if (*defaults && !keyword_only) {
    FailSpan({parameter.at, end}, "non-default argument follows default argument");
  }
  (keyword_only ? function->keyword_only : function->positional).push_back(parameter);
}

void Parser::Parameters(FunctionNode* function, std::string_view end, bool annotations) {
  bool keyword_only = false, defaults = false, bare = false;
  while (!At(end) && Peek().type != TokenType::kEnd) {
    const Position at = Peek().at;
    if (!function->keyword_rest.empty()) Fail("arguments cannot follow var-keyword argument");
    if (Accept("**")) {
      function->keyword_rest = ExpectName();
      if (annotations && Accept(":")) function->keyword_rest_annotation = Expression();
      if (At("=")) Fail("var-keyword argument cannot have default value");
    } else if (Accept("*")) {
      if (keyword_only) FailSpan({at, last_end_}, "* argument may appear only once");
      keyword_only = true;
      if (At(",") || At(end)) {
        bare = true;
        if (At(end) || AtAhead(1, end) || AtAhead(1, "**"))
          FailSpan({at, last_end_}, "named arguments must follow bare *");
      } else {
        function->rest = ExpectName();
        if (annotations && Accept(":"))
          function->rest_annotation = At("*") ? StarOrNamed() : Expression();
        if (At("=")) Fail("var-positional argument cannot have default value");
      }
    } else if (Accept("/")) {
      if (keyword_only) FailSpan({at, last_end_}, "/ must be ahead of *");
      if (function->positional_only > 0) FailSpan({at, last_end_}, "/ may appear only once");
      if (function->positional.empty())
        FailSpan({at, last_end_}, "at least one argument must precede /");
      function->positional_only = static_cast<int>(function->positional.size());
    } else {
      OneParameter(function, annotations, keyword_only, &defaults);
    }
    if (!Accept(",")) break;
  }
  (void)bare;
}

Node* Parser::Def(std::vector<Node*> decorators, bool async) {
  Node* node = New(Kind::kFunction, Next().at);
  (void)source_.Take(sizeof(FunctionNode));  // the next node sees that it failed
  arena_->functions.emplace_back();
  FunctionNode* function = node->function = &arena_->functions.back();
  function->name = Composed(Peek().text);
  function->async = async;
  node->text = ExpectName();
  if (!At("(")) Fail("expected '('");
  {
    Bracket bracket(this);
    Next();
    Parameters(function, ")", true);
    Expect(")");
  }
  if (Accept("->")) function->returns = Expression();
  function->body = Block("function definition", node->at.line);
  node->decorators = std::move(decorators);
  return node;
}

Node* Parser::Class(std::vector<Node*> decorators) {
  Node* node = New(Kind::kClass, Next().at);
  const std::string outer = class_name_;
  const std::string own = Composed(Peek().text);
  node->text = ExpectName();
  if (At("(")) {
    Bracket bracket(this);
    const Position open = Next().at;
    while (!At(")") && Peek().type != TokenType::kEnd) {
      Argument(node, open);
      if (node->parenthesized || !Accept(",")) break;
    }
    if (node->parenthesized) {
      Invalid();  // a bare generator expression is no base
    } else {
      Expect(")");
    }
  }
  class_name_ = own;
  if (!At(":") && Peek().type != TokenType::kNewline) Invalid();
  node->body = Block("class definition", node->at.line);
  class_name_ = outer;
  node->decorators = std::move(decorators);
  return node;
}

Node* Parser::Decorated() {
  std::vector<Node*> decorators;
  while (Accept("@")) {
    decorators.push_back(Named());
    if (Peek().type != TokenType::kNewline) Invalid();
    ++pos_;
  }
  if (At("async") && AtAhead(1, "def")) {
    Next();
    return Def(std::move(decorators), true);
  }
  if (At("def")) return Def(std::move(decorators), false);
  if (At("class")) return Class(std::move(decorators));
  Invalid();
  return New(Kind::kPass, Peek().at);
}

}  // namespace ferry::vm
