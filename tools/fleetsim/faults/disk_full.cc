// A device's disk is full for two hours.
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/small/fleet.h"

namespace ferry::fleetsim {

static void ApplyDiskFull(Moment& moment) {
  constexpr int64_t kFullMs = 2 * kHourMs;
  WholeAgent* agent = moment.sim.agents().At(moment.device);
  if (agent == nullptr) return moment.sim.small().FillDisk(moment.device, kFullMs);
  agent->disk.SetCapacity(0);
  moment.sim.executor().PostAfter(kFullMs, [agent] { agent->disk.SetCapacity(UINT64_MAX); });
}

extern const Fault kDiskFullFault = {"disk_full", Strikes::kDeviceHour, 0.0005, 0.01,
                                     ApplyDiskFull};

}  // namespace ferry::fleetsim
