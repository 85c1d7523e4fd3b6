// Groups with saved rules: one look at the device decides, and what is not known of it stays so.
#include "policy/target/groups.h"

#include <gmock/gmock.h>

#include "policy/text/rule_text.h"

namespace ferry::text {
namespace {

using target::Attributes;
using target::Groups;
using testing::HasSubstr;

Result<std::shared_ptr<const Groups>> Fleet(std::map<std::string, std::string> rules) {
  std::map<std::string, std::optional<target::Rule>, std::less<>> groups;
  for (const auto& [name, text] : rules) {
    std::optional<target::Rule> rule;
    if (!text.empty()) {
      auto parsed = ParseRule(text);
      FERRY_TRY(parsed.status());
      rule = *parsed;
    }
    groups.emplace(name, std::move(rule));
  }
  return Groups::Make(std::move(groups));
}

std::string Why(const std::string& rule, const Attributes& device) {
  auto why = ExplainText(rule, device, "release");
  return why.ok() ? why->reason : why.status().ToString();
}

TEST(SavedGroups, AreEvaluatedOnTheDevice) {
  auto fleet = Fleet({{"staff", ""},
                      {"phones", R"(os == "android" and memory >= 3 GiB)"},
                      {"inner", R"(group("staff") or tag("lab"))"},
                      {"third", "percent(33)"}});
  ASSERT_TRUE(fleet.ok()) << fleet.status().ToString();
  Attributes device;
  device.device_id = "d1";
  device.os = "android";
  device.fleet_groups = *fleet;
  EXPECT_EQ(Why(R"(group("phones"))", device),
            R"(outside group "phones": memory is not known, needed memory >= 3 GiB, )"
            R"(needed group("phones"))");
  // A missing attribute lets nobody in, under `not` neither.
  EXPECT_THAT(Why(R"(not group("phones"))", device), HasSubstr("memory is not known"));
  device.memory_bytes = int64_t{4} << 30;
  EXPECT_EQ(Why(R"(group("phones"))", device), "matches");
  EXPECT_THAT(Why(R"(not group("phones"))", device),
              HasSubstr("the device matches the rule of group \"phones\""));
  device.memory_bytes = int64_t{2} << 30;
  EXPECT_EQ(Why(R"(not group("phones"))", device), "matches");
  EXPECT_THAT(Why(R"(group("inner"))", device), HasSubstr("outside group \"inner\": none of"));
  device.groups = {"staff"};
  EXPECT_EQ(Why(R"(group("inner") and group("staff"))", device), "matches");
  // The group's own salt, whatever the release's is.
  for (int k = 0; k < 200; ++k) {
    device.device_id = fmt::format("d{}", k);
    auto rule = ParseRule(R"(group("third"))"), same = ParseRule(R"(percent(33, "group:third"))");
    EXPECT_EQ(Matches(*rule, device, "a"), Matches(*same, device, "b"));
    EXPECT_EQ(Matches(*rule, device, "a"), Matches(*rule, device, "b"));
  }
}

// Who takes a device's word off it takes it off the groups that are made of it too.
TEST(SavedGroups, HearNoClaimsWhereTheRuleHearsNone) {
  auto fleet = Fleet({{"staff", ""}, {"lab", R"(own_tag("lab"))"}, {"pro", R"(user("p") == "1")"}});
  ASSERT_TRUE(fleet.ok());
  Attributes device;
  device.tags = {"lab"};
  device.user["p"] = "1";
  device.groups = {"staff"};
  device.fleet_groups = *fleet;
  EXPECT_EQ(Why(R"(group("lab") and group("pro") and group("staff"))", device), "matches");
  device = target::WithoutClaims(std::move(device));
  EXPECT_THAT(Why(R"(group("lab"))", device), HasSubstr("gives itself no tags"));
  EXPECT_THAT(Why(R"(group("pro"))", device), HasSubstr("p is not known"));
  EXPECT_EQ(Why(R"(group("staff"))", device), "matches");
}

TEST(SavedGroups, WhatIsNoGroupLetsNobodyIn) {
  auto fleet = Fleet({{"staff", ""}});
  ASSERT_TRUE(fleet.ok());
  Attributes device;
  device.fleet_groups = *fleet;
  EXPECT_THAT(Why(R"(group("staf"))", device), HasSubstr("there is no group \"staf\""));
  EXPECT_THAT(Why(R"(not group("staf"))", device), HasSubstr("there is no group \"staf\""));
  EXPECT_EQ(Why(R"(not group("staff"))", device), "matches");
}

TEST(SavedGroups, NameFixedListsOnly) {
  EXPECT_THAT(Fleet({{"a", R"(group("a"))"}}).status().message(),
              HasSubstr("names \"a\", which has a rule itself"));
  EXPECT_THAT(
      Fleet({{"a", R"(not (group("b") or all))"}, {"b", R"(group("a"))"}}).status().message(),
      HasSubstr("which has a rule itself"));
  EXPECT_THAT(Fleet({{"a", R"(group("gone"))"}}).status().message(), HasSubstr("is no group"));
  EXPECT_EQ(Fleet({{"a b", ""}}).code(), Code::kInvalidArgument);
  std::map<std::string, std::string> many;
  for (size_t k = 0; k < target::kMaxGroups; ++k) many[fmt::format("g{}", k)] = "";
  EXPECT_TRUE(Fleet(many).ok());
  many["one-more"] = "";
  EXPECT_EQ(Fleet(many).code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::text
