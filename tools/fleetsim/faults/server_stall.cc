// The server stops answering, and keeps its memory.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static void ApplyServerStall(Moment& moment) {
  Sim& sim = moment.sim;
  sim.backend().StallUntil(sim.now_ms() + 30'000 +
                           static_cast<int64_t>(sim.random().Below(10 * kMinuteMs)));
}

extern const Fault kServerStallFault = {"server_stall", Strikes::kServerHour, 0.05, 0.5,
                                        ApplyServerStall};

}  // namespace ferry::fleetsim
