// Counts, which grow by increments, equal a count of the members.
#include "cloud-server/core/tally.h"
#include "tools/fleetsim/invariants/invariant.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

static std::string CountsText(const server::Tallies& tallies, const server::TallyKey& key) {
  const auto found = tallies.find(key);
  if (found == tallies.end()) return "nobody";
  const server::Counts& c = found->second;
  return fmt::format(
      "pending {} healthy {} failed {} overdue {} device {} told back {} back {} closed {} of them "
      "failed {} first {}",
      c.pending, c.healthy, c.failed, c.overdue, c.device_cause, c.told_back, c.returned, c.closed,
      c.closed_failed, c.first_ms);
}

// The first slice that differs.
static std::string Difference(const std::string& release, const server::Tallies& stored,
                              const server::Tallies& counted) {
  for (const server::Tallies* one : {&stored, &counted}) {
    for (const auto& [key, counts] : *one) {
      const auto a = stored.find(key), b = counted.find(key);
      if (a != stored.end() && b != counted.end() && a->second == b->second) continue;
      return fmt::format("release {} stage {}{} {}: kept as {}, and there are {}", release,
                         key.stage, key.control ? " control" : "", key.slice,
                         CountsText(stored, key), CountsText(counted, key));
    }
  }
  return "";
}

static std::optional<std::string> CountsAreRecountsBroken(Sim& sim, const Event& event) {
  (void)event;
  for (const ReleaseState& release : sim.releases()) {
    if (release.id.empty()) continue;
    server::Tallies counted, stored;
    const Status read = sim.backend().store->Read([&](server::Transaction& tx) -> Status {
      std::string after;
      for (bool more = true; more;) {
        FERRY_ASSIGN_OR_RETURN(const auto page,
                               tx.releases().MembersPage(release.id, after, server::kMaxPageRows));
        for (const server::MemberRow& member : page) server::CountMember(counted, member, 1);
        more = page.size() == server::kMaxPageRows;
        if (more) after = page.back().device;
      }
      FERRY_ASSIGN_OR_RETURN(stored, tx.releases().TalliesOf(release.id));
      return OkStatus();
    });
    if (!read.ok()) return read.ToString();
    server::KeepFirst(stored, counted);
    std::erase_if(stored, [](const auto& entry) { return entry.second.counts_nobody(); });
    std::erase_if(counted, [](const auto& entry) { return entry.second.counts_nobody(); });
    if (counted != stored) return Difference(release.id, stored, counted);
  }
  return std::nullopt;
}

extern const Invariant kCountsAreRecountsInvariant = {
    "counts_are_recounts",
    Behind({EventKind::kStage, EventKind::kServerUp, EventKind::kLook, EventKind::kQuiet,
            EventKind::kEnd}),
    CountsAreRecountsBroken};

}  // namespace ferry::fleetsim
