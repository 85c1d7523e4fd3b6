#include <algorithm>
#include <charconv>

#include "device-runtime/llm/template/checks/checks.h"
#include "device-runtime/llm/template/filters/filters.h"
#include "device-runtime/llm/template/syntax/parser.h"

namespace ferry::llm::jinja {

Status Parser::Nested::Check() const {
  if (parser_.depth_ <= kMaxTemplateDepth) return OkStatus();
  return SyntaxError(Code::kLimitExceeded, parser_.Next().at,
                     fmt::format("nested over {} deep", kMaxTemplateDepth));
}

Status Parser::Unexpected() const {
  constexpr std::string_view kEnds[] = {"text", "{{", "}}", "{%", "%}"};
  const Token& token = Next();
  if (token.kind == Token::kEnd) {
    return SyntaxError(Code::kMalformed, token.at, "the template ends too early");
  }
  const std::string_view what = token.kind <= Token::kStatementEnd
                                    ? kEnds[token.kind]
                                    : std::string_view(token.text).substr(0, 40);
  return SyntaxError(Code::kMalformed, token.at, fmt::format("unexpected {:?}", what));
}

Status Parser::Expect(std::string_view op) {
  if (Take(op)) return OkStatus();
  FERRY_TRY(Unexpected().Context("wanted {:?}", op));
  return OkStatus();
}

Status Parser::Finish(Expression& node) const {
  int depth = 0;
  for (const ExpressionPtr& part : node.parts) {
    if (part != nullptr) depth = std::max(depth, part->depth);
  }
  for (const auto& [name, part] : node.named) depth = std::max(depth, part->depth);
  node.depth = depth + 1;
  if (node.depth <= kMaxTemplateDepth) return OkStatus();
  return SyntaxError(Code::kLimitExceeded, node.at,
                     fmt::format("an expression over {} deep", kMaxTemplateDepth));
}

Result<ExpressionPtr> Parser::Make(Expression::Kind kind, Position at, std::string name,
                                   std::vector<ExpressionPtr> parts) const {
  auto node = std::make_unique<Expression>();
  node->kind = kind;
  node->at = at;
  node->name = std::move(name);
  node->parts = std::move(parts);
  FERRY_TRY(Finish(*node));
  return node;
}

namespace {

// A vector of move-only parts.
template <typename... P>
std::vector<ExpressionPtr> Parts(P... parts) {
  std::vector<ExpressionPtr> out;
  (out.push_back(std::move(parts)), ...);
  return out;
}

}  // namespace

Result<ExpressionPtr> Parser::ParseExpression() {
  const Nested nested(*this);
  FERRY_TRY(nested.Check());
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr value, ParseOr());
  while (AtWord("if")) {
    const Position at = Next().at;
    ++at_;
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr condition, ParseOr());
    ExpressionPtr other;
    if (TakeWord("else")) {
      FERRY_ASSIGN_OR_RETURN(other, ParseExpression());
    }
    FERRY_ASSIGN_OR_RETURN(value,
                           Make(Expression::kConditional, at, "",
                                Parts(std::move(condition), std::move(value), std::move(other))));
  }
  return value;
}

Result<ExpressionPtr> Parser::ParseOr() {
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr left, ParseAnd());
  while (AtWord("or")) {
    const Position at = Next().at;
    ++at_;
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr right, ParseAnd());
    FERRY_ASSIGN_OR_RETURN(left,
                           Make(Expression::kOr, at, "", Parts(std::move(left), std::move(right))));
  }
  return left;
}

Result<ExpressionPtr> Parser::ParseAnd() {
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr left, ParseNot());
  while (AtWord("and")) {
    const Position at = Next().at;
    ++at_;
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr right, ParseNot());
    FERRY_ASSIGN_OR_RETURN(
        left, Make(Expression::kAnd, at, "", Parts(std::move(left), std::move(right))));
  }
  return left;
}

Result<ExpressionPtr> Parser::ParseNot() {
  if (!AtWord("not")) return ParseCompare();
  const Nested nested(*this);
  FERRY_TRY(nested.Check());
  const Position at = Next().at;
  ++at_;
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr value, ParseNot());
  return Make(Expression::kNot, at, "", Parts(std::move(value)));
}

