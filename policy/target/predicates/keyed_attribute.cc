#include <algorithm>

#include "policy/target/number.h"
#include "policy/target/predicates/make.h"
#include "policy/target/range.h"

namespace ferry::target {
namespace {

// One entry of a map of texts. values[0] is its key. A number compares as a number, in with a
// range as a version, all else as text. A text that is no number or no version counts as one that
// the device did not send.
class KeyedAttribute : public Predicate {
 public:
  KeyedAttribute(std::string_view name, MapField field) : name_(name), field_(field) {}
  std::string_view name() const override { return name_; }
  Form form() const override { return Form::kKeyed; }

  Status Check(const Condition& condition) const override {
    if (condition.values.size() < 2)
      return Status::Of(Code::kBadRule, "{} takes a name and one or more values, or a comparison",
                        name_);
    if (condition.number) return AsStatus(ParseNumber(condition.values[1]));
    switch (condition.comparison) {
      case Comparison::kEqual:
      case Comparison::kNotEqual:
      case Comparison::kIn:
      case Comparison::kCall:
        return OkStatus();
      case Comparison::kInRange: {
        auto range = ParseRange(condition.values[1]);
        return range.ok() ? OkStatus() : Status(Code::kBadRule, range.status().message());
      }
      default:
        return Status::Of(Code::kBadRule,
                          "text has no order, only ==, != and in; a number stands without quotes");
    }
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const std::string& key = condition.values[0];
    const std::map<std::string, std::string>& map = device.*field_;
    const auto at = map.find(key);
    if (at == map.end()) return {Truth::kUnknown, fmt::format("{} is not known", key)};
    std::string found = fmt::format("{} is {}", key, Quote(at->second));
    if (condition.number) return TestNumber(condition, at->second, std::move(found));
    if (condition.comparison == Comparison::kInRange)
      return TestRange(condition.values[1], at->second, std::move(found));
    const bool listed = std::find(condition.values.begin() + 1, condition.values.end(),
                                  at->second) != condition.values.end();
    return {ToTruth(listed != (condition.comparison == Comparison::kNotEqual)), std::move(found)};
  }

 private:
  static Outcome TestNumber(const Condition& condition, const std::string& text,
                            std::string found) {
    auto number = ParseNumber(text), bound = ParseNumber(condition.values[1]);
    if (!number.ok() || !bound.ok())
      return {Truth::kUnknown, std::move(found) + ", which is no number"};
    return {ToTruth(Holds(Compare(*number, *bound), condition.comparison)), std::move(found)};
  }

  std::string_view name_;
  MapField field_;
};

}  // namespace

std::unique_ptr<Predicate> MakeKeyedAttribute(std::string_view name, MapField field) {
  return std::make_unique<KeyedAttribute>(name, field);
}

}  // namespace ferry::target
