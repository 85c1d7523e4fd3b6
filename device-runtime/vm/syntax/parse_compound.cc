#include <fmt/format.h>

#include <algorithm>

#include "device-runtime/vm/syntax/parser.h"

namespace ferry::vm {

std::vector<Node*> Parser::Block() {
  std::vector<Node*> body;
  Expect(":");
  if (Peek().type != TokenType::kNewline) {
    SimpleStatement(&body);
    return body;
  }
  Next();
  if (Peek().type != TokenType::kIndent) {
    Fail("expected an indented block");
    return body;
  }
  Next();
  while (Peek().type != TokenType::kDedent && Peek().type != TokenType::kEnd) Statement(&body);
  if (Peek().type == TokenType::kDedent) Next();
  return body;
}

Node* Parser::If() {
  Nested nested(this);
  Node* node = New(Kind::kIf, Next().at);
  node->a = Named();
  node->body = Block();
  if (At("elif")) {
    // A chain of elif is a loop here, so that its length is not limited by the depth.
    Node* last = node;
    while (At("elif")) {
      Node* next = New(Kind::kIf, Next().at);
      next->a = Named();
      next->body = Block();
      last->orelse = {next};
      last = next;
    }
    if (Accept("else")) last->orelse = Block();
  } else if (Accept("else")) {
    node->orelse = Block();
  }
  return node;
}

Node* Parser::While() {
  Node* node = New(Kind::kWhile, Next().at);
  node->a = Named();
  node->body = Block();
  if (Accept("else")) node->orelse = Block();
  return node;
}

Node* Parser::For() {
  Node* node = New(Kind::kFor, Next().at);
  node->a = TargetList();
  CheckTarget(node->a);
  Expect("in");
  node->b = Tuple(true);
  node->body = Block();
  if (Accept("else")) node->orelse = Block();
  return node;
}

Node* Parser::Handler() {
  Node* node = New(Kind::kHandler, Next().at);
  if (At("*")) Fail("'except*' is not supported");
  if (!At(":")) {
    node->a = Expression();
    if (Accept("as")) {
      node->text = ExpectName("a name");
    } else if (At(",")) {
      Fail("multiple exception types must be parenthesized");
    }
  }
  node->body = Block();
  return node;
}

Node* Parser::Try() {
  Node* node = New(Kind::kTry, Next().at);
  node->body = Block();
  while (At("except")) {
    if (!node->list.empty() && node->list.back()->a == nullptr)
      Fail("default 'except:' must be last");
    node->list.push_back(Handler());
  }
  if (At("else") && !node->list.empty()) {
    Next();
    node->orelse = Block();
  }
  const bool has_finally = Accept("finally");
  if (has_finally) node->finally = Block();
  if (node->list.empty() && !has_finally) Fail("expected 'except' or 'finally' block");
  return node;
}

Node* Parser::With() {
  Node* node = New(Kind::kWith, Next().at);
  // "with (a as b, c as d):" is told from "with (a, b):" by looking for `as` inside the brackets.
  bool parenthesized = false;
  if (At("(")) {
    int depth = 0;
    for (size_t i = 0;; ++i) {
      const Token& token = Peek(i);
      if (token.type == TokenType::kEnd || token.type == TokenType::kNewline) break;
      if (token.type == TokenType::kOperator) {
        if (token.text == "(" || token.text == "[" || token.text == "{") ++depth;
        if (token.text == ")" || token.text == "]" || token.text == "}") --depth;
      }
      if (depth == 1 && token.type == TokenType::kKeyword && token.text == "as")
        parenthesized = true;
      if (depth == 0) break;
    }
  }
  if (parenthesized) Next();
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
  if (parenthesized) Expect(")");
  node->body = Block();
  return node;
}

void Parser::Parameters(FunctionNode* function, std::string_view end, bool annotations) {
  bool keyword_only = false, defaults = false;
  std::vector<std::string> seen;
  const auto name = [&] {
    const Position at = Peek().at;
    std::string text = ExpectName("a parameter name");
    if (std::find(seen.begin(), seen.end(), text) != seen.end())
      FailAt(at, fmt::format("duplicate argument '{}' in function definition", text));
    seen.push_back(text);
    if (annotations && Accept(":")) Expression();
    return text;
  };
  while (!At(end) && Peek().type != TokenType::kEnd) {
    if (!function->keyword_rest.empty()) Fail("arguments cannot follow var-keyword argument");
    const Position at = Peek().at;
    if (Accept("**")) {
      function->keyword_rest = name();
    } else if (Accept("*")) {
      if (keyword_only) FailAt(at, "* argument may appear only once");
      keyword_only = true;
      if (!At(",")) {
        function->rest = name();
      } else if (Peek(1).type == TokenType::kOperator && Peek(1).text == end) {
        Fail("named arguments must follow bare *");
      }
    } else if (Accept("/")) {
      if (keyword_only || function->positional_only > 0 || function->positional.empty())
        FailAt(at, "misplaced '/' in parameters");
      function->positional_only = static_cast<int>(function->positional.size());
    } else {
      Parameter parameter{name(), nullptr, at};
      if (Accept("=")) {
        parameter.fallback = Expression();
        if (!keyword_only) defaults = true;
      } else if (defaults && !keyword_only) {
        FailAt(at, "non-default argument follows default argument");
      }
      (keyword_only ? function->keyword_only : function->positional).push_back(parameter);
    }
    if (!Accept(",")) break;
  }
}

Node* Parser::Def(std::vector<Node*> decorators) {
  Node* node = New(Kind::kFunction, Next().at);
  arena_->functions.emplace_back();
  node->function = &arena_->functions.back();
  node->function->name = ExpectName("a function name");
  node->text = node->function->name;
  Expect("(");
  Parameters(node->function, ")", true);
  Expect(")");
  if (Accept("->")) Expression();
  node->function->body = Block();
  node->decorators = std::move(decorators);
  return node;
}

Node* Parser::Class(std::vector<Node*> decorators) {
  Node* node = New(Kind::kClass, Next().at);
  node->text = ExpectName("a class name");
  if (Accept("(")) {
    while (!At(")") && Peek().type != TokenType::kEnd) {
      if (Peek().type == TokenType::kName && Peek(1).text == "=")
        Fail("class keywords such as metaclass are not supported");
      node->list.push_back(Expression());
      if (!Accept(",")) break;
    }
    Expect(")");
  }
  node->body = Block();
  node->decorators = std::move(decorators);
  return node;
}

Node* Parser::Decorated() {
  std::vector<Node*> decorators;
  while (Accept("@")) {
    decorators.push_back(Named());
    if (Peek().type == TokenType::kNewline) Next();
  }
  if (At("def")) return Def(std::move(decorators));
  if (At("class")) return Class(std::move(decorators));
  Fail("expected a function or class after the decorator");
  return New(Kind::kPass, Peek().at);
}

}  // namespace ferry::vm