Result<ExpressionPtr> Parser::ParseCompare() {
  const Position at = Next().at;
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr first, ParseSum());
  auto node = std::make_unique<Expression>();
  node->kind = Expression::kCompare;
  node->at = at;
  node->parts.push_back(std::move(first));
  while (true) {
    std::string op;
    if (Next().kind == Token::kOperator) {
      for (const std::string_view known : {"==", "!=", "<", "<=", ">", ">="}) {
        if (Next().text == known) op = known;
      }
      at_ += !op.empty();
    } else if (TakeWord("in")) {
      op = "in";
    } else if (AtWord("not") && tokens_[at_ + 1].kind == Token::kName &&
               tokens_[at_ + 1].text == "in") {
      op = "not in";
      at_ += 2;
    }
    if (op.empty()) break;
    node->operators.push_back(std::move(op));
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr right, ParseSum());
    node->parts.push_back(std::move(right));
  }
  if (node->operators.empty()) return std::move(node->parts[0]);
  FERRY_TRY(Finish(*node));
  return node;
}

Result<ExpressionPtr> Parser::ParseChain(Words operators, Step next) {
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr left, (this->*next)());
  while (Next().kind == Token::kOperator &&
         std::find(operators.begin(), operators.end(), Next().text) != operators.end()) {
    const Token& op = Next();
    ++at_;
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr right, (this->*next)());
    FERRY_ASSIGN_OR_RETURN(
        left, Make(Expression::kBinary, op.at, op.text, Parts(std::move(left), std::move(right))));
  }
  return left;
}

Result<ExpressionPtr> Parser::ParseSum() {
  return ParseChain({"+", "-"}, &Parser::ParseConcat);
}

Result<ExpressionPtr> Parser::ParseConcat() {
  return ParseChain({"~"}, &Parser::ParseProduct);
}

Result<ExpressionPtr> Parser::ParseProduct() {
  return ParseChain({"*", "/", "//", "%"}, &Parser::ParsePower);
}

Result<ExpressionPtr> Parser::ParsePower() {
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr left, ParseUnary(true));
  while (At(Token::kOperator, "**")) {
    const Position at = Next().at;
    ++at_;
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr right, ParseUnary(true));
    FERRY_ASSIGN_OR_RETURN(
        left, Make(Expression::kBinary, at, "**", Parts(std::move(left), std::move(right))));
  }
  return left;
}

Result<ExpressionPtr> Parser::ParseUnary(bool with_filters) {
  const Nested nested(*this);
  FERRY_TRY(nested.Check());
  const Position at = Next().at;
  ExpressionPtr value;
  const bool minus = Take("-");
  if (minus || Take("+")) {
    FERRY_ASSIGN_OR_RETURN(value, ParseUnary(false));
    FERRY_ASSIGN_OR_RETURN(value, Make(minus ? Expression::kNegative : Expression::kPositive, at,
                                       "", Parts(std::move(value))));
  } else {
    FERRY_ASSIGN_OR_RETURN(value, ParsePrimary());
  }
  FERRY_ASSIGN_OR_RETURN(value, ParsePostfix(std::move(value)));
  return with_filters ? ParseFilters(std::move(value)) : Result<ExpressionPtr>(std::move(value));
}

Result<ExpressionPtr> Parser::ParsePrimary() {
  const Token& token = Next();
  if (token.kind == Token::kInteger || token.kind == Token::kFloat) return ParseLiteralNumber();
  if (token.kind == Token::kString) {
    std::string text;
    for (; Next().kind == Token::kString; ++at_) text += Next().text;
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr node, Make(Expression::kLiteral, token.at, "", {}));
    node->value = Value::Text(std::move(text));
    return node;
  }
  if (token.kind == Token::kOperator) {
    if (Take("(")) return ParseParentheses();
    if (Take("[")) return ParseListLiteral();
    if (Take("{")) return ParseDictLiteral();
    return Unexpected();
  }
  if (token.kind != Token::kName) return Unexpected();
  for (const std::string_view reserved : {"if", "else", "in", "is", "and", "or", "not"}) {
    if (token.text == reserved) return Unexpected();
  }
  ++at_;
  const bool truth = token.text == "true" || token.text == "True";
  const bool none = token.text == "none" || token.text == "None";
  if (!truth && !none && token.text != "false" && token.text != "False") {
    return Make(Expression::kName, token.at, token.text, {});
  }
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr node, Make(Expression::kLiteral, token.at, "", {}));
  node->value = none ? Value::Null() : Value::Bool(truth);
  return node;
}

