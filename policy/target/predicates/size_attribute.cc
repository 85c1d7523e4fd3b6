#include "policy/target/number.h"
#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

class SizeAttribute : public Predicate {
 public:
  SizeAttribute(std::string_view name, SizeField field) : name_(name), field_(field) {}
  std::string_view name() const override { return name_; }
  Form form() const override { return Form::kAttribute; }

  Status Check(const Condition& condition) const override {
    const Comparison c = condition.comparison;
    if (!condition.number || c == Comparison::kIn || c == Comparison::kInRange)
      return Status::Of(Code::kBadRule, "{} is a size: compare it with one such as 512 MiB", name_);
    return AsStatus(ParseSize(condition.values[0]));
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const std::optional<int64_t>& bytes = device.*field_;
    if (!bytes) return {Truth::kUnknown, fmt::format("{} is not known", name_)};
    auto bound = ParseSize(condition.values[0]);
    return {ToTruth(bound.ok() && Holds(*bytes <=> *bound, condition.comparison)),
            fmt::format("{} is {}", name_, PrintSize(*bytes))};
  }

 private:
  std::string_view name_;
  SizeField field_;
};

}  // namespace

std::unique_ptr<Predicate> MakeSizeAttribute(std::string_view name, SizeField field) {
  return std::make_unique<SizeAttribute>(name, field);
}

}  // namespace ferry::target
