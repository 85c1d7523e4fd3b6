// How fast releases take devices, and who is tried again: what a tick does for both. Neither reads
// more devices than it lets in.
#include <algorithm>

#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/rows.h"

namespace ferry::server {
namespace {

bool MayTake(const ReleaseRow& release) {
  return TakesDevices(release.state) || release.state == ReleaseState::kSuperseded;
}

// Calls `each` for the releases that `wanted` says.
template <typename Wanted, typename Each>
Status ForReleases(const Catalogue& catalogue, const Wanted& wanted, const Each& each) {
  for (const auto& [name, package] : catalogue.packages)
    for (const Catalogue::Release& release : package.releases)
      if (wanted(release)) FERRY_TRY(each(release));
  return OkStatus();
}

bool IsPaced(const Catalogue::Release& release) {
  return release.paced && MayTake(release.row);
}

bool Retries(const Catalogue::Release& release) {
  return release.plan.retries.count > 0 && TakesDevices(release.row.state);
}

// As far as it has grown by now; it never shrinks.
Result<PaceRow> GrownPace(Transaction& tx, const Catalogue::Release& release) {
  FERRY_ASSIGN_OR_RETURN(PaceRow row, tx.releases().Pace(release.row.id));
  FERRY_ASSIGN_OR_RETURN(const Tallies tallies, tx.releases().TalliesOf(release.row.id));
  row.per_minute =
      std::max(row.per_minute, stage::PerMinute(*release.plan.rate, TotalOf(tallies).healthy));
  return row;
}

Result<int64_t> FreeOf(const PaceRow& row, const stage::Rate& rate, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(const stage::Pace pace, stage::Pace::FromText(row.recent));
  return pace.Free(std::max(row.per_minute, rate.per_minute), now_ms);
}

}  // namespace

Result<PaceRow*> Paces::Of(const std::string& release) {
  const auto found = rows_.find(release);
  if (found != rows_.end()) return &found->second;
  FERRY_ASSIGN_OR_RETURN(PaceRow row, tx_.releases().Pace(release));
  return &rows_.emplace(release, std::move(row)).first->second;
}

Status Paces::Offer(DeviceView* view) {
  return ForReleases(catalogue_, IsPaced, [&](const Catalogue::Release& release) -> Status {
    const auto member = view->members.find(release.row.id);
    if (member != view->members.end() && !member->second.control) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(const PaceRow* row, Of(release.row.id));
    FERRY_ASSIGN_OR_RETURN(view->free[release.row.id], FreeOf(*row, *release.plan.rate, now_ms_));
    return OkStatus();
  });
}

Status Paces::Take(const std::vector<std::string>& releases) {
  for (const std::string& release : releases) {
    FERRY_ASSIGN_OR_RETURN(PaceRow * row, Of(release));
    FERRY_ASSIGN_OR_RETURN(stage::Pace pace, stage::Pace::FromText(row->recent));
    pace.Take(now_ms_);
    row->recent = pace.ToText();
    taken_.insert(release);
  }
  return OkStatus();
}

Status Paces::Store() {
  for (const std::string& release : taken_) FERRY_TRY(tx_.releases().PutPace(rows_.at(release)));
  taken_.clear();
  return OkStatus();
}

void Rollout::NoteTurnedAway(const std::string& device, const std::vector<std::string>& releases) {
  std::lock_guard lock(mutex_);
  for (const std::string& release : releases) {
    TurnedAway& queue = turned_away_[release];
    if (queue.devices.size() >= kMaxTurnedAway) {
      queue.overflown = true;
    } else if (queue.known.insert(device).second) {
      queue.devices.push_back(device);
    }
  }
}

// Those that were turned away and whose line is open are looked at again as the rate allows; others
// come by themselves. Where more were turned away than the queue holds, all open lines are looked
// at once it is empty.
void Rollout::QueueTurnedAway(const std::map<std::string, int64_t>& free) {
  std::vector<std::string> look;
  bool all = false;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(turned_away_, [&](const auto& item) { return !free.contains(item.first); });
    for (auto& [release, queue] : turned_away_) {
      for (int64_t left = free.at(release); left > 0 && !queue.devices.empty();) {
        const std::string device = std::move(queue.devices.front());
        queue.devices.pop_front();
        queue.known.erase(device);
        if (!options_.bus->IsListening(device)) continue;
        look.push_back(device);
        --left;
      }
      if (!queue.devices.empty() || !queue.overflown || free.at(release) == 0) continue;
      all = true;
      queue.overflown = false;
    }
  }
  if (all) return QueueListening();
  for (const std::string& device : look) QueueLook(device);
  if (!look.empty()) PumpLooks();
}

