#include <algorithm>
#include <array>

#include "device-runtime/vm/syntax/token.h"
#include "device-runtime/vm/text/text.h"
#include "device-runtime/vm/text/unicode.h"

namespace ferry::vm {
namespace {

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// Longest first.
constexpr std::array<std::string_view, 47> kOperators = {
    "**=", "//=", ">>=", "<<=", "...", "!=", "->", "+=", "-=", "*=", "/=", "%=",
    "@=",  "&=",  "|=",  "^=",  "==",  "<=", ">=", "<<", ">>", "**", "//", ":=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "="};

bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsNameChar(char c) {
  return IsNameStart(c) || IsDigit(c);
}

class Scanner {
 public:
  Scanner(const SourceText& source, std::string_view text, Position at, bool expression)
      : source_(source), text_(text), at_(at), expression_(expression) {}

  Result<std::vector<Token>> Run() {
    bool line_start = !expression_;
    while (error_.ok()) {
      if (line_start && brackets_.empty()) {
        if (!Indentation()) break;
        line_start = false;
        continue;
      }
      SkipBlanks();
      if (End()) break;
      if (Peek() == '\n') {
        if (brackets_.empty() && !expression_) {
          if (!tokens_.empty() && tokens_.back().type != TokenType::kNewline)
            Push(TokenType::kNewline, 1);
          line_start = true;
        }
        Advance(1);
        continue;
      }
      One();
    }
    FERRY_TRY(error_);
    if (!brackets_.empty())
      return source_.Error(Span{brackets_.back().at, brackets_.back().end},
                           fmt::format("'{}' was never closed", brackets_.back().text));
    Finish();
    return std::move(tokens_);
  }

 private:
  bool End() const { return pos_ >= text_.size(); }
  char Peek(size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  void Advance(size_t count) {
    for (; count > 0 && !End(); --count, ++pos_) {
      if (text_[pos_] == '\n') {
        ++at_.line;
        at_.column = 1;
      } else {
        ++at_.column;
      }
    }
  }
  void Fail(Position at, std::string message) {
    if (error_.ok()) error_ = source_.Error(at, message);
  }
  // Tokens lie on one line, but for strings: they set their end themselves.
  Token& Push(TokenType type, size_t length) {
    Position end = at_;
    end.column += static_cast<int>(length);
    // The list of tokens may double; a token may become a parameter or a variable.
    constexpr size_t kTokenBytes = 2 * sizeof(Token) + 64;
    if (!source_.Take(kTokenBytes) && error_.ok()) error_ = source_.NoMemory();
    tokens_.push_back({.type = type, .at = at_, .end = end, .text = text_.substr(pos_, length)});
    return tokens_.back();
  }

  void SkipBlanks() {
    while (!End()) {
      const char c = Peek();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        Advance(1);
      } else if (c == '\\' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
        Advance(Peek(1) == '\n' ? 2 : 3);
      } else if (c == '\\' && pos_ + 1 >= text_.size()) {
        return Fail(at_, "unexpected EOF while parsing");
      } else if (c == '\\') {
        Advance(1);
        return Fail(at_, "unexpected character after line continuation character");
      } else if (c == '#' && !expression_) {
        while (!End() && Peek() != '\n') Advance(1);
      } else {
        return;
      }
    }
  }

  // Reads the blanks that begin a line and pushes kIndent or kDedents; false at the end of the
  // text.
  bool Indentation() {
    int width = 0, narrow = 0;  // narrow: with tabs of one column; the two must agree
    for (;; Advance(1)) {
      if (Peek() == ' ') {
        ++width;
        ++narrow;
      } else if (Peek() == '\t') {
        width = (width / 8 + 1) * 8;
        ++narrow;
      } else if (Peek() == '\f' && !End()) {
        width = narrow = 0;
      } else {
        break;
      }
    }
    if (End()) return false;
    if (Peek() == '\r' || Peek() == '\n' || Peek() == '#')
      return true;  // a blank line says nothing
    if (width == indents_.back() ? narrow != narrows_.back()
                                 : (width > indents_.back()) != (narrow > narrows_.back())) {
      Fail(at_, "inconsistent use of tabs and spaces in indentation");
      return false;
    }
    if (width > indents_.back()) {
      if (indents_.size() >= kMaxIndents) {
        Fail(at_, "too many levels of indentation");
        return false;
      }
      indents_.push_back(width);
      narrows_.push_back(narrow);
      Push(TokenType::kIndent, 0);
    }
    while (width < indents_.back()) {
      indents_.pop_back();
      narrows_.pop_back();
      Push(TokenType::kDedent, 0);
    }
    if (width != indents_.back())
      Fail(Position{at_.line, at_.column + 1},
           "unindent does not match any outer indentation level");
    return true;
  }

  void Finish() {
    if (!expression_) {
      if (!tokens_.empty() && tokens_.back().type != TokenType::kNewline)
        Push(TokenType::kNewline, 0);
      for (; indents_.size() > 1; indents_.pop_back()) Push(TokenType::kDedent, 0);
    }
    Push(TokenType::kEnd, 0);
  }

  void One() {
    const char c = Peek();
    if (IsNameStart(c)) return NameOrString();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return Number();
    if (c == '"' || c == '\'') return String(0, false, false, false);
    for (std::string_view op : kOperators) {
      if (text_.substr(pos_, op.size()) != op) continue;
      Token& token = Push(TokenType::kOperator, op.size());
      if (op == "(" || op == "[" || op == "{") {
        if (brackets_.size() >= kMaxBrackets) Fail(at_, "too many nested brackets");
        brackets_.push_back(token);
      } else if (op == ")" || op == "]" || op == "}") {
        CloseBracket(op[0]);
      }
      return Advance(op.size());
    }
    const auto byte = static_cast<unsigned char>(c);
    Fail(at_, byte < 0x20 || byte == 0x7F
                  ? fmt::format("invalid non-printable character U+{:04X}", static_cast<int>(byte))
                  : "invalid syntax");
  }

  void CloseBracket(char close) {
    if (brackets_.empty()) return Fail(at_, fmt::format("unmatched '{}'", close));
    const Token& open = brackets_.back();
    const char want = open.text[0] == '(' ? ')' : open.text[0] == '[' ? ']' : '}';
    if (close != want) {
      return Fail(
          at_,
          fmt::format("closing parenthesis '{}' does not match opening parenthesis '{}'{}", close,
                      open.text,
                      open.at.line == at_.line ? "" : fmt::format(" on line {}", open.at.line)));
    }
    brackets_.pop_back();
  }

  // Every character of a name may stand there.
  void CheckName(std::string_view name) {
    for (size_t at = 0; at < name.size();) {
      const size_t start = at;
      const uint32_t c = Utf8Next(name, &at);
      if (c < 0x80 || (start == 0 ? IsIdentifierStart(c) : IsIdentifierPart(c))) continue;
      Fail(After(start),
           fmt::format("invalid character '{}' (U+{:04X})", name.substr(start, at - start), c));
      return;
    }
  }

  void NameOrString() {
    size_t length = 1;
    while (IsNameChar(Peek(length))) ++length;
    if (length <= 2 && (Peek(length) == '"' || Peek(length) == '\'')) {
      bool raw = false, bytes = false, format = false, other = false;
      for (size_t i = 0; i < length; ++i) {
        const char p = static_cast<char>(Peek(i) | 0x20);
        (p == 'r' ? raw : p == 'b' ? bytes : p == 'f' ? format : other) = true;
        if (p == 'u' && length == 1) other = false;
      }
      if (!other && !(bytes && format)) return String(length, raw, bytes, format);
    }
    CheckName(text_.substr(pos_, length));
    Token& token = Push(TokenType::kName, length);
    if (IsKeyword(token.text)) token.type = TokenType::kKeyword;
    Advance(length);
  }

  // How many bytes from `n` on are digits that `accept` takes, single underscores between them.
  template <typename Accept>
  size_t Digits(size_t n, Accept accept) const {
    const size_t start = n;
    while (accept(Peek(n)) ||
           (Peek(n) == '_' && n > start && Peek(n - 1) != '_' && accept(Peek(n + 1))))
      ++n;
    return n - start;
  }
  Position After(size_t n) const { return {at_.line, at_.column + static_cast<int>(n)}; }

  // The number of bytes of 0x.., 0o.., 0b..
  size_t BasedNumber(char kind) {
    const char* name = kind == 'x' ? "hexadecimal" : kind == 'o' ? "octal" : "binary";
    const auto accept = [kind](char d) {
      const char low = static_cast<char>(d | 0x20);
      return kind == 'x' ? IsDigit(d) || (low >= 'a' && low <= 'f')
                         : d >= '0' && d <= (kind == 'o' ? '7' : '1');
    };
    size_t n = Peek(2) == '_' ? 3 : 2;
    const size_t digits = Digits(n, accept);
    n += digits;
    if (IsDigit(Peek(n)) && kind != 'x') {
      Fail(After(n), fmt::format("invalid digit '{}' in {} literal", Peek(n), name));
    } else if (digits == 0 || Peek(n) == '_' || EndsBadly(n)) {
      Fail(After(n - 1), fmt::format("invalid {} literal", name));
    }
    return n;
  }

  // Whether a number that ends before `n` runs into a name: "1x". Keywords may follow at once.
  bool EndsBadly(size_t n) const {
    if (!IsNameChar(Peek(n))) return false;
    size_t end = n;
    while (IsNameChar(Peek(end))) ++end;
    const std::string_view word = text_.substr(pos_ + n, end - n);
    for (std::string_view keyword : {"and", "else", "for", "if", "in", "is", "not", "or"})
      if (word == keyword) return false;
    return true;
  }

  void Number() {
    const char second = static_cast<char>(Peek(1) | 0x20);
    size_t n = 0;
    if (Peek() == '0' && (second == 'x' || second == 'o' || second == 'b')) {
      n = BasedNumber(second);
    } else {
      n = Digits(0, IsDigit);
      bool real = false;
      if (Peek(n) == '.') {
        real = true;
        ++n;
        n += Digits(n, IsDigit);
      }
      if (Peek(n) == 'e' || Peek(n) == 'E') {
        const size_t sign = Peek(n + 1) == '+' || Peek(n + 1) == '-' ? 1 : 0;
        if (IsDigit(Peek(n + 1 + sign))) {
          real = true;
          n += 1 + sign;
          n += Digits(n, IsDigit);
        }
      }
      const bool imaginary = Peek(n) == 'j' || Peek(n) == 'J';
      if (!real && !imaginary && n > 1 && Peek() == '0' &&
          text_.substr(pos_, n).find_first_not_of("0_") != std::string_view::npos) {
        Fail(at_,
             "leading zeros in decimal integer literals are not permitted; use an 0o prefix for "
             "octal integers");
      }
      n += imaginary;
      if (Peek(n) == '_' || EndsBadly(n))
        Fail(After(n - 1), imaginary ? "invalid imaginary literal" : "invalid decimal literal");
    }
    Push(TokenType::kNumber, n);
    Advance(n);
  }

  void String(size_t prefix, bool raw, bool bytes, bool format) {
    const Position start = at_;
    const char quote = Peek(prefix);
    const bool triple = Peek(prefix + 1) == quote && Peek(prefix + 2) == quote;
    const size_t open = prefix + (triple ? 3 : 1);
    size_t n = open;
    for (;; ++n) {
      if (pos_ + n >= text_.size() || (Peek(n) == '\n' && !triple)) return Unterminated(n, triple);
      if (Peek(n) == '\\') {
        if (Peek(n + 1) == '\r' && Peek(n + 2) == '\n') ++n;
        ++n;
        continue;
      }
      if (Peek(n) == quote && (!triple || (Peek(n + 1) == quote && Peek(n + 2) == quote))) break;
    }
    const std::string_view body = text_.substr(pos_ + open, n - open);
    for (size_t i = 0; i < body.size() && bytes; ++i)
      if (static_cast<unsigned char>(body[i]) >= 0x80)
        return Fail(start, "bytes can only contain ASCII literal characters");
    Token& token = Push(format  ? TokenType::kFString
                        : bytes ? TokenType::kBytes
                                : TokenType::kString,
                        n + (triple ? 3 : 1));
    token.raw = raw;
    std::string problem;
    if (format || raw) {
      token.value = body;
    } else if (!Unescape(body, bytes, &token.value, &problem)) {
      Fail(start, problem);
    }
    Advance(open);
    tokens_.back().value_at = at_;
    Advance(n - open + (triple ? 3 : 1));
    tokens_.back().end = at_;
  }

  // A string whose end was not found in its first `n` bytes.
  void Unterminated(size_t n, bool triple) {
    const Position start = at_;
    Advance(n);
    // A file's last line end is not a line of its own.
    int line = at_.line;
    if (triple && End() && at_.column == 1) --line;
    Fail(start, fmt::format("unterminated {}string literal (detected at line {})",
                            triple ? "triple-quoted " : "", line));
  }

  const SourceText& source_;
  std::string_view text_;
  size_t pos_ = 0;
  Position at_;
  const bool expression_;
  std::vector<Token> tokens_;
  std::vector<Token> brackets_;
  std::vector<int> indents_ = {0}, narrows_ = {0};
  Status error_;
};

}  // namespace

bool IsKeyword(std::string_view name) {
  return std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
}

Result<std::vector<Token>> Scan(const SourceText& source) {
  return Scanner(source, source.text, Position(), false).Run();
}

Result<std::vector<Token>> ScanExpression(const SourceText& source, std::string_view text,
                                          Position start) {
  return Scanner(source, text, start, true).Run();
}

}  // namespace ferry::vm
