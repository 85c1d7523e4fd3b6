// The server's commits fail for some minutes: its disk is full.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static void ApplyServerDiskFull(Moment& moment) {
  const int64_t now_ms = moment.sim.world().clock().MonotonicNs() / 1'000'000;
  moment.sim.backend().store->FillUntil(
      now_ms + static_cast<int64_t>(moment.sim.random().Below(10 * kMinuteMs)));
}

extern const Fault kServerDiskFullFault = {"server_disk_full", Strikes::kServerHour, 0.02, 0.2,
                                           ApplyServerDiskFull};

}  // namespace ferry::fleetsim
