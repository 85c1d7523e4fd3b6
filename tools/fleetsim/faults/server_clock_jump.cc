// The server's clock is set wrong for an hour.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static void ApplyServerClockJump(Moment& moment) {
  WrongClock& clock = moment.sim.backend().clock;
  if (clock.off_ms != 0) return;
  clock.off_ms = static_cast<int64_t>(moment.sim.random().Below(4 * kHourMs)) - 2 * kHourMs;
  // Somebody finds out.
  moment.sim.executor().PostAfter(kHourMs, [&clock] { clock.off_ms = 0; });
}

extern const Fault kServerClockJumpFault = {"server_clock_jump", Strikes::kServerHour, 0.01, 0.1,
                                            ApplyServerClockJump};

}  // namespace ferry::fleetsim
