// Text and tags, with trim_blocks and lstrip_blocks on as Hugging Face sets them: a block tag takes
// the newline after it, and the blanks before it when it is the first on its line.
#include "device-runtime/llm/template/syntax/token.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm::jinja {
namespace {

bool IsBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<uint8_t>(c) >= 0x80;
}

// "\r\n" and "\r" become "\n"; one newline at the end goes.
std::string Normalized(std::string_view source) {
  std::string text;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      text += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      text += source[i];
    }
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : text_(Normalized(source)) {}

  Result<std::vector<Token>> Run() {
    while (at_ < text_.size()) FERRY_TRY(Piece());
    tokens_.push_back({Token::kEnd, "", position_});
    return std::move(tokens_);
  }

 private:
  Status Error(std::string_view what) const {
    return SyntaxError(Code::kMalformed, position_, what);
  }
  bool NextIs(std::string_view what) const {
    return std::string_view(text_).substr(at_).starts_with(what);
  }
  void Advance(size_t count) {
    for (; count > 0; --count, ++at_) {
      if (text_[at_] == '\n') {
        ++position_.line;
        position_.column = 1;
      } else {
        ++position_.column;
      }
    }
  }
  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) Advance(1);
  }

  // Text up to the next tag, then the tag.
  Status Piece() {
    size_t tag = at_;
    for (;; ++tag) {
      tag = text_.find('{', tag);
      if (tag == std::string::npos || tag + 1 >= text_.size()) {
        PutText(text_.size());
        return OkStatus();
      }
      const char c = text_[tag + 1];
      if (c == '{' || c == '%' || c == '#') break;
    }
    const char kind = text_[tag + 1];
    const char sign = tag + 2 < text_.size() ? text_[tag + 2] : ' ';
    const bool line_start = at_ == 0 || text_[at_ - 1] == '\n';
    size_t end = tag;
    while (end > at_ && IsBlank(text_[end - 1]) && (sign == '-' || text_[end - 1] != '\n')) --end;
    if (sign != '-') {
      const bool first = end > at_ ? text_[end - 1] == '\n' : line_start;
      if (kind == '{' || sign == '+' || !first) end = tag;
    }
    PutText(end);
    Advance(tag - at_);
    const bool signed_tag = sign == '-' || (sign == '+' && kind != '{');
    const Position begin = position_;
    Advance(signed_tag ? 3 : 2);
    if (kind == '#') return Comment();
    if (kind == '%' && AtWord("raw")) return Raw();
    tokens_.push_back({kind == '{' ? Token::kOutputBegin : Token::kStatementBegin, "", begin});
    return Inside(kind == '{' ? "}}" : "%}");
  }

  void PutText(size_t end) {
    if (end <= at_) return;
    tokens_.push_back({Token::kText, text_.substr(at_, end - at_), position_});
    Advance(end - at_);
  }

  // Behind the end of a tag: "-" takes all blanks, a block tag one newline unless "+" stood there.
  void AfterTag(bool minus, bool plus, bool block) {
    if (minus) {
      SkipBlanks();
    } else if (block && !plus && at_ < text_.size() && text_[at_] == '\n') {
      Advance(1);
    }
  }

  Status Comment() {
    const size_t end = text_.find("#}", at_);
    if (end == std::string::npos) return Error("a comment without its end");
    const char sign = end > at_ ? text_[end - 1] : ' ';
    Advance(end + 2 - at_);
    AfterTag(sign == '-', sign == '+', true);
    return OkStatus();
  }

  // Whether the tag's first word is `word` and all that is in it.
  bool AtWord(std::string_view word) const {
    size_t at = text_.find_first_not_of(" \t\n", at_);
    if (at == std::string::npos || text_.compare(at, word.size(), word) != 0) return false;
    at = text_.find_first_not_of(" \t\n", at + word.size());
    return at != std::string::npos &&
           (text_.compare(at, 2, "%}") == 0 || text_.compare(at, 3, "-%}") == 0);
  }

  Status Raw() {
    size_t end = text_.find("%}", at_);
    const bool minus_begin = text_[end - 1] == '-';
    Advance(end + 2 - at_);
    if (minus_begin) SkipBlanks();
    for (size_t tag = at_;; ++tag) {
      tag = text_.find("{%", tag);
      if (tag == std::string::npos) return Error("raw without endraw");
      size_t word = tag + 2;
      const char sign = word < text_.size() ? text_[word] : ' ';
      if (sign == '-' || sign == '+') ++word;
      word = text_.find_first_not_of(" \t\n", word);
      if (word == std::string::npos || text_.compare(word, 6, "endraw") != 0) continue;
      end = text_.find_first_not_of(" \t\n", word + 6);
      if (end == std::string::npos) return Error("endraw without its end");
      const char close = text_[end];
      if (close == '-' || close == '+') ++end;
      if (text_.compare(end, 2, "%}") != 0) continue;
      size_t last = tag;
      while (sign == '-' && last > at_ && IsBlank(text_[last - 1])) --last;
      PutText(last);
      Advance(end + 2 - at_);
      AfterTag(close == '-', close == '+', true);
      return OkStatus();
    }
  }

  // The tokens of a tag up to `close`.
  Status Inside(std::string_view close) {
    const bool block = close == "%}";
    std::string open;  // brackets not yet closed: "}}" may end two dicts
    while (true) {
      SkipBlanks();
      if (at_ >= text_.size()) return Error("a tag without its end");
      const bool minus = NextIs("-") && text_.compare(at_ + 1, 2, close) == 0;
      const bool plus = block && NextIs("+") && text_.compare(at_ + 1, 2, close) == 0;
      if (open.empty() && (minus || plus || NextIs(close))) {
        tokens_.push_back({block ? Token::kStatementEnd : Token::kOutputEnd, "", position_});
        Advance(minus || plus ? 3 : 2);
        AfterTag(minus, plus, block);
        return OkStatus();
      }
      FERRY_TRY(One(open));
    }
  }

  Status One(std::string& open) {
    const char c = text_[at_];
    if (IsNameStart(c)) return Name();
    if (IsDigit(c)) return Number();
    if (c == '"' || c == '\'') return String(c);
    for (const std::string_view op : {"**", "//", "==", "!=", "<=", ">="}) {
      if (NextIs(op)) return Operator(2);
    }
    if (std::string_view("+-*/%~<>=.,:|()[]{}").find(c) == std::string_view::npos) {
      return Error(fmt::format("an unexpected character {:?}", std::string_view(&c, 1)));
    }
    if (c == '(' || c == '[' || c == '{') open += c;
    if (c == ')' || c == ']' || c == '}') {
      const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.empty() || open.back() != wanted) return Error("a bracket that was not opened");
      open.pop_back();
    }
    return Operator(1);
  }

  Status Operator(size_t length) {
    tokens_.push_back({Token::kOperator, text_.substr(at_, length), position_});
    Advance(length);
    return OkStatus();
  }

  Status Name() {
    size_t end = at_;
    while (end < text_.size() && (IsNameStart(text_[end]) || IsDigit(text_[end]))) ++end;
    tokens_.push_back({Token::kName, text_.substr(at_, end - at_), position_});
    Advance(end - at_);
    return OkStatus();
  }

  Status Number() {
    const Position begin = position_;
    std::string digits;
    bool real = false;
    for (; at_ < text_.size(); Advance(1)) {
      const char c = text_[at_];
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
      if (IsDigit(c)) {
        digits += c;
      } else if (c == '_' && IsDigit(next)) {
        continue;
      } else if (c == '.' && !real && IsDigit(next)) {
        real = true;
        digits += c;
      } else if ((c == 'e' || c == 'E') && digits.find('e') == std::string::npos &&
                 (IsDigit(next) || next == '-' || next == '+')) {
        real = true;
        digits += 'e';
        digits += next;
        Advance(1);
      } else {
        break;
      }
    }
    tokens_.push_back({real ? Token::kFloat : Token::kInteger, digits, begin});
    return OkStatus();
  }

  Status String(char quote) {
    const Position begin = position_;
    std::string value;
    for (Advance(1); at_ < text_.size(); Advance(1)) {
      char c = text_[at_];
      if (c == quote) {
        Advance(1);
        tokens_.push_back({Token::kString, std::move(value), begin});
        return OkStatus();
      }
      if (c != '\\') {
        value += c;
        continue;
      }
      Advance(1);
      if (at_ >= text_.size()) break;
      FERRY_TRY(Escape(text_[at_], value));
    }
    return SyntaxError(Code::kMalformed, begin, "a string without its end");
  }

  // Leaves at_ on the last character of the escape.
  Status Escape(char c, std::string& value);

  const std::string text_;
  size_t at_ = 0;
  Position position_;
  std::vector<Token> tokens_;
};

