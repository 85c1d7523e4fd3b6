#include "pipeline/rule/text.h"

#include <gmock/gmock.h>

#include "pipeline/rule/random_rules.h"

namespace ferry::rule {
namespace {

using testing::HasSubstr;

constexpr char kCart[] = R"(# what a cart sees
rule cart per user, item.id {
  seen: view on "detail" where price > 10 times 1..3 until { exit on home };
  then strict greedy add: "add:to" where price == seen.price and count(seen) < 3 inner any times 2;
  optional any more: * until _event == "x";  # anything
  not gone: cancel;
  within 10 min; skip first seen; max_runs 7; max_keys 8
}
rule within { within: within on within; skip none })";

TEST(RuleText, IsTheJsonForm) {
  auto rules = ParseRules(kCart);
  ASSERT_TRUE(rules.ok()) << rules.status().ToString();
  ASSERT_EQ(rules->size(), 2u);
  auto json = ParseJson(R"j({"name":"cart","per":["user","item.id"],"steps":[
    {"name":"seen","event":"view","page":"detail","where":"price > 10","times":[1,3],
     "until":{"event":"exit","page":"home"}},
    {"name":"add","event":"add:to","where":"price == seen.price and count(seen) < 3",
     "contiguity":"strict","greedy":true,"inner":"any","times":[2,2]},
    {"name":"more","optional":true,"contiguity":"any","until":"_event == \"x\""},
    {"name":"gone","event":"cancel","not":true}],
    "within_ms":600000,"skip":"first:seen","max_runs":7,"max_keys":8})j");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(RuleToJson((*rules)[0]), *json);
  EXPECT_EQ((*rules)[1].steps[0].fits.page, "within");
}

TEST(RuleText, RoundTripOfRandomRules) {
  for (size_t round = 0; round < 3000; ++round) {
    Random random(round);
    Rule rule = RandomRule(random);
    if (OneIn(random, 3)) rule.name = "r:1-" + std::to_string(round);
    if (OneIn(random, 3)) rule.max_runs = static_cast<uint32_t>(1 + Below(random, 99));
    ASSERT_TRUE(CheckRule(rule).ok());
    auto from_text = ParseRules(RuleToText(rule));
    ASSERT_TRUE(from_text.ok()) << from_text.status().ToString() << "\n" << RuleToText(rule);
    EXPECT_EQ(from_text->at(0), rule) << RuleToText(rule);
    auto from_json = ParseRules(WriteJson(Json::array({RuleToJson(rule)})));
    ASSERT_TRUE(from_json.ok()) << from_json.status().ToString();
    EXPECT_EQ(from_json->at(0), rule);
  }
}

TEST(RuleText, ErrorsNameLineAndColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"rul x", "line 1, column 1: expected rule, found 'rul'"},
      {"rule", "line 1, column 5: expected the rule's name, found the end"},
      {"rule x {\n  a b }", "line 2, column 3: expected a step: its name and a colon, found 'a'"},
      {"rule x {\n  a: b where price > }", "line 2, column 22: expected a value, found '}'"},
      {"rule x {\n  a: b;\n  c: d where p == sum(a) }", "line 3, column 23: expected the name of"},
      {"rule x { a: b times }", "line 1, column 21: expected a number of times, found '}'"},
      {"rule x { a: b times 2. }", "expected .."},
      {"rule x { a: b; within 3 weeks }", "column 25: expected ms, s, min, h or d, found 'weeks'"},
      {"rule x { a: b; within 9999 d }", "within is over 366 days"},
      {"rule x { a: b; skip all }", "expected past_last, none, next, first or last"},
      {"rule x { a: \"b }", "line 1, column 13: a name without closing quote"},
      {"rule x { a: b inner c }", "expected strict, relaxed or any, found 'c'"},
      {"rule x { a: b until { c ; }", "expected }, found ';'"},
      {"rule x { a: b }\nrule y { }", "line 2, column 1: rule y: a rule without steps"},
      {"rule x { a: b }\nrule x { a: b }", "line 2, column 1: two rules have the name x"},
      {"rule x { a: b times 99999999999999999999 }", "column 21: a number out of range"},
      {"rule x { a: b where c.p > 1; c: d }", "rule x: step a: where: column 1: c is a later step"},
      {"rule x { a: b", "expected ; or }, found the end"}};
  for (const auto& [text, part] : cases) {
    auto rules = ParseRules(text);
    ASSERT_FALSE(rules.ok()) << text;
    EXPECT_THAT(rules.status().message(), HasSubstr(part)) << text;
  }
}

