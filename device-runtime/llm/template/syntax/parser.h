// Recursive descent over the scanner's tokens: parse_expression.cc and parse_statement.cc.
#pragma once

#include <initializer_list>

#include "device-runtime/llm/template/syntax/syntax.h"

namespace ferry::llm::jinja {

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // Statements up to the end of the template.
  Result<Body> ParseTemplate();

 private:
  using Words = std::initializer_list<std::string_view>;

  // Statements up to a tag that begins with one of `ends`, which is left at its first word.
  Result<Body> ParseBody(Words ends);
  Result<Statement> ParseStatement();
  Result<Statement> ParseIf(Position at);
  Result<Statement> ParseFor(Position at);
  Result<Statement> ParseSet(Position at);
  Result<Statement> ParseMacro(Position at);
  Result<Statement> ParseGeneration(Position at);
  Status ParseParameters(Statement& macro);
  Result<std::string> ParseNewName();
  Status EndStatement();

  Result<ExpressionPtr> ParseExpression();  // with an inline if
  Result<ExpressionPtr> ParseOr();
  Result<ExpressionPtr> ParseAnd();
  Result<ExpressionPtr> ParseNot();
  Result<ExpressionPtr> ParseCompare();
  Result<ExpressionPtr> ParseSum();
  Result<ExpressionPtr> ParseConcat();
  Result<ExpressionPtr> ParseProduct();
  Result<ExpressionPtr> ParsePower();
  Result<ExpressionPtr> ParseUnary(bool with_filters);
  Result<ExpressionPtr> ParsePrimary();
  Result<ExpressionPtr> ParseLiteralNumber();
  Result<ExpressionPtr> ParseParentheses();
  Result<ExpressionPtr> ParseListLiteral();
  Result<ExpressionPtr> ParseDictLiteral();
  Result<ExpressionPtr> ParsePostfix(ExpressionPtr value);
  Result<ExpressionPtr> ParseFilters(ExpressionPtr value);
  Result<ExpressionPtr> ParseSubscript(ExpressionPtr value);
  Result<ExpressionPtr> ParseTest(ExpressionPtr value);
  Status ParseArguments(Expression& call);
  // Left-associative chains of binary operators.
  using Step = Result<ExpressionPtr> (Parser::*)();
  Result<ExpressionPtr> ParseChain(Words operators, Step next);

  // A node over parts; kLimitExceeded when it gets too deep.
  Result<ExpressionPtr> Make(Expression::Kind kind, Position at, std::string name,
                             std::vector<ExpressionPtr> parts) const;
  Status Finish(Expression& node) const;  // sets the depth

  const Token& Next() const { return tokens_[at_]; }
  bool At(Token::Kind kind, std::string_view text) const {
    return Next().kind == kind && Next().text == text;
  }
  bool AtWord(std::string_view word) const { return At(Token::kName, word); }
  bool Take(std::string_view op) {
    const bool found = At(Token::kOperator, op);
    at_ += found;
    return found;
  }
  bool TakeWord(std::string_view word) {
    const bool found = AtWord(word);
    at_ += found;
    return found;
  }
  Status Expect(std::string_view op);
  Status Unexpected() const;
  Status Unsupported(const Position& at, std::string_view what) const {
    return SyntaxError(Code::kUnsupported, at, what);
  }
  // Counts nested calls while it lives.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nested() { --parser_.depth_; }
    Status Check() const;

   private:
    Parser& parser_;
  };

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
  int loops_ = 0;  // for statements around
};

}  // namespace ferry::llm::jinja