Result<ExpressionPtr> Parser::ParseLiteralNumber() {
  const Token& token = Next();
  ++at_;
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr node, Make(Expression::kLiteral, token.at, "", {}));
  const char* end = token.text.data() + token.text.size();
  int64_t integer = 0;
  double real = 0;
  const auto read = token.kind == Token::kInteger ? std::from_chars(token.text.data(), end, integer)
                                                  : std::from_chars(token.text.data(), end, real);
  if (read.ec != std::errc() || read.ptr != end) {
    return SyntaxError(Code::kLimitExceeded, token.at, "a number out of range");
  }
  node->value = token.kind == Token::kInteger ? Value::Int(integer) : Value::Float(real);
  return node;
}

// Behind "(": one value, or a tuple, which is a list here.
Result<ExpressionPtr> Parser::ParseParentheses() {
  const Position at = Next().at;
  auto tuple = std::make_unique<Expression>();
  tuple->kind = Expression::kList;
  tuple->at = at;
  bool comma = false;
  while (!Take(")")) {
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr item, ParseExpression());
    tuple->parts.push_back(std::move(item));
    if (Take(")")) {
      if (tuple->parts.size() == 1 && !comma) return std::move(tuple->parts[0]);
      break;
    }
    FERRY_TRY(Expect(","));
    comma = true;
  }
  FERRY_TRY(Finish(*tuple));
  return tuple;
}

Result<ExpressionPtr> Parser::ParseListLiteral() {
  auto list = std::make_unique<Expression>();
  list->kind = Expression::kList;
  list->at = Next().at;
  while (!Take("]")) {
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr item, ParseExpression());
    list->parts.push_back(std::move(item));
    if (!At(Token::kOperator, "]")) FERRY_TRY(Expect(","));
  }
  FERRY_TRY(Finish(*list));
  return list;
}

Result<ExpressionPtr> Parser::ParseDictLiteral() {
  auto dict = std::make_unique<Expression>();
  dict->kind = Expression::kDict;
  dict->at = Next().at;
  while (!Take("}")) {
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr key, ParseExpression());
    FERRY_TRY(Expect(":"));
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr value, ParseExpression());
    dict->parts.push_back(std::move(key));
    dict->parts.push_back(std::move(value));
    if (!At(Token::kOperator, "}")) FERRY_TRY(Expect(","));
  }
  FERRY_TRY(Finish(*dict));
  return dict;
}

Result<ExpressionPtr> Parser::ParsePostfix(ExpressionPtr value) {
  while (true) {
    const Position at = Next().at;
    if (Take(".")) {
      const Token& name = Next();
      if (name.kind != Token::kName) return Unexpected();
      ++at_;
      FERRY_ASSIGN_OR_RETURN(value,
                             Make(Expression::kAttribute, at, name.text, Parts(std::move(value))));
    } else if (Take("[")) {
      FERRY_ASSIGN_OR_RETURN(value, ParseSubscript(std::move(value)));
    } else if (Take("(")) {
      FERRY_ASSIGN_OR_RETURN(value, Make(Expression::kCall, at, "", Parts(std::move(value))));
      FERRY_TRY(ParseArguments(*value));
    } else {
      return value;
    }
  }
}

