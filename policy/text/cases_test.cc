#include "common/base/json.h"
#include "policy/text/cases_testing.h"

#include <gmock/gmock.h>

#include "policy/text/rule_text.h"

namespace ferry::text {
namespace {

using testing::HasSubstr;

TEST(PolicyCases, All) {
  const std::vector<RuleCase> cases = ReadRuleCases(FERRY_SOURCE_DIR "/policy/cases");
  ASSERT_GT(cases.size(), 400u);
  for (const RuleCase& one : cases) {
    SCOPED_TRACE(one.place + ": " + one.rule);
    auto rule = ParseRule(one.rule);
    if (!one.error.empty()) {
      ASSERT_FALSE(rule.ok());
      EXPECT_EQ(rule.code(), Code::kBadRule);
      EXPECT_THAT(rule.status().message(), HasSubstr(one.error));
      continue;
    }
    ASSERT_TRUE(rule.ok()) << rule.status().ToString();
    auto json = ParseJson(one.device);
    ASSERT_TRUE(json.ok()) << json.status().ToString();
    auto device = target::AttributesFromJson(*json);
    ASSERT_TRUE(device.ok()) << device.status().ToString();
    const target::Explanation got = Explain(*rule, *device, one.salt);
    EXPECT_EQ(got.matches, one.matches) << got.reason;
    EXPECT_EQ(Matches(*rule, *device, one.salt), one.matches);
    if (one.matches)
      EXPECT_EQ(got.reason, "matches");
    else
      EXPECT_THAT(got.reason, HasSubstr(one.reason));
    if (!one.printed.empty()) {
      EXPECT_EQ(PrintRule(*rule), one.printed);
    }
    auto again = ParseRule(PrintRule(*rule));
    ASSERT_TRUE(again.ok()) << PrintRule(*rule);
    EXPECT_EQ(PrintRule(*again), PrintRule(*rule));
    EXPECT_EQ(Explain(*again, *device, one.salt).reason, got.reason);
  }
}

}  // namespace
}  // namespace ferry::text
