#include "policy/text/rule_text.h"
#include "common/base/check.h"
#include "policy/target/rule.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

// What was read is printed, and the print is read as the same rule.
void RunRuleText(ByteView bytes) {
  auto rule = text::ParseRule(AsText(bytes));
  if (!rule.ok()) return;
  const std::string printed = text::PrintRule(*rule);
  auto again = text::ParseRule(printed);
  // The print has one form for each string and may be longer than what was written.
  if (!again.ok()) {
    CHECK(again.code() == Code::kLimitExceeded) << printed << ": " << again.status().ToString();
    return;
  }
  CHECK(text::PrintRule(*again) == printed) << printed;
  target::Attributes known;
  known.device_id = "00112233445566778899aabbccddeeff";
  known.os = "android";
  known.app_version = "1.4.0";
  known.tags = {"beta"};
  known.extra["region"] = "eu";
  known.extra["battery"] = "20";
  known.user["plan"] = "pro";
  known.memory_bytes = int64_t{4} << 30;
  known.free_bytes = 0;
  known.isa = {"x86_64", "avx2"};
  known.measured_class = "mid";
  known.groups = {"staff"};
  for (const target::Attributes& device : {target::Attributes(), known}) {
    const target::Explanation explanation = target::Explain(*rule, device, "salt");
    CHECK(explanation.matches == target::Matches(*rule, device, "salt"));
    CHECK(explanation.matches == target::Matches(*again, device, "salt")) << printed;
    CHECK(!explanation.reason.empty());
  }
}

std::vector<Bytes> RuleTextSeeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view rule :
       {R"(os == "android" and app_version >= "1.2.0" and not (tag("beta") or percent(20)))",
        R"(device_class in ("high", "mid") or extra("region", "eu") # a comment)",
        R"(runtime_version < "2.0.0-rc.1" and percent(0.5, "sa\"l\\t") and device("0011"))",
        R"(memory >= 1.5 GiB and free_space < 20MB or isa in ("avx2") and group("staff", "a"))",
        R"(extra("battery") > -20.5 and user("plan") in ("pro") and app_version in "^1.2 || 3.x")",
        "not not all"}) {
    CHECK(text::ParseRule(rule).ok()) << text::ParseRule(rule).status().ToString();
    seeds.push_back(ToBytes(AsBytes(rule)));
  }
  return seeds;
}

}  // namespace

const Target kRuleTextTarget = {"rule_text", RunRuleText, RuleTextSeeds};

}  // namespace ferry::fuzz