Result<ExpressionPtr> Parser::ParseSubscript(ExpressionPtr value) {
  const Position at = Next().at;
  std::vector<ExpressionPtr> parts;
  parts.push_back(std::move(value));
  ExpressionPtr part;
  bool slice = false;
  while (true) {
    if (At(Token::kOperator, ":") && parts.size() < 4) {
      ++at_;
      slice = true;
      parts.push_back(std::move(part));
      continue;
    }
    if (Take("]")) break;
    if (part != nullptr) return Unexpected();
    FERRY_ASSIGN_OR_RETURN(part, ParseExpression());
  }
  if (!slice && part == nullptr) return SyntaxError(Code::kMalformed, at, "an index is missing");
  parts.push_back(std::move(part));
  if (slice) parts.resize(4);
  return Make(slice ? Expression::kSlice : Expression::kIndex, at, "", std::move(parts));
}

// Behind "(".
Status Parser::ParseArguments(Expression& call) {
  while (!Take(")")) {
    if (At(Token::kOperator, "*") || At(Token::kOperator, "**")) {
      return Unsupported(Next().at, "arguments from a list or a dict");
    }
    const Token& token = Next();
    const bool named = token.kind == Token::kName && tokens_[at_ + 1].kind == Token::kOperator &&
                       tokens_[at_ + 1].text == "=";
    if (named) at_ += 2;
    FERRY_ASSIGN_OR_RETURN(ExpressionPtr value, ParseExpression());
    if (named) {
      call.named.emplace_back(token.text, std::move(value));
    } else if (!call.named.empty()) {
      return SyntaxError(Code::kMalformed, token.at, "a positional argument after a named one");
    } else {
      call.parts.push_back(std::move(value));
    }
    if (!At(Token::kOperator, ")")) FERRY_TRY(Expect(","));
  }
  return Finish(call);
}

Result<ExpressionPtr> Parser::ParseFilters(ExpressionPtr value) {
  while (true) {
    const Position at = Next().at;
    if (Take("|")) {
      const Token& name = Next();
      if (name.kind != Token::kName) return Unexpected();
      if (FindFilter(name.text) == nullptr) {
        return Unsupported(name.at, fmt::format("filter {:?}", name.text));
      }
      ++at_;
      FERRY_ASSIGN_OR_RETURN(value,
                             Make(Expression::kFilter, at, name.text, Parts(std::move(value))));
      if (Take("(")) FERRY_TRY(ParseArguments(*value));
    } else if (TakeWord("is")) {
      FERRY_ASSIGN_OR_RETURN(value, ParseTest(std::move(value)));
    } else if (Take("(")) {
      FERRY_ASSIGN_OR_RETURN(value, Make(Expression::kCall, at, "", Parts(std::move(value))));
      FERRY_TRY(ParseArguments(*value));
    } else {
      return value;
    }
  }
}

// Behind "is": [not] name, and its argument with or without parentheses.
Result<ExpressionPtr> Parser::ParseTest(ExpressionPtr value) {
  const bool negated = TakeWord("not");
  const Token& name = Next();
  if (name.kind != Token::kName) return Unexpected();
  if (FindCheck(name.text) == nullptr) {
    return Unsupported(name.at, fmt::format("test {:?}", name.text));
  }
  ++at_;
  FERRY_ASSIGN_OR_RETURN(ExpressionPtr test,
                         Make(Expression::kTest, name.at, name.text, Parts(std::move(value))));
  const Token& next = Next();
  if (Take("(")) {
    FERRY_TRY(ParseArguments(*test));
  } else {
    bool argument = next.kind == Token::kString || next.kind == Token::kInteger ||
                    next.kind == Token::kFloat || At(Token::kOperator, "[") ||
                    At(Token::kOperator, "{");
    if (next.kind == Token::kName) {
      argument = true;
      for (const std::string_view word : {"else", "or", "and", "is", "if", "in", "not"}) {
        if (next.text == word) argument = false;
      }
    }
    if (argument) {
      FERRY_ASSIGN_OR_RETURN(ExpressionPtr part, ParsePrimary());
      FERRY_ASSIGN_OR_RETURN(part, ParsePostfix(std::move(part)));
      test->parts.push_back(std::move(part));
      FERRY_TRY(Finish(*test));
    }
  }
  if (!negated) return test;
  return Make(Expression::kNot, name.at, "", Parts(std::move(test)));
}

}  // namespace ferry::llm::jinja
