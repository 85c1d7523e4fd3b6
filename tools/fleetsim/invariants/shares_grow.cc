// Who is in a release stays in: shares only grow, and no stage drops a device.
#include "cloud-server/core/apply.h"
#include "tools/fleetsim/invariants/invariant.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static std::optional<std::string> SharesGrowBroken(Sim& sim, const Event& event) {
  (void)event;
  for (size_t i = 0; i < sim.releases().size(); ++i) {
    const ReleaseState& release = sim.releases()[i];
    if (release.id.empty()) continue;
    const Result<server::ReleaseRow> row = sim.backend().Release(release.id);
    if (!row.ok()) return row.status().ToString();
    int64_t members = 0;
    const Status read = sim.backend().store->Read([&](server::Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(members, tx.releases().CountMembers(release.id));
      return OkStatus();
    });
    if (!read.ok()) return read.ToString();
    if (!sim.Grows(i, "members", members))
      return fmt::format("release {} lost members: {} are left", release.id, members);
    if (!sim.Grows(i, "stage", row->stage))
      return fmt::format("release {} went back to stage {}", release.id, row->stage);
    const Result<stage::Plan> plan = server::PlanOf(*row);
    if (!plan.ok()) return plan.status().ToString();
    for (size_t s = 0; s < plan->stages.size(); ++s)
      if (!sim.Grows(i, fmt::format("share {}", s), plan->stages[s].share))
        return fmt::format("release {}: the share of stage {} shrank", release.id, s);
  }
  return std::nullopt;
}

extern const Invariant kSharesGrowInvariant = {
    "shares_grow", Behind({EventKind::kStage, EventKind::kEnd}), SharesGrowBroken};

}  // namespace ferry::fleetsim
