// A message takes seconds.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

static void ApplyDelay(Moment& moment) {
  moment.message->delay_ms += 1'000 + static_cast<int64_t>(moment.sim.random().Below(9'000));
}

extern const Fault kDelayFault = {"delay", Strikes::kMessage, 0.02, 0.1, ApplyDelay};

}  // namespace ferry::fleetsim
