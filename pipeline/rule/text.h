// Rules as text, which people write; the grammar is that of the JSON form. # begins a comment.
//
//   rule NAME [per FIELD, ..] {
//     STEP; .. within 10 min; skip past_last; max_runs 100; max_keys 50
//   }
//   STEP: [then] [strict|relaxed|any] [not] [optional] [greedy] NAME: FITS [times N|A..B]
//         [inner strict|relaxed|any] [until EXPRESSION | until {FITS}]
//   FITS: EVENT|* [on PAGE] [where EXPRESSION]
//   skip: past_last | none | next | first NAME | last NAME      units: ms s min h d
//
// Names are words of letters, digits and _ - . / or stand in double quotes. Parts are parted by
// semicolons and stand in any order; steps are in the order of time. For example:
//
//   rule cart per user {
//     seen: view on detail where price > 10 times 1..3;
//     then strict add: add_to_cart where price == seen.price;
//     not gone: remove;
//     within 10 min
//   }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/rule/rule.h"

namespace ferry::rule {

// Any number of rules; names are given once. kMalformed or kLimitExceeded: "line 3, column 7: ..".
// Every rule is checked.
Result<std::vector<Rule>> RulesFromText(std::string_view text);

// One rule, before which the word `rule` may be left out.
Result<Rule> RuleFromText(std::string_view text);

// Either form: JSON when the text begins with { or [. At most kMaxRuleTextBytes.
Result<std::vector<Rule>> ParseRules(std::string_view text);

// ---- write.cc

// The text of a checked rule; RulesFromText gives the rule back.
std::string RuleToText(const Rule& rule);

}  // namespace ferry::rule