TEST(RuleText, LimitsAreExact) {
  const auto with_steps = [](size_t steps) {
    std::string text = "rule r {";
    for (size_t k = 0; k < steps; ++k) text += " s" + std::to_string(k) + ": e;";
    return text + "}";
  };
  EXPECT_TRUE(ParseRules(with_steps(kMaxSteps)).ok());
  EXPECT_EQ(ParseRules(with_steps(kMaxSteps + 1)).code(), Code::kLimitExceeded);
  const auto with_times = [](uint32_t first, uint32_t second) {
    return fmt::format(
        "rule r {{ a: e times 1..{}; b: e times 1..1000; c: e times 1..1000; "
        "d: e times 1..{} }}",
        first, second);
  };
  EXPECT_TRUE(ParseRules(with_times(kMaxTimes, kMaxTimes)).ok());
  EXPECT_EQ(ParseRules(with_times(kMaxTimes + 1, 1)).code(), Code::kLimitExceeded);
  EXPECT_EQ(ParseRules("rule r { a: e times 1000; b: e times 1000; c: e times 1000; "
                       "d: e times 1000; f: e }")
                .code(),
            Code::kLimitExceeded);
  const auto with_limits = [](uint32_t runs, uint32_t keys) {
    return fmt::format("rule r {{ a: e; max_runs {}; max_keys {} }}", runs, keys);
  };
  EXPECT_TRUE(ParseRules(with_limits(kMaxRunsLimit, kMaxKeysLimit)).ok());
  EXPECT_EQ(ParseRules(with_limits(kMaxRunsLimit + 1, 1)).code(), Code::kLimitExceeded);
  EXPECT_EQ(ParseRules(with_limits(1, kMaxKeysLimit + 1)).code(), Code::kLimitExceeded);
  EXPECT_FALSE(ParseRules(with_limits(0, 1)).ok());
  std::string long_text(kMaxRuleTextBytes, ' ');
  EXPECT_TRUE(ParseRules(long_text).ok());
  EXPECT_EQ(ParseRules(long_text + " ").code(), Code::kLimitExceeded);
  EXPECT_TRUE(ParseRules("rule r per a,b,c,d,e,f,g,h { x: y }").ok());
  EXPECT_EQ(ParseRules("rule r per a,b,c,d,e,f,g,h,i { x: y }").code(), Code::kLimitExceeded);
}

TEST(RuleText, MutatedTextsGiveErrorsOnly) {
  Random random(5);
  const std::string texts[] = {kCart,
                               WriteJson({{"rules", {RuleToJson(ParseRules(kCart)->at(0))}}})};
  size_t good = 0;
  for (size_t round = 0; round < 6000; ++round) {
    std::string text = texts[round % 2];
    for (size_t k = 1 + Below(random, 3); k > 0; --k) {
      const size_t at = Below(random, text.size());
      if (OneIn(random, 3))
        text.erase(at, 1 + Below(random, 4));
      else if (OneIn(random, 2))
        text.insert(at, text.substr(Below(random, text.size()), 1 + Below(random, 12)));
      else
        text[at] = static_cast<char>(Below(random, 256));
    }
    auto rules = ParseRules(text);
    if (!rules.ok()) {
      EXPECT_FALSE(rules.status().message().empty());
      continue;
    }
    ++good;
    for (const Rule& rule : *rules) {
      auto again = ParseRules(RuleToText(rule));
      ASSERT_TRUE(again.ok()) << again.status().ToString() << RuleToText(rule);
      EXPECT_EQ(again->at(0), rule);
    }
  }
  EXPECT_GT(good, 100u);
}

TEST(RuleText, OneRuleMayLackTheWord) {
  const auto name = [](const char* text) {
    auto rule = RuleFromText(text);
    return rule.ok() ? rule->name : rule.status().message();
  };
  EXPECT_EQ(name("rule cart { a: b }"), "cart");
  EXPECT_EQ(name("\n# comment\ncart per user { a: b }"), "cart");
  EXPECT_EQ(name("rule { a: b }"), "rule");
  EXPECT_EQ(name("rule per user { a: b }"), "rule");
  EXPECT_EQ(name("rule rule { a: b }"), "rule");
  EXPECT_THAT(name("cart { a: b } more { a: b }"),
              HasSubstr("line 1, column 15: expected the end"));
  EXPECT_THAT(name("cart { a: b where c > }"), HasSubstr("line 1, column 23: expected a value"));
  EXPECT_THAT(name("cart { not a: b }"), HasSubstr("rule cart: "));
  EXPECT_THAT(name(""), HasSubstr("expected the rule's name"));
}

TEST(RuleText, RulesHaveNoKeyForHashes) {
  EXPECT_THAT(RulesFromText("rule x { a: b where keyed_hash(c) == \"d\" }").status().message(),
              HasSubstr("keyed_hash is for streams"));
}

}  // namespace
}  // namespace ferry::rule
