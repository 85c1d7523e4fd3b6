// The scanner's output. Source: Jinja 3's template designer documentation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::llm::jinja {

struct Position {
  int line = 1;
  int column = 1;
};

struct Token {
  enum Kind {
    kText,            // between tags, white space control done
    kOutputBegin,     // {{
    kOutputEnd,       // }}
    kStatementBegin,  // {%
    kStatementEnd,    // %}
    kName,
    kString,  // without quotes, escapes resolved
    kInteger,
    kFloat,
    kOperator,
    kEnd,
  };
  Kind kind;
  std::string text;
  Position at;
};

// kMalformed names line and column. The result ends with kEnd.
Result<std::vector<Token>> Scan(std::string_view source);

Status SyntaxError(Code code, const Position& at, std::string_view what);

}  // namespace ferry::llm::jinja