Status Scanner::Escape(char c, std::string& value) {
  constexpr std::string_view kFrom = "nrtbfav0";
  constexpr std::string_view kTo("\n\r\t\b\f\a\v\0", 8);
  const size_t found = kFrom.find(c);
  if (found != std::string_view::npos) {
    value += kTo[found];
  } else if (c == '\\' || c == '\'' || c == '"') {
    value += c;
  } else if (c == 'x' || c == 'u' || c == 'U') {
    const size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    uint32_t point = 0;
    for (size_t i = 1; i <= count; ++i) {
      const char digit = at_ + i < text_.size() ? text_[at_ + i] : ' ';
      const size_t hex = std::string_view("0123456789abcdefABCDEF").find(digit);
      if (hex == std::string_view::npos) return Error("an escape without its digits");
      point = point << 4 | static_cast<uint32_t>(hex < 16 ? hex : hex - 6);
    }
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
      return Error("an escape of no character");
    }
    AppendUtf8(point, value);
    Advance(count);
  } else if (c != '\n') {  // as Python: an unknown escape stands for itself
    value += '\\';
    value += c;
  }
  return OkStatus();
}

}  // namespace

Status SyntaxError(Code code, const Position& at, std::string_view what) {
  return Status::Of(code, "line {}, column {}: {}", at.line, at.column, what);
}

Result<std::vector<Token>> Scan(std::string_view source) {
  return Scanner(source).Run();
}

}  // namespace ferry::llm::jinja
