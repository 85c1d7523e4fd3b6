// Recursive-descent parser. After the first error every look at a token gives kEnd, so that all
// loops end; the error is reported by Parse.
#pragma once

#include <string>
#include <vector>

#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {

class Parser {
 public:
  Parser(const SourceText& source, std::vector<Token> tokens, Arena* arena, int depth)
      : source_(source), tokens_(std::move(tokens)), arena_(arena), depth_(depth) {}

  std::vector<Node*> Module();
  // The whole text as one expression: the inside of an f-string field.
  Node* OnlyExpression();
  const Status& error() const { return error_; }

 private:
  struct Nested {  // one level deeper while it lives
    explicit Nested(Parser* p) : parser(p) {
      if (++parser->depth_ > kMaxNesting) parser->Fail("nested too deeply");
    }
    ~Nested() { --parser->depth_; }
    Parser* parser;
  };

  // Tokens.
  const Token& Peek(size_t ahead = 0) const;
  Token Next();
  bool At(std::string_view text) const;  // an operator or keyword
  bool Accept(std::string_view text);
  void Expect(std::string_view text);
  std::string ExpectName(std::string_view what);
  void Fail(std::string_view message) { FailAt(Peek().at, message); }
  void FailAt(Position at, std::string_view message);
  Node* New(Kind kind, Position at);
  std::string Shown() const;  // the present token, for messages

  // Statements.
  void Statement(std::vector<Node*>* out);
  void SimpleStatement(std::vector<Node*>* out);
  Node* SmallStatement();
  Node* ExpressionStatement();
  Node* Raise();
  Node* Import();
  Node* FromImport();
  Node* Names(Kind kind);
  Node* If();
  Node* While();
  Node* For();
  Node* Try();
  Node* Handler();
  Node* With();
  Node* Def(std::vector<Node*> decorators);
  Node* Class(std::vector<Node*> decorators);
  Node* Decorated();
  std::vector<Node*> Block();
  std::string DottedName();
  void CheckTarget(Node* target, bool allow_star = true);
  void Parameters(FunctionNode* function, std::string_view end, bool annotations);

  // Expressions, loosest first.
  Node* Tuple(bool allow_star);  // a, *b, c or one expression
  Node* TargetList();            // of for
  Node* StarOrNamed();
  Node* Named();       // with :=
  Node* Expression();  // conditional, lambda
  Node* Or();
  Node* And();
  Node* Not();
  Node* Comparison();
  Node* Binary(int level);
  Node* Unary();
  Node* Power();
  Node* Postfix(Node* value);
  Node* Atom();
  Node* Strings();
  Node* Parenthesized();
  Node* Brackets();
  Node* Braces();
  Node* Comprehension(Node* element, Node* value, Kind kind, Position at);
  Node* Call(Node* callee);
  Node* Index(Node* value);
  Node* SliceOrExpression();
  Node* Yield();
  Node* Lambda();
  void FString(const Token& token, std::vector<Node*>* parts);
  size_t FStringText(std::string_view text, size_t i, bool raw, bool spec, Position at,
                     std::vector<Node*>* parts);
  size_t FStringField(std::string_view text, size_t i, bool raw, Position* at,
                      std::vector<Node*>* parts);
  Node* FStringExpression(std::string_view text, Position at);

  const SourceText& source_;
  std::vector<Token> tokens_;
  size_t pos_ = 0;
  Arena* arena_;
  int depth_;
  Status error_;
  Token end_;
};

}  // namespace ferry::vm
