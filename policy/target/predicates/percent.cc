#include "policy/target/bucket.h"
#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

class Percent : public Predicate {
 public:
  std::string_view name() const override { return "percent"; }
  Form form() const override { return Form::kCall; }

  Status Check(const Condition& condition) const override {
    if (condition.values.empty() || condition.values.size() > 2)
      return Status(Code::kBadRule, "percent takes a number and, if wanted, a salt");
    return ParseShare(condition.values[0]).status();
  }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view salt) const override {
    if (device.device_id.empty()) return {Truth::kUnknown, "the device id is not known"};
    if (condition.values.size() > 1) salt = condition.values[1];
    const auto share = ParseShare(condition.values[0]);
    const Share bucket = BucketOf(salt, device.device_id);
    const double percent = static_cast<double>(bucket) / static_cast<double>(kOnePercent);
    return {ToTruth(share.ok() && bucket < *share),
            fmt::format("the device stands at {:.2f} of 100", percent)};
  }

  // The words of Test take longer than the number.
  Truth Decide(const Condition& condition, const Attributes& device,
               std::string_view salt) const override {
    if (device.device_id.empty()) return Truth::kUnknown;
    if (condition.values.size() > 1) salt = condition.values[1];
    const auto share = ParseShare(condition.values[0]);
    return ToTruth(share.ok() && BucketOf(salt, device.device_id) < *share);
  }
};

}  // namespace

std::unique_ptr<Predicate> MakePercent() {
  return std::make_unique<Percent>();
}

}  // namespace ferry::target
