// Rules as text, read and written. Pure. Grammar (own):
//
//   rule      = or
//   or        = and { "or" and }
//   and       = unary { "and" unary }
//   unary     = "not" unary | "(" rule ")" | "all" | condition
//   condition = name test | name "(" string ")" test | name "(" value {"," value} ")"
//   test      = op string | op number [ unit ] | "in" "(" string {"," string} ")" | "in" string
//   op        = "==" | "!=" | "<" | "<=" | ">" | ">="
//   value     = string | number
//   string    = '"' with \" and \\ escapes '"'
//   number    = [ "-" ] digits [ "." digits ]
//   unit      = "B" | "KiB" | "MiB" | "GiB" | "TiB" | "KB" | "MB" | "GB" | "TB"
//
// Names are the rows of policy/target/predicates/list.inc; ../README.md says what each takes. Tags
// are the operator's or the device's own: operator_tag("x") is what the operator calls the device,
// own_tag("x") what it calls itself, tag("x") either; tag("eu/de") also takes "eu/de/berlin". "in"
// before one string asks for a range of versions (policy/target/range.h). A number after extra(..)
// or user(..) compares numbers, a string texts. Only `device`, `group` with a fixed list, `percent`
// and `operator_tag` test nothing that a device says of itself. "#" starts a comment up to the end
// of the line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/target/rule.h"

namespace ferry::text {

inline constexpr size_t kMaxRuleBytes = 64 << 10;
inline constexpr int kMaxRuleDepth = 50;        // of parentheses and "not"
inline constexpr int kMaxConditions = 1000;     // in one rule
inline constexpr size_t kMaxListLength = 1000;  // values of one condition

// kBadRule: "line 1, column 9: \"next\" is no semantic version". kLimitExceeded past a limit.
Result<target::Rule> ParseRule(std::string_view text);
// The same language with other names than those of policy/target, which must outlive the
// rule: of lists that are searched by it.
Result<target::Rule> ParseRule(std::string_view text,
                               const std::vector<const target::Predicate*>& names);

// Text that parses to the same rule; parentheses only where needed.
std::string PrintRule(const target::Rule& rule);

// The whole question in one call, as the C API asks it: parse, then explain.
Result<target::Explanation> ExplainText(std::string_view rule, const target::Attributes& device,
                                        std::string_view salt);

}  // namespace ferry::text
