#include "policy/target/predicates/make.h"
#include "policy/target/version.h"

namespace ferry::target {
namespace {

bool Holds(std::strong_ordering order, Comparison comparison) {
  switch (comparison) {
    case Comparison::kLess:
      return order < 0;
    case Comparison::kLessEqual:
      return order <= 0;
    case Comparison::kGreater:
      return order > 0;
    case Comparison::kGreaterEqual:
      return order >= 0;
    case Comparison::kNotEqual:
      return order != 0;
    default:
      return order == 0;
  }
}

class VersionAttribute : public Predicate {
 public:
  VersionAttribute(std::string_view name, Field field) : name_(name), field_(field) {}
  std::string_view name() const override { return name_; }
  Form form() const override { return Form::kAttribute; }

  Status Check(const Condition& condition) const override {
    for (const std::string& value : condition.values)
      if (auto version = ParseVersion(value); !version.ok())
        return Status(Code::kBadRule, version.status().message());
    return OkStatus();
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const std::optional<std::string>& text = device.*field_;
    if (!text) return {Truth::kUnknown, fmt::format("{} is not known", name_)};
    auto version = ParseVersion(*text);
    std::string found = fmt::format("{} is {}", name_, Quote(*text));
    if (!version.ok()) return {Truth::kUnknown, found + ", which is no semantic version"};
    for (const std::string& value : condition.values) {
      auto bound = ParseVersion(value);
      const bool holds = bound.ok() && Holds(Compare(*version, *bound), condition.comparison);
      if (holds) return {Truth::kTrue, std::move(found)};
    }
    return {Truth::kFalse, std::move(found)};
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
