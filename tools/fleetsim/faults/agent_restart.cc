// The device's process ends and begins anew.
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/small/fleet.h"

namespace ferry::fleetsim {

static void ApplyAgentRestart(Moment& moment) {
  WholeAgent* agent = moment.sim.agents().At(moment.device);
  if (agent == nullptr) return moment.sim.small().CutPower(moment.device);
  agent->Stop();
  (void)agent->Start();
}

extern const Fault kAgentRestartFault = {"agent_restart", Strikes::kDeviceHour, 0.002, 0.05,
                                         ApplyAgentRestart};

}  // namespace ferry::fleetsim
