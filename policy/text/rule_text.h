// Rules as text, read and written. Pure. Grammar (own):
//
//   rule      = or
//   or        = and { "or" and }
//   and       = unary { "and" unary }
//   unary     = "not" unary | "(" rule ")" | "all" | condition
//   condition = name op string | name "in" "(" string {"," string} ")"
//             | name "(" value {"," value} ")"
//   op        = "==" | "!=" | "<" | "<=" | ">" | ">="
//   value     = string | number
//   string    = '"' with \" and \\ escapes '"'
//   number    = digits [ "." digits ]
//
// Names are the rows of policy/target/predicates/list.inc: os, app_version, device_class,
// runtime_version, extra, tag, device, percent. "#" starts a comment up to the end of the line.
#pragma once

#include <string>
#include <string_view>

#include "policy/target/rule.h"

namespace ferry::text {

inline constexpr size_t kMaxRuleBytes = 64 << 10;
inline constexpr int kMaxRuleDepth = 50;        // of parentheses and "not"
inline constexpr int kMaxConditions = 1000;     // in one rule
inline constexpr size_t kMaxListLength = 1000;  // values of one condition

// kBadRule: "line 1, column 8: expected a string after >=, found 3". kLimitExceeded past a limit.
Result<target::Rule> ParseRule(std::string_view text);

// Text that parses to the same rule; parentheses only where needed.
std::string PrintRule(const target::Rule& rule);

// The whole question in one call, as the C API asks it: parse, then explain.
Result<target::Explanation> ExplainText(std::string_view rule, const target::Attributes& device,
                                        std::string_view salt);

}  // namespace ferry::text
