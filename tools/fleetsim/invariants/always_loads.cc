// Whenever the power goes, what the slot's name leads to afterwards is a version that loads.
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/invariants/invariant.h"

namespace ferry::fleetsim {

static std::optional<std::string> AlwaysLoadsBroken(Sim& sim, const Event& event) {
  if (event.b == 0) return std::nullopt;
  const WholeAgent* agent = sim.agents().At(event.device);
  // A disk that lost bits has no promise to keep.
  if (agent != nullptr && agent->damaged) return std::nullopt;
  return fmt::format("device {}: the version that its slot names does not load", event.device);
}

extern const Invariant kAlwaysLoadsInvariant = {"always_loads", Behind({EventKind::kBoot}),
                                                AlwaysLoadsBroken};

}  // namespace ferry::fleetsim
