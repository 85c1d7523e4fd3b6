#include <algorithm>

#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

// tag("beta"), tag("beta", "staff"): the device has one of these tags.
class Tag : public Predicate {
 public:
  std::string_view name() const override { return "tag"; }
  Form form() const override { return Form::kCall; }
  Status Check(const Condition&) const override { return OkStatus(); }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    const bool found = std::any_of(
        condition.values.begin(), condition.values.end(), [&device](const std::string& tag) {
          return std::find(device.tags.begin(), device.tags.end(), tag) != device.tags.end();
        });
    return {ToTruth(found), Found(device)};
  }

 private:
  static std::string Found(const Attributes& device) {
    if (device.tags.empty()) return "the device has no tags";
    std::string out = "tags are";
    for (const std::string& tag : device.tags) out += ' ' + Quote(tag);
    return out;
  }
};

}  // namespace

std::unique_ptr<Predicate> MakeTag() {
  return std::make_unique<Tag>();
}

}  // namespace ferry::target
