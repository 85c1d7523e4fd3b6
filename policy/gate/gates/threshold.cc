#include <algorithm>
#include <cmath>

#include "policy/gate/alpha.h"
#include "policy/gate/gates/make.h"
#include "policy/gate/weigh.h"

namespace ferry::gate {
namespace {

struct Totals {
  int64_t exposed = 0, failed = 0, control = 0, control_failed = 0;
  bool compared = false;
};

Totals TotalsOf(const Input& input, const std::string& slice) {
  Totals out;
  for (const StageCohort& cohort : input.stages) {
    const SliceCounts& counts = SliceOf(cohort, slice);
    out.exposed += counts.treated.exposed;
    out.failed += counts.treated.failed + counts.treated.late;
    out.compared |= cohort.control_share > 0;
    out.control += counts.control.exposed;
    out.control_failed += counts.control.failed + counts.control.late;
  }
  return out;
}

// Percent of failed devices, less what the control cohort explains: an upper bound of its rate, so
// that a handful of control devices explains everything.
double ExcessPercent(const Totals& totals) {
  const double percent =
      100 * static_cast<double>(totals.failed) / static_cast<double>(totals.exposed);
  if (!totals.compared) return percent;
  if (totals.control == 0) return 0;
  const auto failed = static_cast<double>(totals.control_failed);
  const double most =
      (failed + 2 * std::sqrt(failed + 1) + 2) / static_cast<double>(totals.control);
  return percent - 100 * std::min(most, 1.0);
}

// The limit behind the tests, also for failures that come after the windows: a share of devices
// that no release may reach once there are enough of them to tell.
class Threshold : public Gate {
 public:
  std::string_view name() const override { return "threshold"; }

  Verdict Judge(const Settings& settings, const Input& input) const override {
    Verdict worst;
    worst.threshold = settings.max_failed_percent;
    for (const SliceShare& share : SliceShares(input)) {
      const Totals totals = TotalsOf(input, share.slice);
      if (totals.exposed < std::max<int64_t>(settings.max_failed_min_devices, 1)) continue;
      const double percent = ExcessPercent(totals);
      if (!worst.slice.empty() && percent <= worst.value) continue;
      worst.slice = share.slice;
      worst.value = percent;
      worst.failed = totals.failed;
      worst.healthy = totals.exposed - totals.failed;
      worst.control = totals.control;
    }
    if (worst.slice.empty()) {
      worst.reason = fmt::format("fewer than {} devices", settings.max_failed_min_devices);
      return worst;
    }
    const bool stops = worst.value >= settings.max_failed_percent;
    if (stops) worst.decision = Decision::kStop;
    worst.reason = fmt::format("{} of {} devices failed in slice {}: {:.1f}% is {} {}%",
                               worst.failed, worst.failed + worst.healthy, worst.slice, worst.value,
                               stops ? "at least" : "under", settings.max_failed_percent);
    worst.stops_slice = stops && settings.stop_slices_alone && IsMinority(input, worst.slice) &&
                        ExcessPercent(TotalsOf(Without(input, worst.slice), kAllSlice)) <
                            settings.max_failed_percent;
    return worst;
  }
};

}  // namespace

std::unique_ptr<Gate> MakeThreshold() {
  return std::make_unique<Threshold>();
}

}  // namespace ferry::gate
