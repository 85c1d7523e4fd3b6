// A member is counted once more than it is there.
#include "cloud-server/core/tally.h"
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static bool CountedTwiceReport(Sim& sim, server::ReportRow& row,
                               const std::function<void(const Status&)>& done) {
  constexpr uint64_t kOneIn = 100;
  (void)done;
  if (row.release.empty() || sim.random().Below(kOneIn) != 0) return false;
  (void)sim.backend().store->Write([&](server::Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto member, tx.releases().Member(row.release, row.device));
    if (!member) return OkStatus();
    server::Tallies more;
    server::CountMember(more, *member, 1);
    return tx.releases().AddTallies(more);
  });
  return false;
}

extern const Plant kCountedTwicePlant = {"counted_twice",
                                         "a device that comes twice is counted twice",
                                         "counts_are_recounts", CountedTwiceReport, nullptr};

}  // namespace ferry::fleetsim
