#include <algorithm>

#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

class TextAttribute : public Predicate {
 public:
  TextAttribute(std::string_view name, Field field) : name_(name), field_(field) {}
  std::string_view name() const override { return name_; }
  Form form() const override { return Form::kAttribute; }

  Status Check(const Condition& condition) const override {
    if (condition.number)
      return Status::Of(Code::kBadRule, "{} is text: it stands in quotes", name_);
    switch (condition.comparison) {
      case Comparison::kEqual:
      case Comparison::kNotEqual:
      case Comparison::kIn:
        return OkStatus();
      default:
        return Status::Of(Code::kBadRule, "{} is text: it has no order, only ==, != and in (..)",
                          name_);
    }
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const std::optional<std::string>& value = device.*field_;
    if (!value) return {Truth::kUnknown, fmt::format("{} is not known", name_)};
    return {Decide(condition, device, {}), fmt::format("{} is {}", name_, Quote(*value))};
  }

  Truth Decide(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const std::optional<std::string>& value = device.*field_;
    if (!value) return Truth::kUnknown;
    const bool found = std::find(condition.values.begin(), condition.values.end(), *value) !=
                       condition.values.end();
    return ToTruth(found != (condition.comparison == Comparison::kNotEqual));
  }

 private:
  std::string_view name_;
  Field field_;
};

}  // namespace

std::unique_ptr<Predicate> MakeTextAttribute(std::string_view name, Field field) {
  return std::make_unique<TextAttribute>(name, field);
}

}  // namespace ferry::target
