#include <algorithm>

#include "policy/target/predicates/make.h"

namespace ferry::target {
namespace {

// device("id"), device("id", "id"): exactly these devices.
class Device : public Predicate {
 public:
  std::string_view name() const override { return "device"; }
  Form form() const override { return Form::kCall; }
  Status Check(const Condition&) const override { return OkStatus(); }

  Outcome Test(const Condition& condition, const Attributes& device,
               std::string_view) const override {
    if (device.device_id.empty()) return {Truth::kUnknown, "the device id is not known"};
    const bool found = std::find(condition.values.begin(), condition.values.end(),
                                 device.device_id) != condition.values.end();
    return {ToTruth(found), fmt::format("the device id is {}", Quote(device.device_id))};
  }
};

}  // namespace

std::unique_ptr<Predicate> MakeDevice() {
  return std::make_unique<Device>();
}

}  // namespace ferry::target
