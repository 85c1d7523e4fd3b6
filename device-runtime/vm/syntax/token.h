// Tokens of the task language and the scanner that makes them. Source: the Python 3.11 language
// reference, chapter 2 (lexical analysis).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::vm {

enum class TokenType {
  kName,
  kKeyword,
  kNumber,
  kString,   // value: the bytes with escapes resolved
  kBytes,    // the same
  kFString,  // value: the text between the quotes, escapes not resolved; raw says how to read it
  kOperator,
  kNewline,
  kIndent,
  kDedent,
  kEnd,
};

struct Position {
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes
};

struct Span {
  Position at, end;  // the end is just after the last byte
};

struct Token {
  TokenType type = TokenType::kEnd;
  Position at, end;
  std::string_view text;  // in the source
  std::string value;
  bool raw = false;
  Position value_at;  // where the text of a kFString begins
};

inline constexpr int kMaxIndents = 100;
inline constexpr int kMaxBrackets = 200;

// Who allows the memory that reading and compiling a source takes, which it gives back as a whole.
class Meter {
 public:
  virtual ~Meter() = default;
  virtual bool Take(int64_t bytes) = 0;  // false: for good, there is no more
};

// A source with its name: makes the errors.
struct SourceText {
  std::string_view text;
  std::string_view file;
  Meter* meter = nullptr;  // nobody: for small sources

  bool Take(size_t bytes) const {
    return meter == nullptr || meter->Take(static_cast<int64_t>(bytes));
  }

  // ---- source_text.cc ----
  Status NoMemory() const;  // kScriptMemory, when Take has given false
  // kScriptSyntax: "file:line:column: message", then the line and carets below what is wrong.
  Status Error(Position at, std::string_view message) const { return Error({at, at}, message); }
  Status Error(const Span& span, std::string_view message) const;
  std::string Slice(const Span& span) const;
};

// ---- scanner.cc ----
// All tokens of the source, ended by kEnd. With `expression` set the text is the inside of an
// f-string field: it starts at `start` and line ends count as blanks.
Result<std::vector<Token>> Scan(const SourceText& source);
Result<std::vector<Token>> ScanExpression(const SourceText& source, std::string_view text,
                                          Position start);

// ---- escape.cc ----
// Resolves the escapes of `body`; false with `problem` set for a bad one.
bool Unescape(std::string_view body, bool bytes, std::string* out, std::string* problem);

// ---- text/text.cc ----
void AppendUtf8(uint32_t code_point, std::string* out);

// ---- scanner.cc ----
bool IsKeyword(std::string_view name);

}  // namespace ferry::vm
