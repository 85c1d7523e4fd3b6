#include <algorithm>
#include <cmath>

#include "policy/gate/gates/make.h"

namespace ferry::gate {
namespace {

// Stops when in some slice more devices fail than the tolerated rate explains. Each slice has an
// e-process of its own; a device that fell silent counts as failed.
class Failure : public Gate {
 public:
  std::string_view name() const override { return "failure"; }

  Verdict Judge(const Settings& settings, const Input& input) const override {
    Verdict worst;
    worst.threshold = 1 / settings.alpha;
    double worst_log = -HUGE_VAL;
    for (const SliceCounts& counts : input.slices) {
      const int64_t failed = counts.failed + counts.overdue;
      // A slice without failures has no say; all devices together speak for a release without any.
      if (failed == 0 && counts.slice != "all") continue;
      const double log_value = LogEValue(failed, counts.healthy, settings.tolerated_rate);
      if (log_value <= worst_log) continue;
      worst_log = log_value;
      worst.slice = counts.slice;
      worst.value = std::exp(std::min(log_value, kMaxLog));
      worst.failed = failed;
      worst.healthy = counts.healthy;
    }
    const bool stop = worst_log >= -std::log(settings.alpha);
    worst.decision = stop ? Decision::kStop : Decision::kPass;
    worst.reason = Reason(settings, worst, stop);
    return worst;
  }

 private:
  static constexpr double kMaxLog = 700;  // exp of it is still finite

  static std::string Reason(const Settings& settings, const Verdict& verdict, bool stop) {
    if (verdict.slice.empty()) return "no device has reported yet";
    const std::string seen = fmt::format("{} of {} devices failed in slice {}", verdict.failed,
                                         verdict.failed + verdict.healthy, verdict.slice);
    if (stop)
      return fmt::format("{}: evidence {:.4g} reached the limit {:.4g} for a tolerated rate of {}%",
                         seen, verdict.value, verdict.threshold, 100 * settings.tolerated_rate);
    return fmt::format("{}: evidence {:.4g} is under the limit {:.4g}", seen, verdict.value,
                       verdict.threshold);
  }
};

}  // namespace

std::unique_ptr<Gate> MakeFailure() {
  return std::make_unique<Failure>();
}

}  // namespace ferry::gate