// A rate that grew above all limits is a change of the release, so that every node reads it anew.
Status Rollout::TickPace(const Catalogue& catalogue) {
  std::vector<const Catalogue::Release*> grown;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    grown.clear();
    return ForReleases(catalogue, IsPaced, [&](const Catalogue::Release& release) -> Status {
      FERRY_ASSIGN_OR_RETURN(const PaceRow before, tx.releases().Pace(release.row.id));
      FERRY_ASSIGN_OR_RETURN(const PaceRow row, GrownPace(tx, release));
      if (row != before) grown.push_back(&release);
      return OkStatus();
    });
  }));
  if (grown.empty()) return OkStatus();
  Effects effects;
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    effects = Effects();
    for (const Catalogue::Release* release : grown) {
      FERRY_ASSIGN_OR_RETURN(const PaceRow row, GrownPace(tx, *release));
      FERRY_TRY(tx.releases().PutPace(row));
      if (row.per_minute < stage::kMaxPerMinute) continue;
      FERRY_ASSIGN_OR_RETURN(const ReleaseRow now, tx.releases().Get(release->row.id));
      FERRY_TRY(tx.releases().Put(now));
      effects.look = effects.changed = true;
    }
    return OkStatus();
  }));
  AfterCommit(effects);
  return OkStatus();
}

Status Rollout::LookAtTurnedAway() {
  {
    std::lock_guard lock(mutex_);
    if (turned_away_.empty()) return OkStatus();
  }
  const int64_t now_ms = options_.clock->NowUnixMs();
  FERRY_ASSIGN_OR_RETURN(const Known known, Latest());
  std::map<std::string, int64_t> free;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    free.clear();
    return ForReleases(*known.catalogue, IsPaced, [&](const Catalogue::Release& release) -> Status {
      FERRY_ASSIGN_OR_RETURN(const PaceRow row, tx.releases().Pace(release.row.id));
      FERRY_ASSIGN_OR_RETURN(free[release.row.id], FreeOf(row, *release.plan.rate, now_ms));
      return OkStatus();
    });
  }));
  QueueTurnedAway(free);
  return OkStatus();
}

Status Rollout::TickRetries(const Catalogue& catalogue) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  std::vector<MemberRow> due;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    due.clear();
    return ForReleases(catalogue, Retries, [&](const Catalogue::Release& release) -> Status {
      const stage::Plan& plan = release.plan;
      if (plan.when.deadline_ms > 0 && now_ms >= plan.when.deadline_ms) return OkStatus();
      for (int64_t attempt = 0; attempt < plan.retries.count; ++attempt) {
        const int64_t before_ms = now_ms - (plan.retries.backoff_ms << attempt);
        FERRY_ASSIGN_OR_RETURN(
            std::vector<MemberRow> some,
            tx.releases().RetryDue(release.row.id, attempt, before_ms, kMaxLooksAtOnce));
        due.insert(due.end(), some.begin(), some.end());
      }
      return OkStatus();
    });
  }));
  if (due.empty()) return OkStatus();
  due.resize(std::min(due.size(), kMaxLooksAtOnce));
  FERRY_TRY(options_.store->WriteInTurn([&](Transaction& tx) -> Status {
    for (const MemberRow& seen : due) {
      FERRY_ASSIGN_OR_RETURN(std::optional<MemberRow> member,
                             tx.releases().Member(seen.release, seen.device));
      if (!member || *member != seen) continue;
      ++member->attempt;
      FERRY_TRY(tx.releases().PutMember(*member));
    }
    return OkStatus();
  }));
  for (const MemberRow& member : due) QueueLook(member.device);
  PumpLooks();
  return OkStatus();
}

}  // namespace ferry::server
