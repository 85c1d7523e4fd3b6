// No device believes a document that the director did not sign, or runs what none ever named.
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/invariants/invariant.h"
#include "tools/fleetsim/world/door.h"

namespace ferry::fleetsim {

static std::optional<std::string> RunsAssignedBroken(Sim& sim, const Event& event) {
  if (event.kind == EventKind::kAnswer)
    return event.b == 0 ? std::nullopt
                        : std::optional(fmt::format(
                              "device {} believes what the director did not sign", event.device));
  if (event.a >= static_cast<int64_t>(sim.versions().size())) return std::nullopt;
  const auto version = static_cast<uint8_t>(event.a);
  const std::string& name = sim.versions()[version].name;
  if (const WholeAgent* agent = sim.agents().At(event.device); agent != nullptr) {
    if (sim.WasAssigned(agent->id(), name)) return std::nullopt;
  } else if ((sim.door().told(event.device) >> version & 1) != 0) {
    return std::nullopt;
  }
  return fmt::format("device {} runs {}, which it was never told to", event.device, name);
}

extern const Invariant kRunsAssignedInvariant = {
    "runs_assigned", Behind({EventKind::kAnswer, EventKind::kSwitch}), RunsAssignedBroken};

}  // namespace ferry::fleetsim
