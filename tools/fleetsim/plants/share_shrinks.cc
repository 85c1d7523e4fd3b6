// A release falls back to the stage before, which takes fewer devices.
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static void ShareShrinksMinute(Sim& sim) {
  for (const ReleaseState& release : sim.releases()) {
    if (release.state != "gray" && release.state != "full") continue;
    (void)sim.backend().store->Write([&](server::Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(server::ReleaseRow row, tx.releases().Get(release.id));
      if (row.stage == 0) return OkStatus();
      --row.stage;
      return tx.releases().Put(row);
    });
  }
}

extern const Plant kShareShrinksPlant = {"share_shrinks", "the share of a stage shrinks",
                                         "shares_grow", nullptr, ShareShrinksMinute};

}  // namespace ferry::fleetsim
