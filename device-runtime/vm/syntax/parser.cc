#include "device-runtime/vm/syntax/parser.h"
#include "device-runtime/vm/text/unicode.h"

#include <fmt/format.h>

namespace ferry::vm {

const Token& Parser::Peek(size_t ahead) const {
  if (!error_.ok() || pos_ + ahead >= tokens_.size()) return end_;
  return tokens_[pos_ + ahead];
}

Token Parser::Next() {
  Token token = Peek();
  last_end_ = token.end;
  if (pos_ < tokens_.size()) ++pos_;
  return token;
}

bool Parser::AtAhead(size_t ahead, std::string_view text) const {
  const Token& token = Peek(ahead);
  return (token.type == TokenType::kOperator || token.type == TokenType::kKeyword) &&
         token.text == text;
}

bool Parser::At(std::string_view text) const {
  return AtAhead(0, text);
}

bool Parser::AtWord(std::string_view text) const {
  return Peek().type == TokenType::kName && Peek().text == text;
}

bool Parser::Accept(std::string_view text) {
  if (!At(text)) return false;
  last_end_ = Peek().end;
  ++pos_;
  return true;
}

void Parser::Expect(std::string_view text) {
  if (!Accept(text)) Invalid();
}

std::string Parser::Mangled(std::string_view name) const {
  const std::string composed = IsAscii(name) ? std::string() : Composed(name);
  if (!composed.empty()) name = composed;
  const size_t start = class_name_.find_first_not_of('_');
  if (!name.starts_with("__") || name.ends_with("__") || start == std::string::npos)
    return std::string(name);
  return "_" + class_name_.substr(start) + std::string(name);
}

std::string Parser::ExpectName() {
  if (Peek().type != TokenType::kName) {
    Invalid();
    return "";
  }
  return Mangled(Next().text);
}

bool Parser::StartsExpression() const {
  switch (Peek().type) {
    case TokenType::kName:
    case TokenType::kNumber:
    case TokenType::kString:
    case TokenType::kBytes:
    case TokenType::kFString:
      return true;
    case TokenType::kKeyword:
      return At("None") || At("True") || At("False") || At("lambda") || At("await");
    default:
      return At("(") || At("[") || At("{") || At("~") || At("...");
  }
}

void Parser::FailSpan(const Span& span, std::string_view message) {
  if (error_.ok()) error_ = source_.Error(span, message);
}

Node* Parser::New(Kind kind, Position at) {
  if (!source_.Take(kNodeBytes)) {
    error_ = source_.NoMemory();
    starved_ = true;
  }
  arena_->nodes.push_back({.kind = kind, .at = at, .end = Peek().end});
  return &arena_->nodes.back();
}

std::vector<Node*> Parser::Module() {
  std::vector<Node*> body;
  while (Peek().type != TokenType::kEnd) Statement(&body);
  return body;
}

Node* Parser::OnlyExpression() {
  Node* node = At("yield") ? Yield() : Tuple(true);
  if (Peek().type != TokenType::kEnd) Fail("f-string: invalid syntax");
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
