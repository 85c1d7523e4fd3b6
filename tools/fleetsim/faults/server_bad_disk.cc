// Some writes of the server's disk end early and some of its syncs fail, for some minutes.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static void ApplyServerBadDisk(Moment& moment) {
  const int64_t now_ms = moment.sim.world().clock().MonotonicNs() / 1'000'000;
  moment.sim.backend().store->FailUntil(
      now_ms + static_cast<int64_t>(moment.sim.random().Below(10 * kMinuteMs)));
}

extern const Fault kServerBadDiskFault = {"server_bad_disk", Strikes::kServerHour, 0, 0.5,
                                          ApplyServerBadDisk};

}  // namespace ferry::fleetsim
