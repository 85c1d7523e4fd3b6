// Tokens of rule text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace ferry::text {

enum class TokenKind { kName, kString, kNumber, kOperator, kOpen, kClose, kComma, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // of a string: unescaped; of the end: empty
  int line = 1;
  int column = 1;  // of its first character, in bytes, from 1
};

// All tokens and one kEnd. kBadRule names line and column.
Result<std::vector<Token>> Scan(std::string_view text);

// The token as a message names it: `string "x"`, `and`, `the end`.
std::string Describe(const Token& token);
Status BadRuleAt(int line, int column, std::string_view message);

}  // namespace ferry::text
