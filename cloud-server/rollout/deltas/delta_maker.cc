#include "cloud-server/rollout/deltas/delta_maker.h"

#include "cloud-server/core/apply.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

using VersionsByName = std::map<std::string, std::map<std::string, int64_t>>;  // counters

// Versions by package that devices are, or soon will be, told to have.
std::set<std::pair<std::string, std::string>> VersionsToReach(
    const std::vector<PackageRow>& packages, const std::vector<ReleaseRow>& releases) {
  std::map<std::string, const PackageRow*> newest;
  for (const PackageRow& row : packages) {
    const PackageRow*& best = newest[row.name];
    if (best == nullptr || best->release_counter < row.release_counter) best = &row;
  }
  std::set<std::pair<std::string, std::string>> out;
  for (const auto& [name, row] : newest) out.emplace(name, row->version);
  for (const ReleaseRow& release : releases)
    if (!IsFinal(release.state) || release.state == ReleaseState::kComplete)
      out.emplace(release.package, release.version);
  return out;
}

}  // namespace

std::set<WantedDelta> WantedDeltas(const std::vector<PackageRow>& packages,
                                   const std::vector<ReleaseRow>& releases,
                                   const std::vector<VersionCount>& counts, int most) {
  VersionsByName counters;
  for (const PackageRow& row : packages) counters[row.name][row.version] = row.release_counter;
  std::set<WantedDelta> out;
  for (const auto& [package, version] : VersionsToReach(packages, releases)) {
    const auto& known = counters[package];
    const auto next = known.find(version);
    if (next == known.end()) continue;
    int left = most;
    for (const VersionCount& count : counts) {
      if (count.package != package || count.devices <= 0) continue;
      const auto base = known.find(count.version);
      // No delta leads back.
      if (base == known.end() || base->second >= next->second) continue;
      if (left-- <= 0) break;
      out.insert({package, version, count.version});
    }
  }
  return out;
}

void DeltaMaker::Start() {
  // Plain packages that a crash left behind.
  if (Status removed = options_.fs->RemoveTree(options_.scratch); !removed.ok())
    LogWarn("deltas", "{}", removed.ToString());
  if (options_.most > 0 && options_.executor != nullptr) Schedule();
}

void DeltaMaker::Schedule() {
  options_.executor->PostAfter(kMakeDeltasEveryMs, [this] {
    const Status looked = RunOnce(options_.once, [this] { return AsStatus(Look()); });
    if (!looked.ok()) LogError("deltas", "{}", looked.ToString());
    Schedule();
  });
}

Result<int> DeltaMaker::Look() {
  int64_t generation = 0;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(generation, tx.releases().Generation());
    return OkStatus();
  }));
  if (generation == generation_ && ++looks_ < kLooksACount) return 0;
  FERRY_ASSIGN_OR_RETURN(const int made, Pass());
  generation_ = generation;
  looks_ = 0;
  return made;
}

// A publisher made one, or the content of a version is not here.
bool DeltaMaker::HasSigned(Transaction& tx, const WantedDelta& wanted) const {
  const auto& [package, version, base] = wanted;
  return tx.packages().Artefact(trust::DeltaPath(package, version, base)).ok() ||
         !tx.packages().Artefact(trust::FullPath(package, version)).ok() ||
         !tx.packages().Artefact(trust::FullPath(package, base)).ok();
}

Result<int> DeltaMaker::Pass() {
  std::vector<WantedDelta> to_make;
  std::vector<std::string> to_drop;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    to_make.clear();
    to_drop.clear();
    FERRY_ASSIGN_OR_RETURN(const auto packages, tx.packages().All());
    FERRY_ASSIGN_OR_RETURN(const auto releases, tx.releases().All());
    FERRY_ASSIGN_OR_RETURN(const auto counts, tx.devices().InstalledVersions());
    FERRY_ASSIGN_OR_RETURN(const std::vector<ArtefactRow> made, tx.packages().Made());
    const std::set<WantedDelta> wanted = WantedDeltas(packages, releases, counts, options_.most);
    for (const WantedDelta& each : wanted)
      if (!tried_.contains(each) && !HasSigned(tx, each)) to_make.push_back(each);
    // Bases that some device has are kept, even where others are before them.
    const std::set<WantedDelta> needed =
        WantedDeltas(packages, releases, counts, static_cast<int>(counts.size()));
    for (const ArtefactRow& row : made)
      if (!needed.contains({row.package, row.version, row.base_version}))
        to_drop.push_back(row.path);
    return OkStatus();
  }));
  if (!to_drop.empty()) {
    FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
      for (const std::string& path : to_drop) FERRY_TRY(tx.packages().RemoveArtefact(path));
      return OkStatus();
    }));
    // Devices may come back with the base.
    tried_.clear();
  }
  int count = 0;
  for (const WantedDelta& each : to_make) {
    tried_.insert(each);
    const Result<bool> made = options_.registry->MakeDelta(each.package, each.version, each.base,
                                                           *options_.fs, options_.scratch);
    if (!made.ok()) {
      // There may be room later.
      if (made.code() == Code::kDiskFull) tried_.erase(each);
      LogWarn("deltas", "{} {} from {}: {}", each.package, each.version, each.base,
              made.status().ToString());
    } else if (*made) {
      ++count;
      LogInfo("deltas", "made {} {} from {}", each.package, each.version, each.base);
    }
  }
  return count;
}

}  // namespace ferry::server
