#include <algorithm>

#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

// extra("region", "eu", "us"): the operator's own attribute `region` has one of these values.
class Extra : public Predicate {
 public:
  std::string_view name() const override { return "extra"; }
  Form form() const override { return Form::kCall; }

  Status Check(const Condition& condition) const override {
    if (condition.values.size() >= 2) return OkStatus();
    return Status(Code::kBadRule, "extra takes a name and one or more values");
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const std::string& key = condition.values[0];
    const auto at = device.extra.find(key);
    if (at == device.extra.end()) return {Truth::kUnknown, fmt::format("{} is not known", key)};
    const bool found = std::find(condition.values.begin() + 1, condition.values.end(),
                                 at->second) != condition.values.end();
    return {ToTruth(found), fmt::format("{} is {}", key, Quote(at->second))};
  }
};

}  // namespace

std::unique_ptr<Predicate> MakeExtra() {
  return std::make_unique<Extra>();
}

}  // namespace ferry::target
