// The server's process dies, and starts again within a minute.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static void ApplyServerRestart(Moment& moment) {
  Sim& sim = moment.sim;
  if (!sim.backend().started()) return;
  sim.backend().Die();
  const auto down_ms = 500 + static_cast<int64_t>(sim.random().Below(60'000));
  sim.executor().PostAfter(down_ms, [&sim] { sim.StartServer(); });
}

extern const Fault kServerRestartFault = {"server_restart", Strikes::kServerHour, 0.1, 1,
                                          ApplyServerRestart};

}  // namespace ferry::fleetsim
