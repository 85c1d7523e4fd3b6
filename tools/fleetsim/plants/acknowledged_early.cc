// The server acknowledges a report before its commit, and then loses it.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

static bool AcknowledgedEarlyReport(Sim& sim, server::ReportRow& row,
                                    const std::function<void(const Status&)>& done) {
  constexpr uint64_t kOneIn = 200;
  if (sim.random().Below(kOneIn) != 0) return false;
  (void)row;
  done(OkStatus());
  return true;
}

extern const Plant kAcknowledgedEarlyPlant = {
    "acknowledged_early", "reports are acknowledged before they are stored", "acknowledged_kept",
    AcknowledgedEarlyReport, nullptr};

}  // namespace ferry::fleetsim
