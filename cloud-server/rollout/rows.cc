#include "cloud-server/rollout/rows.h"

#include "common/trust/targets.h"

namespace ferry::server {
namespace {

// Paths of a package version that every device may get: the full artefact first, then deltas.
Result<std::vector<std::string>> TargetsOf(Transaction& tx, const std::string& package,
                                           const std::string& version) {
  std::vector<std::string> paths;
  if (version.empty()) return paths;
  FERRY_ASSIGN_OR_RETURN(std::vector<ArtefactRow> rows, tx.packages().Artefacts(package, version));
  for (const ArtefactRow& row : rows)
    if (row.kind == "full") paths.push_back(row.path);
  for (const ArtefactRow& row : rows)
    if (row.kind == "delta") paths.push_back(row.path);
  return paths;
}

Result<ReleaseRows> LoadCommon(Transaction& tx, const std::string& release) {
  ReleaseRows rows;
  FERRY_ASSIGN_OR_RETURN(rows.release, tx.releases().Get(release));
  FERRY_ASSIGN_OR_RETURN(rows.stages, tx.releases().Stages(release));
  FERRY_ASSIGN_OR_RETURN(rows.slices, tx.releases().Slices(release));
  FERRY_ASSIGN_OR_RETURN(rows.targets, TargetsOf(tx, rows.release.package, rows.release.version));
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> fallback,
                         TargetsOf(tx, rows.release.package, rows.release.fallback_version));
  // Whoever goes back has the newer package, to which no delta leads back.
  if (!fallback.empty()) rows.fallback_targets = {fallback[0]};
  FERRY_ASSIGN_OR_RETURN(int64_t last, tx.releases().LastEventSeq(release));
  rows.next_event_seq = last + 1;
  return rows;
}

}  // namespace

Result<ReleaseRows> LoadAll(Transaction& tx, const std::string& release) {
  FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadCommon(tx, release));
  FERRY_ASSIGN_OR_RETURN(rows.exclusive, tx.releases().Exclusive(release));
  FERRY_ASSIGN_OR_RETURN(rows.members, tx.releases().Members(release));
  FERRY_ASSIGN_OR_RETURN(rows.devices, tx.devices().All(rows.release.tenant));
  FERRY_ASSIGN_OR_RETURN(rows.assignments, tx.devices().Assignments());
  FERRY_ASSIGN_OR_RETURN(std::vector<std::string> newer,
                         tx.releases().NewerMembers(rows.release.package, rows.release.number));
  rows.newer.insert(newer.begin(), newer.end());
  return rows;
}

Result<ReleaseRows> LoadForReport(Transaction& tx, const std::string& release,
                                  const std::string& device) {
  FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadCommon(tx, release));
  FERRY_ASSIGN_OR_RETURN(std::optional<MemberRow> member, tx.releases().Member(release, device));
  if (member) rows.members.push_back(std::move(*member));
  FERRY_ASSIGN_OR_RETURN(AssignmentRow assignment, tx.devices().Assignment(device));
  if (assignment.counter > 0) rows.assignments.push_back(std::move(assignment));
  return rows;
}

namespace {

Status SupersedeOlder(Transaction& tx, const ReleaseRow& newer, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& older : releases) {
    if (older.package != newer.package || older.number >= newer.number) continue;
    if (older.state != ReleaseState::kComplete) continue;
    FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadCommon(tx, older.id));
    FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(rows, command::Supersede{newer.id}, now_ms));
    Effects none;
    FERRY_TRY(StoreChanges(tx, rows, changes, now_ms, &none));
  }
  return OkStatus();
}

}  // namespace

Status StoreChanges(Transaction& tx, const ReleaseRows& rows, const Changes& changes,
                    int64_t now_ms, Effects* effects) {
  if (changes.empty()) return OkStatus();
  effects->changed = true;
  if (changes.release) FERRY_TRY(tx.releases().Put(*changes.release));
  for (const StageRow& row : changes.stages) FERRY_TRY(tx.releases().PutStage(row));
  for (const MemberRow& row : changes.members) FERRY_TRY(tx.releases().PutMember(row));
  for (const SliceRow& row : changes.slices) FERRY_TRY(tx.releases().PutSlice(row));
  for (const AssignmentRow& row : changes.assignments) {
    FERRY_TRY(tx.devices().PutAssignment(row));
    for (const std::string& device : changes.wake)
      if (device == row.device) effects->wake.emplace_back(device, row.counter);
  }
  for (const EventRow& row : changes.events) FERRY_TRY(tx.releases().AddEvent(row));
  if (changes.run_simulation) effects->simulate.push_back(rows.release.id);
  if (changes.completed) FERRY_TRY(SupersedeOlder(tx, rows.release, now_ms));
  return OkStatus();
}

}  // namespace ferry::server
