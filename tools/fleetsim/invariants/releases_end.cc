// After the faults end every release comes to an end.
#include "tools/fleetsim/invariants/invariant.h"

namespace ferry::fleetsim {

static std::optional<std::string> ReleasesEndBroken(Sim& sim, const Event& event) {
  (void)event;
  // A run that was cut off says nothing of what would have come.
  if (!sim.ran_to_the_end()) return std::nullopt;
  for (const ReleaseState& release : sim.releases())
    if (!release.ended)
      return fmt::format("release {} of {} is {} at the end", release.id,
                         sim.versions()[release.version].name,
                         release.state.empty() ? "not started" : release.state);
  return std::nullopt;
}

extern const Invariant kReleasesEndInvariant = {"releases_end", Behind({EventKind::kEnd}),
                                                ReleasesEndBroken};

}  // namespace ferry::fleetsim
