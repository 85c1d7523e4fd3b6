// Recursive-descent parser. After the first error every look at a token gives kEnd, so that all
// loops end; the error is reported by Parse. Where the grammar needs it, a piece is read twice
// (Attempt). The messages and places of errors are those of CPython 3.11. Source: the Python 3.11
// language reference, chapters 6 to 10.
#pragma once

#include <string>
#include <vector>

#include "device-runtime/vm/syntax/ast.h"

namespace ferry::vm {

class Parser {
 public:
  // `inside`: the text lies between brackets, as that of an f-string field.
  Parser(const SourceText& source, std::vector<Token> tokens, Arena* arena, int depth,
         std::string class_name = "", bool inside = false)
      : source_(source),
        tokens_(std::move(tokens)),
        arena_(arena),
        depth_(depth),
        brackets_(inside ? 1 : 0),
        class_name_(std::move(class_name)) {}

  std::vector<Node*> Module();
  // The whole text as one expression: the inside of an f-string field.
  Node* OnlyExpression();
  const Status& error() const { return error_; }

 private:
  struct Nested {  // one level deeper while it lives
    explicit Nested(Parser* p) : parser(p) {
      // One pair of brackets takes about four.
      if (++parser->depth_ > 2 * kMaxNesting) parser->Fail("too many nested parentheses");
    }
    ~Nested() { --parser->depth_; }
    Parser* parser;
  };
  struct Bracket {  // inside of brackets while it lives
    explicit Bracket(Parser* p) : nested(p), parser(p) { ++parser->brackets_; }
    ~Bracket() { --parser->brackets_; }
    Nested nested;
    Parser* parser;
  };

  // Tokens.
  const Token& Peek(size_t ahead = 0) const;
  Token Next();
  bool At(std::string_view text) const;  // an operator or keyword
  bool AtAhead(size_t ahead, std::string_view text) const;
  bool AtWord(std::string_view text) const;  // a name that only some places read as a keyword
  bool Accept(std::string_view text);
  void Expect(std::string_view text);
  // Code for size would count the characters of literals when it runs.
  template <size_t n>
  bool At(const char (&text)[n]) const {
    return At(std::string_view(text, n - 1));
  }
  template <size_t n>
  bool Accept(const char (&text)[n]) {
    return Accept(std::string_view(text, n - 1));
  }
  template <size_t n>
  void Expect(const char (&text)[n]) {
    Expect(std::string_view(text, n - 1));
  }
  std::string ExpectName();
  bool StartsExpression() const;  // at the present token; those that an operator starts aside
  // Runs `read`; when it gives false or fails, nothing has happened.
  template <typename Read>
  bool Attempt(Read read) {
    const size_t pos = pos_;
    const Position end = last_end_;
    ++attempts_;
    const bool done = read() && error_.ok();
    --attempts_;
    if (done || starved_) return done;
    error_ = Status();
    pos_ = pos;
    last_end_ = end;
    return false;
  }

  // Errors and nodes.
  void Fail(std::string_view message) { FailSpan({Peek().at, Peek().end}, message); }
  void FailAt(Position at, std::string_view message) { FailSpan({at, at}, message); }
  void FailNode(const Node* node, std::string_view message) { FailSpan(node->span(), message); }
  void FailSpan(const Span& span, std::string_view message);
  void Invalid() { Fail("invalid syntax"); }
  Node* New(Kind kind, Position at);
  Node* Done(Node* node) {  // its last token has been read
    node->end = last_end_;
    return node;
  }
  std::string Mangled(std::string_view name) const;  // names like __x of a class

  // ---- parse_statement.cc ----
  // Statements.
  void Statement(std::vector<Node*>* out);
  bool CompoundStatement(std::vector<Node*>* out);
  void SimpleStatement(std::vector<Node*>* out);
  Node* SmallStatement();
  Node* ExpressionStatement();
  Node* AugmentedStatement(Node* target, Operator op);
  Node* Annotated(Node* target);
  void AssignmentTarget(Node* target);
  void LegacyPrint(Node* name);
  Node* Delete();
  Node* Raise();

  // ---- parse_import.cc ----
  Node* Import();
  Node* FromImport();

  // ---- parse_statement.cc ----
  Node* Names(Kind kind);

  // ---- parse_compound.cc ----
  Node* Test();
  Node* If();
  Node* While();
  Node* For(bool async);
  Node* Try();
  Node* Handler(Node* statement);
  Node* With(bool async);
  void WithItems(Node* node, bool parenthesized);
  Node* Def(std::vector<Node*> decorators, bool async);
  Node* Class(std::vector<Node*> decorators);
  Node* Decorated();
  std::vector<Node*> Block(std::string_view what, int line);

  // ---- parse_import.cc ----
  std::string DottedName();

  // ---- parse_statement.cc ----
  void CheckTarget(Node* target, std::string_view verb = "assign to");

  // ---- parse_compound.cc ----
  void Parameters(FunctionNode* function, std::string_view end, bool annotations);
  void OneParameter(FunctionNode* function, bool annotations, bool keyword_only, bool* defaults);

  // ---- parse_match.cc ----
  // Patterns (parse_match.cc).
  bool Match(std::vector<Node*>* out);
  Node* Case();
  Node* Patterns();  // open sequences too
  Node* AsPattern();
  Node* OrPattern();
  Node* ClosedPattern();
  Node* StarPattern();
  Node* SequencePattern(std::string_view close);
  Node* MappingPattern();
  Node* NamePattern();
  Node* ClassPattern(Node* cls);
  Node* LiteralPattern();

  // ---- parse_expression.cc ----
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

  // ---- parse_atom.cc ----
  Node* Postfix(Node* value, Position at);
  Node* Atom();
  Node* Strings();
  Node* Parenthesized();
  Node* Brackets();
  Node* Braces();
  bool BraceItem(Node* node, bool first, bool* dict);
  Node* Comprehension(Node* element, Node* value, Kind kind, Position at, bool argument = false);
  Node* Call(Node* callee, Position at);
  void Argument(Node* call, Position open);
  Node* Index(Node* value, Position at);
  Node* SliceOrExpression();

  // ---- parse_expression.cc ----
  Node* Yield();
  Node* Lambda();

  // ---- parse_fstring.cc ----
  void FString(const Token& token, std::vector<Node*>* parts);
  size_t FStringText(std::string_view text, size_t i, bool raw, bool spec, Position at,
                     std::vector<Node*>* parts);
  size_t FStringField(std::string_view text, size_t i, bool raw, bool spec, Position* at,
                      std::vector<Node*>* parts);
  Node* FStringExpression(std::string_view text, Position at);

  const SourceText& source_;
  std::vector<Token> tokens_;
  size_t pos_ = 0;
  Position last_end_;  // of the last token read
  Arena* arena_;
  int depth_;
  int brackets_;            // open around the present token
  int attempts_ = 0;        // running: errors are only a way back
  int fstring_specs_ = 0;   // format specs of f-strings in one another
  std::string class_name_;  // of the innermost class, for names like __x
  bool starved_ = false;    // there is no memory to go on
  Status error_;
  Token end_;
};

// ---- parse_statement.cc ----
// What CPython calls an expression in "cannot assign to ...".
std::string_view ExpressionName(const Node* node);

}  // namespace ferry::vm
