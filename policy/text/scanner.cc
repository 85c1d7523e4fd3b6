#include "policy/text/scanner.h"

#include "policy/target/predicate.h"

namespace ferry::text {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    while (true) {
      SkipBlanks();
      FERRY_TRY(Next());
      if (tokens_.back().kind == TokenKind::kEnd) return std::move(tokens_);
    }
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  char Take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
    return c;
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = Peek();
      if (c == '#') {
        while (at_ < text_.size() && Peek() != '\n') Take();
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        Take();
      } else {
        return;
      }
    }
  }

  Status Next() {
    Token token;
    token.line = line_;
    token.column = column_;
    if (at_ < text_.size()) {
      const char c = Peek();
      if (IsLetter(c)) {
        token.kind = TokenKind::kName;
        while (IsLetter(Peek()) || IsDigit(Peek())) token.text += Take();
      } else if (IsDigit(c) || (c == '-' && IsDigit(Peek(1)))) {
        token.kind = TokenKind::kNumber;
        if (c == '-') token.text += Take();
        while (IsDigit(Peek())) token.text += Take();
        if (Peek() == '.' && IsDigit(Peek(1))) token.text += Take();
        while (token.text.find('.') != std::string::npos && IsDigit(Peek())) token.text += Take();
      } else if (c == '"') {
        FERRY_TRY(ReadString(&token));
      } else {
        FERRY_TRY(ReadSymbol(&token));
      }
    }
    tokens_.push_back(std::move(token));
    return OkStatus();
  }

  Status ReadString(Token* token) {
    token->kind = TokenKind::kString;
    Take();
    while (at_ < text_.size() && Peek() != '"' && Peek() != '\n') {
      const int line = line_, column = column_;
      char c = Take();
      if (static_cast<unsigned char>(c) < 0x20)
        return BadRuleAt(line, column, "a control character in a string");
      if (c == '\\') {
        c = Peek();
        if (c != '"' && c != '\\')
          return BadRuleAt(line, column, "only \\\" and \\\\ may follow a backslash");
        Take();
      }
      token->text += c;
    }
    if (Peek() != '"') return BadRuleAt(token->line, token->column, "a string without end");
    Take();
    return OkStatus();
  }

  Status ReadSymbol(Token* token) {
    const char c = Take();
    token->text = c;
    if (c == '(')
      token->kind = TokenKind::kOpen;
    else if (c == ')')
      token->kind = TokenKind::kClose;
    else if (c == ',')
      token->kind = TokenKind::kComma;
    else if (c == '<' || c == '>' || ((c == '=' || c == '!') && Peek() == '=')) {
      token->kind = TokenKind::kOperator;
      if (Peek() == '=') token->text += Take();
    } else if (c == '=') {
      return BadRuleAt(token->line, token->column, "= is no operator, write ==");
    } else {
      const bool plain = c >= 0x20 && c < 0x7f;
      return BadRuleAt(
          token->line, token->column,
          plain ? fmt::format("no token starts with '{}'", c)
                : fmt::format("no token starts with byte 0x{:02x}", static_cast<unsigned char>(c)));
    }
    return OkStatus();
  }

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1, column_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> Scan(std::string_view text) {
  return Scanner(text).Run();
}

std::string Describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "the end";
  if (token.kind == TokenKind::kString) return "string " + target::Quote(token.text);
  return token.text;
}

Status BadRuleAt(int line, int column, std::string_view message) {
  return Status::Of(Code::kBadRule, "line {}, column {}: {}", line, column, message);
}

}  // namespace ferry::text
