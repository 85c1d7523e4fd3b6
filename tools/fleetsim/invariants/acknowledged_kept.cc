// What the server acknowledged to a device it has, whatever happened to it since.
#include <algorithm>

#include "tools/fleetsim/invariants/invariant.h"
#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

// Of a large fleet so many are looked at each time, each time others.
constexpr int64_t kLookedAt = 500;

static std::optional<std::string> AcknowledgedKeptBroken(Sim& sim, const Event& event) {
  (void)event;
  SmallFleet& fleet = sim.small();
  const int64_t step = std::max<int64_t>(1, fleet.size() / kLookedAt);
  std::optional<std::string> broken;
  const Status read = sim.backend().store->Read([&](server::Transaction& tx) -> Status {
    for (int64_t d = sim.events() % static_cast<uint64_t>(step); d < fleet.size() && !broken;
         d += step) {
      const Small& small = fleet[d];
      if (small.acked == 0) continue;
      FERRY_ASSIGN_OR_RETURN(const auto rows, tx.reports().OfDevice(fleet.IdOf(d), small.seq));
      const auto kept = std::count_if(rows.begin(), rows.end(), [&](const server::ReportRow& row) {
        return row.seq <= small.acked;
      });
      // A page of the newest is all that is read: what lies behind it is not looked at.
      if (rows.size() >= server::kMaxPageRows) continue;
      // What the journal let go was never sent, and has a number all the same.
      if (kept + small.dropped < small.acked)
        broken = fmt::format("device {}: {} reports were acknowledged, {} are stored", d,
                             small.acked - small.dropped, kept);
    }
    return OkStatus();
  });
  if (!read.ok()) return read.ToString();
  return broken;
}

extern const Invariant kAcknowledgedKeptInvariant = {
    "acknowledged_kept",
    Behind({EventKind::kServerUp, EventKind::kLook, EventKind::kQuiet, EventKind::kEnd}),
    AcknowledgedKeptBroken};

}  // namespace ferry::fleetsim
