// The server's machine loses power in the middle of a write: what was not synced is lost in part.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static void ApplyServerPowerCut(Moment& moment) {
  constexpr uint64_t kOperations = 200;  // some commits from now
  moment.sim.backend().store->CutPowerAt(
      1 + static_cast<int64_t>(moment.sim.random().Below(kOperations)));
}

extern const Fault kServerPowerCutFault = {"server_power_cut", Strikes::kServerHour, 0, 1,
                                           ApplyServerPowerCut};

}  // namespace ferry::fleetsim
