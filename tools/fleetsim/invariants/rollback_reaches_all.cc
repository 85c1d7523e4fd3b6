// Who is to go back, and came back to the server since, went back.
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/invariants/invariant.h"
#include "tools/fleetsim/small/fleet.h"

namespace ferry::fleetsim {

static std::optional<std::string> RollbackReachesAllBroken(Sim& sim, const Event& event) {
  (void)event;
  if (!sim.ran_to_the_end()) return std::nullopt;
  for (const ReleaseState& release : sim.releases()) {
    if (release.state != "rolled_back") continue;
    // Where nothing leads, devices keep what they have.
    const bool leads = sim.versions()[release.version].fallback != kNoVersion;
    for (int64_t d = 0; leads && d < sim.small().size(); ++d) {
      const Small& small = sim.small()[d];
      if (small.running != release.version || small.silent || small.line_broken) continue;
      if (small.told == kNoRelease && small.work != Work::kNone) continue;  // it is at it
      return fmt::format("device {} still runs {}, which was taken back", d,
                         sim.versions()[release.version].name);
    }
    for (const auto& agent : sim.agents().all())
      if (leads && !agent->damaged && agent->Version() == sim.versions()[release.version].name)
        return fmt::format("agent {} still runs {}, which was taken back", agent->number,
                           sim.versions()[release.version].name);
  }
  return std::nullopt;
}

extern const Invariant kRollbackReachesAllInvariant = {
    "rollback_reaches_all", Behind({EventKind::kEnd}), RollbackReachesAllBroken};

}  // namespace ferry::fleetsim
