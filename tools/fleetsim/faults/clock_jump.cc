// Somebody sets a device's clock wrong.
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/small/fleet.h"

namespace ferry::fleetsim {

static void ApplyClockJump(Moment& moment) {
  // From a day back to a day on: past the life of what is signed online.
  const int64_t by_ms = static_cast<int64_t>(moment.sim.random().Below(2 * kDayMs)) - kDayMs;
  WholeAgent* agent = moment.sim.agents().At(moment.device);
  if (agent == nullptr) return moment.sim.small().SetClock(moment.device, by_ms);
  agent->clock.off_ms += by_ms;
}

extern const Fault kClockJumpFault = {"clock_jump", Strikes::kDeviceHour, 0.0005, 0.01,
                                      ApplyClockJump};

}  // namespace ferry::fleetsim
