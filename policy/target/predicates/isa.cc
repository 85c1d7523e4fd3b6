#include <algorithm>

#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

// What the processor runs is a set: isa == "avx2" and isa in ("avx2", "neon") ask whether it has
// one of these, isa != "avx2" whether it has not.
class Isa : public Predicate {
 public:
  std::string_view name() const override { return "isa"; }
  Form form() const override { return Form::kAttribute; }

  Status Check(const Condition& condition) const override {
    const Comparison c = condition.comparison;
    const bool set = c == Comparison::kEqual || c == Comparison::kNotEqual || c == Comparison::kIn;
    if (set && !condition.number) return OkStatus();
    return Status(Code::kBadRule, "isa is a set of names: it takes only ==, != and in");
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    if (device.isa.empty()) return {Truth::kUnknown, "isa is not known"};
    const bool found = std::any_of(device.isa.begin(), device.isa.end(), [&](const auto& one) {
      return std::find(condition.values.begin(), condition.values.end(), one) !=
             condition.values.end();
    });
    std::string text = "isa is";
    for (const std::string& one : device.isa) text += ' ' + Quote(one);
    return {ToTruth(found != (condition.comparison == Comparison::kNotEqual)), std::move(text)};
  }
};

}  // namespace

std::unique_ptr<Predicate> MakeIsa() {
  return std::make_unique<Isa>();
}

}  // namespace ferry::target
