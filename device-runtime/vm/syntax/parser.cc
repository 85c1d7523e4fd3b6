#include "device-runtime/vm/syntax/parser.h"

#include <fmt/format.h>

namespace ferry::vm {

const Token& Parser::Peek(size_t ahead) const {
  if (!error_.ok() || pos_ + ahead >= tokens_.size()) return end_;
  return tokens_[pos_ + ahead];
}

Token Parser::Next() {
  Token token = Peek();
  if (pos_ < tokens_.size()) ++pos_;
  return token;
}

bool Parser::At(std::string_view text) const {
  const Token& token = Peek();
  return (token.type == TokenType::kOperator || token.type == TokenType::kKeyword) &&
         token.text == text;
}

bool Parser::Accept(std::string_view text) {
  if (!At(text)) return false;
  ++pos_;
  return true;
}

std::string Parser::Shown() const {
  switch (Peek().type) {
    case TokenType::kNewline:
      return "the end of the line";
    case TokenType::kEnd:
      return "the end of the file";
    case TokenType::kIndent:
      return "an indented block";
    case TokenType::kDedent:
      return "the end of the block";
    default:
      return fmt::format("'{}'", Peek().text.substr(0, 40));
  }
}

void Parser::Expect(std::string_view text) {
  if (!Accept(text)) Fail(fmt::format("expected '{}', found {}", text, Shown()));
}

std::string Parser::ExpectName(std::string_view what) {
  if (Peek().type != TokenType::kName) {
    Fail(fmt::format("expected {}, found {}", what, Shown()));
    return "";
  }
  return std::string(Next().text);
}

void Parser::FailAt(Position at, std::string_view message) {
  if (error_.ok()) error_ = source_.Error(at, message);
}

Node* Parser::New(Kind kind, Position at) {
  arena_->nodes.push_back({.kind = kind, .at = at});
  return &arena_->nodes.back();
}

std::vector<Node*> Parser::Module() {
  std::vector<Node*> body;
  while (Peek().type != TokenType::kEnd) Statement(&body);
  return body;
}

Node* Parser::OnlyExpression() {
  Node* node = At("yield") ? Yield() : Tuple(true);
  if (Peek().type != TokenType::kEnd) Fail(fmt::format("unexpected {} in f-string", Shown()));
  return node;
}

Result<std::vector<Node*>> Parse(const SourceText& source, Arena* arena) {
  FERRY_ASSIGN_OR_RETURN(std::vector<Token> tokens, Scan(source));
  Parser parser(source, std::move(tokens), arena, 0);
  std::vector<Node*> body = parser.Module();
  FERRY_TRY(parser.error());
  return body;
}

}  // namespace ferry::vm
