// Random rules against a naive evaluator of the same text, and mutated texts against the parser.
#include <gtest/gtest.h>

#include <random>

#include "policy/target/bucket.h"
#include "policy/target/version.h"
#include "policy/text/rule_text.h"

namespace ferry::text {
namespace {

using target::Attributes;

// A rule as text together with a direct evaluation: -1 unknown, 0 false, 1 true.
struct Naive {
  std::string text;
  int truth;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Attributes Device() {
    Attributes device;
    if (Below(5) > 0) device.device_id = "d" + std::to_string(Below(50));
    if (Below(4) > 0) device.os = Os();
    if (Below(4) > 0) device.app_version = Version();
    for (const char* tag : {"a", "b"})
      if (Below(2) == 0) device.tags.push_back(tag);
    return device;
  }

  Naive Rule(const Attributes& device, int depth) {
    const int pick = depth == 0 ? Below(4) : Below(8);
    if (pick == 4) {
      Naive child = Rule(device, depth - 1);
      return {"not (" + child.text + ")", child.truth < 0 ? -1 : 1 - child.truth};
    }
    if (pick > 4) {
      const bool is_and = pick == 5 || pick == 6;
      Naive out = Rule(device, depth - 1);
      out.text = "(" + out.text + ")";
      for (int k = Below(3) + 1; k > 0; --k) {
        Naive next = Rule(device, depth - 1);
        out.text += (is_and ? " and (" : " or (") + next.text + ")";
        out.truth = is_and ? And(out.truth, next.truth) : Or(out.truth, next.truth);
      }
      return out;
    }
    return Leaf(device, pick);
  }

  uint32_t Below(uint32_t bound) { return random_() % bound; }

 private:
  static int And(int a, int b) { return a == 0 || b == 0 ? 0 : (a < 0 || b < 0 ? -1 : 1); }
  static int Or(int a, int b) { return a == 1 || b == 1 ? 1 : (a < 0 || b < 0 ? -1 : 0); }
  std::string Os() { return Below(2) == 0 ? "ios" : "android"; }
  std::string Version() {
    return fmt::format("{}.{}.0{}", Below(3), Below(12), Below(3) == 0 ? "-rc.1" : "");
  }

  Naive Leaf(const Attributes& device, int pick) {
    if (pick == 0) {
      const std::string os = Os();
      return {"os == \"" + os + "\"", device.os ? *device.os == os : -1};
    }
    if (pick == 1) {
      const std::string bound = Version();
      int truth = -1;
      if (device.app_version) truth = Less(*device.app_version, bound);
      return {"app_version < \"" + bound + "\"", truth};
    }
    if (pick == 2) {
      const std::string tag = Below(2) == 0 ? "a" : "b";
      int truth = 0;
      for (const std::string& one : device.tags) truth |= one == tag;
      return {"tag(\"" + tag + "\")", truth};
    }
    const uint32_t percent = Below(101);
    int truth = -1;
    if (!device.device_id.empty())
      truth = target::BucketOf("salt", device.device_id) < percent * target::kOnePercent;
    return {fmt::format("percent({})", percent), truth};
  }

  // Naive order of "x.y.0[-rc.1]".
  static int Less(const std::string& a, const std::string& b) {
    int a0, a1, b0, b1;
    sscanf(a.c_str(), "%d.%d", &a0, &a1);
    sscanf(b.c_str(), "%d.%d", &b0, &b1);
    if (a0 != b0) return a0 < b0;
    if (a1 != b1) return a1 < b1;
    return (a.find("rc") != std::string::npos) && (b.find("rc") == std::string::npos);
  }

  std::mt19937 random_;
};

TEST(RuleProperty, AgreesWithNaiveEvaluator) {
  Generator generator(1);
  for (int round = 0; round < 5000; ++round) {
    const Attributes device = generator.Device();
    const Naive naive = generator.Rule(device, 3);
    auto rule = ParseRule(naive.text);
    ASSERT_TRUE(rule.ok()) << naive.text << ": " << rule.status().ToString();
    EXPECT_EQ(Matches(*rule, device, "salt"), naive.truth == 1) << naive.text;
    const target::Explanation why = Explain(*rule, device, "salt");
    EXPECT_EQ(why.matches, naive.truth == 1);
    EXPECT_FALSE(why.reason.empty());
    const std::string printed = PrintRule(*rule);
    auto again = ParseRule(printed);
    ASSERT_TRUE(again.ok()) << printed;
    EXPECT_EQ(PrintRule(*again), printed);
    EXPECT_EQ(Matches(*again, device, "salt"), naive.truth == 1) << printed;
  }
}

TEST(RuleProperty, MutatedTextNeverBreaksTheParser) {
  Generator generator(2);
  const std::string base =
      R"(not os == "android" and (app_version >= "1.2.0" or tag("b\"c")) and percent(2.5, "s"))"
      " # x";
  for (int round = 0; round < 4000; ++round) {
    std::string text = base;
    for (uint32_t edits = 1 + generator.Below(4); edits > 0; --edits) {
      const size_t at = generator.Below(static_cast<uint32_t>(text.size()));
      const auto byte = static_cast<char>(generator.Below(256));
      if (generator.Below(3) == 0)
        text.erase(at, 1 + generator.Below(5));
      else if (generator.Below(2) == 0)
        text.insert(at, 1, byte);
      else
        text[at] = byte;
      if (text.empty()) text = "x";
    }
    auto rule = ParseRule(text);
    if (!rule.ok()) {
      EXPECT_EQ(rule.code(), Code::kBadRule) << text;
      EXPECT_FALSE(rule.status().message().empty());
    } else {
      EXPECT_TRUE(ParseRule(PrintRule(*rule)).ok()) << PrintRule(*rule);
    }
  }
}

std::string Nested(int depth) {
  return std::string(static_cast<size_t>(depth), '(') + "all" +
         std::string(static_cast<size_t>(depth), ')');
}

TEST(RuleLimits, DepthConditionsListAndLength) {
  EXPECT_TRUE(ParseRule(Nested(kMaxRuleDepth)).ok());
  EXPECT_EQ(ParseRule(Nested(kMaxRuleDepth + 1)).code(), Code::kLimitExceeded);
  EXPECT_EQ(ParseRule(Nested(20000)).code(), Code::kLimitExceeded);

  std::string many = "tag(\"x\")";
  for (int k = 1; k < kMaxConditions; ++k) many += " or tag(\"x\")";
  EXPECT_TRUE(ParseRule(many).ok());
  EXPECT_EQ(ParseRule(many + " or tag(\"x\")").code(), Code::kLimitExceeded);

  std::string list = "os in (\"x\"";
  for (size_t k = 1; k < kMaxListLength; ++k) list += ",\"x\"";
  EXPECT_TRUE(ParseRule(list + ")").ok());
  EXPECT_EQ(ParseRule(list + ",\"x\")").code(), Code::kLimitExceeded);

  std::string longest = "all #";
  longest.resize(kMaxRuleBytes, 'x');
  EXPECT_TRUE(ParseRule(longest).ok());
  EXPECT_EQ(ParseRule(longest + "x").code(), Code::kLimitExceeded);
}

TEST(RuleText, ErrorsNameTheLine) {
  auto rule = ParseRule("os == \"a\"\n  and os = \"b\"");
  ASSERT_FALSE(rule.ok());
  EXPECT_EQ(rule.status().message(), "line 2, column 10: = is no operator, write ==");
}

}  // namespace
}  // namespace ferry::text
