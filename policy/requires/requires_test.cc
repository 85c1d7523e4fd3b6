#include "policy/requires/requires.h"

#include <gmock/gmock.h>

#include "common/base/json.h"

namespace ferry::requires_ {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Requires Needs(const std::string& text) {
  auto needs = RequiresFromText(text);
  EXPECT_TRUE(needs.ok()) << needs.status().ToString();
  return needs.ok() ? *needs : Requires();
}

std::string Why(const std::string& needs, const std::string& device,
                const std::map<std::string, std::string>& packages = {}) {
  auto attributes = target::AttributesFromJson(*ParseJson(device));
  EXPECT_TRUE(attributes.ok()) << attributes.status().ToString();
  const Fit fit = CheckRequires(Needs(needs), *attributes, packages);
  EXPECT_EQ(fit.fits, fit.why == "fits");
  return fit.why;
}

TEST(Requires, OfTheMachine) {
  EXPECT_EQ(Why("", "{}"), "fits");
  EXPECT_EQ(Why("{}", "{}"), "fits");
  // A plain version is the least one, as the first release reads it.
  const std::string least = R"({"runtime":"0.2.0"})";
  EXPECT_EQ(Why(least, R"({"runtime_version":"0.2.0"})"), "fits");
  EXPECT_EQ(Why(least, R"({"runtime_version":"1.0.0"})"), "fits");
  EXPECT_EQ(Why(least, R"({"runtime_version":"0.1.9"})"),
            "needs runtime 0.2.0, runtime_version is 0.1.9");
  EXPECT_EQ(Why(least, "{}"), "needs runtime 0.2.0, runtime_version is not known");
  EXPECT_EQ(Why(R"({"runtime":"^0.2"})", R"({"runtime_version":"0.3.0"})"),
            "needs runtime ^0.2, runtime_version is 0.3.0");
  const std::string os = R"({"os":["ios","android"]})";
  EXPECT_EQ(Why(os, R"({"os":"android"})"), "fits");
  EXPECT_EQ(Why(os, R"({"os":"linux"})"), "needs os ios or android, os is linux");
  EXPECT_EQ(Why(os, "{}"), "needs os ios or android, os is not known");
  const std::string isa = R"({"isa":["avx2","neon"]})";
  EXPECT_EQ(Why(isa, R"({"isa":["arm64","neon"]})"), "fits");
  EXPECT_EQ(Why(isa, R"({"isa":["x86_64"]})"), "needs isa avx2 or neon, isa is x86_64");
  EXPECT_EQ(Why(isa, "{}"), "needs isa avx2 or neon, isa is not known");
  const std::string at_rest = R"({"at_rest":"sealed"})";
  EXPECT_EQ(Why(at_rest, R"({"at_rest":true})"), "fits");
  EXPECT_EQ(Why(at_rest, "{}"), "needs at_rest sealed, the device has no key for it");
  const std::string memory = R"({"memory":"2 GiB"})";
  EXPECT_EQ(Why(memory, R"({"memory_bytes":2147483648})"), "fits");
  EXPECT_EQ(Why(memory, R"({"memory_bytes":2147483647})"),
            "needs memory >= 2 GiB, memory is 1.99 GiB");
  EXPECT_EQ(Why(memory, "{}"), "needs memory >= 2 GiB, memory is not known");
}

TEST(Requires, OfOtherPackages) {
  const std::string adapter = R"({"packages":{"base":"^1.2"},"base":"base"})";
  EXPECT_EQ(Needs(adapter).base, "base");
  EXPECT_EQ(Why(adapter, "{}", {{"base", "1.4.0"}}), "fits");
  EXPECT_EQ(Why(adapter, "{}", {{"base", "2.0.0"}}),
            "needs package base ^1.2, the device has 2.0.0");
  EXPECT_EQ(Why(adapter, "{}", {{"other", "1.2.0"}}),
            "needs package base ^1.2, which the device has not");
}

TEST(Requires, WhatIsNeededIsPublishedInAVersionThatFits) {
  const Requires needs = Needs(R"({"packages":{"base":"^1.2","words":"*"}})");
  const auto check = [&](std::map<std::string, std::vector<std::string>> published) {
    return CheckPublished(needs, published).message();
  };
  EXPECT_EQ(check({{"base", {"1.1.0", "1.3.0"}}, {"words", {"0.1.0"}}}), "");
  EXPECT_EQ(check({{"base", {"1.3.0"}}}), "needs package words *, of which nothing is published");
  EXPECT_EQ(check({{"base", {"1.1.0", "2.0.0"}}, {"words", {"0.1.0"}}}),
            "needs package base ^1.2, of which only 1.1.0, 2.0.0 are published");
  EXPECT_TRUE(CheckPackages(needs, {{"base", "1.2.0"}, {"words", "0.1.0"}}).ok());
  EXPECT_EQ(CheckPackages(needs, {{"base", "1.1.0"}, {"words", "0.1.0"}}).message(),
            "needs package base ^1.2, the device has 1.1.0");
}

TEST(Requires, Form) {
  for (const auto& [text, part] : std::map<std::string, std::string>{
           {"[]", "it is no object"},
           {R"({"runtimes":"1"})", "requires.runtimes: there is no such requirement"},
           {R"({"runtime":"soon"})", "requires.runtime: "},
           {R"({"runtime":3})", "runtime"},
           {R"({"os":"ios"})", "os"},
           {R"({"os":[]})", "no device would fit"},
           {R"({"isa":[""]})", "requires.isa: it is empty"},
           {R"({"at_rest":"plain"})", "requires.at_rest: it is \"plain\", wanted \"sealed\""},
           {R"({"memory":"2"})", "it needs a unit"},
           {R"({"packages":{"a":"x.y"}})", "requires.packages.a: "},
           {R"({"packages":{"a":1}})", "a"},
           {R"({"base":"a"})", "requires.base: \"a\" is not among the packages"}}) {
    auto needs = RequiresFromText(text);
    EXPECT_EQ(needs.code(), Code::kMalformed) << text;
    EXPECT_THAT(needs.status().message(), HasSubstr(part)) << text;
  }
  Json many = {{"packages", Json::object()}};
  for (size_t k = 0; k < kMaxPackages; ++k) many["packages"]["p" + std::to_string(k)] = "*";
  EXPECT_TRUE(RequiresFromJson(many).ok());
  many["packages"]["more"] = "*";
  EXPECT_EQ(RequiresFromJson(many).code(), Code::kLimitExceeded);
  EXPECT_EQ(RequiresFromText(std::string(kMaxRequiresBytes + 1, ' ')).code(), Code::kLimitExceeded);
  EXPECT_EQ(RequiresFromJson({{"os", std::vector<std::string>(kMaxNames + 1, "x")}}).code(),
            Code::kLimitExceeded);
}

TEST(Order, DependenciesComeFirst) {
  const auto on = [](std::initializer_list<const char*> names) {
    Requires needs;
    for (const char* name : names) needs.packages[name] = "*";
    return needs;
  };
  auto order = DependencyOrder({{"a", on({"z", "m"})},
                                {"b", on({})},
                                {"m", on({"z"})},
                                {"z", on({"not here"})},
                                {"c", on({"a", "b"})}});
  ASSERT_TRUE(order.ok()) << order.status().ToString();
  EXPECT_THAT(*order, ElementsAre("b", "z", "m", "a", "c"));
  EXPECT_TRUE(DependencyOrder({})->empty());

  EXPECT_EQ(DependencyOrder({{"a", on({"a"})}}).status().message(),
            "packages need each other: a needs a");
  auto cycle = DependencyOrder(
      {{"a", on({"b"})}, {"b", on({"c"})}, {"c", on({"d"})}, {"d", on({"b"})}, {"e", on({})}});
  EXPECT_EQ(cycle.code(), Code::kInvalidArgument);
  EXPECT_EQ(cycle.status().message(), "packages need each other: b needs c needs d needs b");
}

TEST(Order, ALongChainTakesNoStack) {
  std::map<std::string, Requires> chain;
  for (int k = 0; k < 20000; ++k)
    chain[fmt::format("p{:05}", k)].packages[fmt::format("p{:05}", k + 1)] = "*";
  auto order = DependencyOrder(chain);
  ASSERT_TRUE(order.ok());
  EXPECT_EQ(order->front(), "p19999");
  EXPECT_EQ(order->back(), "p00000");
}

}  // namespace
}  // namespace ferry::requires_
