#include "policy/gate/gates/make.h"
#include "policy/gate/weigh.h"

namespace ferry::gate {
namespace {

// Stops when in some slice, over the whole release or from some stage on, more devices fail than
// the tolerated rate explains and, where devices are held back, more than fail among those.
class Failure : public Gate {
 public:
  std::string_view name() const override { return "failure"; }

  Verdict Judge(const Settings& settings, const Input& input) const override {
    Verdict worst = WorstOf(settings, input, WeighFailures(settings, input), WeighFailures);
    if (worst.slice.empty()) worst.reason = "no device has been reached yet";
    return worst;
  }
};

}  // namespace

std::unique_ptr<Gate> MakeFailure() {
  return std::make_unique<Failure>();
}

}  // namespace ferry::gate
