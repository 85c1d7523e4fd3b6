// A part of the fleet does not reach the server for a while.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

static void ApplyPartition(Moment& moment) {
  const auto part = static_cast<int64_t>(moment.sim.random().Below(Sim::kParts));
  const auto for_ms = 5 * kMinuteMs + static_cast<int64_t>(moment.sim.random().Below(kHourMs));
  moment.sim.CutOff(part, moment.sim.now_ms() + for_ms);
}

extern const Fault kPartitionFault = {"partition", Strikes::kServerHour, 0.2, 1, ApplyPartition};

}  // namespace ferry::fleetsim
