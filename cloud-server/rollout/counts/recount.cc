#include "cloud-server/rollout/counts/recount.h"

#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/rows.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

Result<Tallies> CountMembersAnew(Transaction& tx, const std::string& release) {
  Tallies tallies;
  for (std::string after;;) {
    FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> page,
                           tx.releases().MembersPage(release, after, kMaxPageRows));
    for (const MemberRow& member : page) CountMember(tallies, member, 1);
    if (page.size() < kMaxPageRows) return tallies;
    after = page.back().device;
  }
}

}  // namespace

Result<Recounted> CountAnew(Transaction& tx, const std::string& release) {
  Recounted anew;
  FERRY_ASSIGN_OR_RETURN(anew.tallies, CountMembersAnew(tx, release));
  FERRY_ASSIGN_OR_RETURN(Tallies stored, tx.releases().TalliesOf(release));
  KeepFirst(stored, anew.tallies);
  std::erase_if(stored, [](const auto& entry) { return entry.second.counts_nobody(); });
  FERRY_ASSIGN_OR_RETURN(const ReleaseRow row, tx.releases().Get(release));
  FERRY_ASSIGN_OR_RETURN(anew.measured, CountMeasured(tx, row));
  FERRY_ASSIGN_OR_RETURN(Measured stored_measured, tx.releases().MeasuredOf(release));
  DropEmpty(stored_measured.tallies);
  anew.same = anew.tallies == stored && anew.measured == stored_measured.tallies;
  return anew;
}

Result<std::vector<std::string>> ReleasesToCount(Store& store) {
  std::vector<std::string> releases;
  FERRY_TRY(store.Read([&](Transaction& tx) -> Status {
    releases.clear();
    FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> rows, tx.releases().All());
    for (const ReleaseRow& row : rows)
      if (!IsFinal(row.state)) releases.push_back(row.id);
    return OkStatus();
  }));
  return releases;
}

Status Rollout::Recount() {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> releases, ReleasesToCount(*options_.store));
  for (const std::string& release : releases) {
    bool same = true;
    FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const Recounted anew, CountAnew(tx, release));
      same = anew.same;
      return OkStatus();
    }));
    if (same) continue;
    LogError("rollout", "release {}: its counts are not those of its members; counted anew",
             release);
    FERRY_TRY(options_.store->WriteInTurn([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const Recounted anew, CountAnew(tx, release));
      FERRY_TRY(tx.releases().SetTallies(release, anew.tallies));
      return tx.releases().SetMetricTallies(release, anew.measured);
    }));
  }
  return OkStatus();
}

}  // namespace ferry::server
