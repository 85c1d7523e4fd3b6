#include "policy/target/predicates/make.h"
#include "policy/target/range.h"

namespace ferry::target {
namespace {

class VersionAttribute : public Predicate {
 public:
  VersionAttribute(std::string_view name, Field field) : name_(name), field_(field) {}
  std::string_view name() const override { return name_; }
  Form form() const override { return Form::kAttribute; }

  Status Check(const Condition& condition) const override {
    if (condition.number)
      return Status::Of(Code::kBadRule, "{} is a version: it stands in quotes", name_);
    for (const std::string& value : condition.values) {
      const Status status = condition.comparison == Comparison::kInRange
                                ? AsStatus(ParseRange(value))
                                : AsStatus(ParseVersion(value));
      if (!status.ok()) return Status(Code::kBadRule, status.message());
    }
    return OkStatus();
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const std::optional<std::string>& text = device.*field_;
    if (!text) return {Truth::kUnknown, fmt::format("{} is not known", name_)};
    std::string found = fmt::format("{} is {}", name_, Quote(*text));
    if (condition.comparison == Comparison::kInRange)
      return TestRange(condition.values[0], *text, std::move(found));
    const Truth truth = Decide(condition, device, {});
    if (truth == Truth::kUnknown) found += ", which is no semantic version";
    return {truth, std::move(found)};
  }

  Truth Decide(const Condition& condition, const Attributes& device,
               std::string_view salt) const override {
    if (condition.comparison == Comparison::kInRange) return Test(condition, device, salt).truth;
    const std::optional<std::string>& text = device.*field_;
    if (!text) return Truth::kUnknown;
    auto version = ParseVersion(*text);
    if (!version.ok()) return Truth::kUnknown;
    for (const std::string& value : condition.values) {
      auto bound = ParseVersion(value);
      if (bound.ok() && Holds(Compare(*version, *bound), condition.comparison)) return Truth::kTrue;
    }
    return Truth::kFalse;
  }

 private:
  std::string_view name_;
  Field field_;
};

}  // namespace

std::unique_ptr<Predicate> MakeVersionAttribute(std::string_view name, Field field) {
  return std::make_unique<VersionAttribute>(name, field);
}

}  // namespace ferry::target
