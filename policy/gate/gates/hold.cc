#include "policy/gate/gates/make.h"

namespace ferry::gate {
namespace {

// Waits as long as a person holds the stage.
class Hold : public Gate {
 public:
  std::string_view name() const override { return "hold"; }

  Verdict Judge(const Settings&, const Input& input) const override {
    Verdict verdict;
    if (!input.hold) {
      verdict.reason = "nobody holds the stage";
      return verdict;
    }
    verdict.decision = Decision::kWait;
    verdict.reason = "held by hand";
    if (!input.hold_reason.empty()) verdict.reason += ": " + input.hold_reason;
    return verdict;
  }
};

}  // namespace

std::unique_ptr<Gate> MakeHold() {
  return std::make_unique<Hold>();
}

}  // namespace ferry::gate
