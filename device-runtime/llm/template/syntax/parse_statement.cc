#include <algorithm>

#include "device-runtime/llm/template/syntax/parser.h"

namespace ferry::llm::jinja {

Result<Body> Parser::ParseTemplate() {
  FERRY_ASSIGN_OR_RETURN(Body body, ParseBody({}));
  if (Next().kind != Token::kEnd) return Unexpected();
  return body;
}

Result<Body> Parser::ParseBody(Words ends) {
  const Nested nested(*this);
  FERRY_TRY(nested.Check());
  Body body;
  while (Next().kind != Token::kEnd) {
    const Token& token = Next();
    Statement statement;
    statement.at = token.at;
    ++at_;
    if (token.kind == Token::kText) {
      statement.kind = Statement::kText;
      statement.text = token.text;
    } else if (token.kind == Token::kOutputBegin) {
      statement.kind = Statement::kOutput;
      FERRY_ASSIGN_OR_RETURN(statement.expression, ParseExpression());
      if (Next().kind != Token::kOutputEnd) return Unexpected();
      ++at_;
    } else {
      if (Next().kind != Token::kName) return Unexpected();
      if (std::find(ends.begin(), ends.end(), Next().text) != ends.end()) return body;
      FERRY_ASSIGN_OR_RETURN(statement, ParseStatement());
    }
    body.push_back(std::move(statement));
  }
  if (ends.size() != 0) return Unexpected().Context("wanted {:?}", *(ends.end() - 1));
  return body;
}

// Behind "{%".
Result<Statement> Parser::ParseStatement() {
  const Token& word = Next();
  ++at_;
  if (word.text == "if") return ParseIf(word.at);
  if (word.text == "for") return ParseFor(word.at);
  if (word.text == "set") return ParseSet(word.at);
  if (word.text == "macro") return ParseMacro(word.at);
  if (word.text == "generation") return ParseGeneration(word.at);
  if (word.text == "break" || word.text == "continue") {
    if (loops_ == 0) {
      return SyntaxError(Code::kMalformed, word.at, fmt::format("{} outside of for", word.text));
    }
    Statement statement;
    statement.kind = word.text == "break" ? Statement::kBreak : Statement::kContinue;
    statement.at = word.at;
    FERRY_TRY(EndStatement());
    return statement;
  }
  for (const std::string_view known : {"call", "filter", "block", "extends", "include", "import",
                                       "from", "with", "autoescape", "do", "trans"}) {
    if (word.text == known) {
      return Unsupported(word.at, fmt::format("the statement {:?}", word.text));
    }
  }
  --at_;
  return Unexpected();
}

Status Parser::EndStatement() {
  if (Next().kind != Token::kStatementEnd) return Unexpected();
  ++at_;
  return OkStatus();
}

Result<Statement> Parser::ParseIf(Position at) {
  Statement statement;
  statement.kind = Statement::kIf;
  statement.at = at;
  while (true) {
    Statement::Branch branch;
    FERRY_ASSIGN_OR_RETURN(branch.condition, ParseExpression());
    FERRY_TRY(EndStatement());
    FERRY_ASSIGN_OR_RETURN(branch.body, ParseBody({"elif", "else", "endif"}));
    statement.branches.push_back(std::move(branch));
    if (TakeWord("elif")) continue;
    if (TakeWord("else")) {
      FERRY_TRY(EndStatement());
      Statement::Branch last;
      FERRY_ASSIGN_OR_RETURN(last.body, ParseBody({"endif"}));
      statement.branches.push_back(std::move(last));
    }
    ++at_;  // endif
    FERRY_TRY(EndStatement());
    return statement;
  }
}

Result<std::string> Parser::ParseNewName() {
  const Token& token = Next();
  if (token.kind != Token::kName) return Unexpected();
  for (const std::string_view reserved :
       {"if", "else", "in", "is", "and", "or", "not", "true", "false", "none"}) {
    if (token.text == reserved) return Unexpected();
  }
  ++at_;
  return token.text;
}

Result<Statement> Parser::ParseFor(Position at) {
  Statement statement;
  statement.kind = Statement::kFor;
  statement.at = at;
  const bool bracket = Take("(");
  do {
    FERRY_ASSIGN_OR_RETURN(std::string name, ParseNewName());
    statement.targets.push_back(std::move(name));
  } while (Take(","));
  if (bracket) FERRY_TRY(Expect(")"));
  if (!TakeWord("in")) return Unexpected().Context("wanted \"in\"");
  FERRY_ASSIGN_OR_RETURN(statement.expression, ParseOr());
  if (TakeWord("if")) {
    FERRY_ASSIGN_OR_RETURN(statement.condition, ParseExpression());
  }
  if (AtWord("recursive")) return Unsupported(Next().at, "a recursive for");
  FERRY_TRY(EndStatement());
  statement.branches.resize(2);
  ++loops_;
  FERRY_ASSIGN_OR_RETURN(statement.branches[0].body, ParseBody({"else", "endfor"}));
  --loops_;
  if (TakeWord("else")) {
    FERRY_TRY(EndStatement());
    FERRY_ASSIGN_OR_RETURN(statement.branches[1].body, ParseBody({"endfor"}));
  }
  ++at_;  // endfor
  FERRY_TRY(EndStatement());
  return statement;
}

Result<Statement> Parser::ParseSet(Position at) {
  Statement statement;
  statement.kind = Statement::kSet;
  statement.at = at;
  do {
    FERRY_ASSIGN_OR_RETURN(std::string name, ParseNewName());
    statement.targets.push_back(std::move(name));
  } while (Take(","));
  if (statement.targets.size() == 1 && Take(".")) {
    FERRY_ASSIGN_OR_RETURN(statement.text, ParseNewName());
  }
  if (Take("=")) {
    FERRY_ASSIGN_OR_RETURN(statement.expression, ParseExpression());
    if (At(Token::kOperator, ",")) return Unsupported(Next().at, "a tuple without parentheses");
    FERRY_TRY(EndStatement());
    return statement;
  }
  if (At(Token::kOperator, "|")) return Unsupported(Next().at, "a filter of a set block");
  if (statement.targets.size() != 1 || !statement.text.empty()) return Unexpected();
  FERRY_TRY(EndStatement());
  statement.kind = Statement::kSetBlock;
  statement.branches.resize(1);
  FERRY_ASSIGN_OR_RETURN(statement.branches[0].body, ParseBody({"endset"}));
  ++at_;
  FERRY_TRY(EndStatement());
  return statement;
}

Status Parser::ParseParameters(Statement& macro) {
  FERRY_TRY(Expect("("));
  while (!Take(")")) {
    FERRY_ASSIGN_OR_RETURN(std::string name, ParseNewName());
    macro.targets.push_back(std::move(name));
    macro.defaults.emplace_back();
    if (Take("=")) {
      FERRY_ASSIGN_OR_RETURN(macro.defaults.back(), ParseExpression());
    }
    if (!At(Token::kOperator, ")")) FERRY_TRY(Expect(","));
  }
  return OkStatus();
}

Result<Statement> Parser::ParseMacro(Position at) {
  Statement statement;
  statement.kind = Statement::kMacro;
  statement.at = at;
  FERRY_ASSIGN_OR_RETURN(statement.text, ParseNewName());
  FERRY_TRY(ParseParameters(statement));
  FERRY_TRY(EndStatement());
  statement.branches.resize(1);
  const int loops = std::exchange(loops_, 0);  // a macro is in no loop of its caller
  FERRY_ASSIGN_OR_RETURN(statement.branches[0].body, ParseBody({"endmacro"}));
  loops_ = loops;
  ++at_;
  if (Next().kind == Token::kName && Next().text == statement.text) ++at_;
  FERRY_TRY(EndStatement());
  return statement;
}

// Marks what the model wrote, for training; here it is only its body.
Result<Statement> Parser::ParseGeneration(Position at) {
  Statement statement;
  statement.kind = Statement::kBlock;
  statement.at = at;
  FERRY_TRY(EndStatement());
  statement.branches.resize(1);
  FERRY_ASSIGN_OR_RETURN(statement.branches[0].body, ParseBody({"endgeneration"}));
  ++at_;
  FERRY_TRY(EndStatement());
  return statement;
}

Result<Body> Parse(std::string_view source) {
  FERRY_ASSIGN_OR_RETURN(std::vector<Token> tokens, Scan(source));
  return Parser(std::move(tokens)).ParseTemplate();
}

}  // namespace ferry::llm::jinja
