#include "cloud-server/core/work.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

// Devices that can answer: known, not blocked, and not taken by a newer release.
std::set<std::string> Reachable(const Work& work) {
  std::set<std::string> ids;
  for (const DeviceRow& device : work.rows.devices)
    if (!device.blocked && !work.rows.newer.contains(device.id)) ids.insert(device.id);
  return ids;
}

// Takes back what was offered to those that have not answered: there is nothing to send them to.
void CancelOffers(Work& work) {
  for (auto& [device, member] : work.members) {
    if (member.done || !work.HoldsAssignment(device)) continue;
    member.done = true;
    work.Assign(device, "none", {}, {});
  }
}

}  // namespace

void BeginRollback(Work& work, const std::string& kind, const std::string& why, Json numbers) {
  const bool can_go_back =
      !work.release.fallback_version.empty() && !work.rows.fallback_targets.empty();
  work.release.state = can_go_back ? ReleaseState::kRollingBack : ReleaseState::kStopped;
  work.release.reason = why;
  StageRow& stage = work.stages[static_cast<size_t>(work.release.stage)];
  if (stage.entered_ms != 0 && stage.left_ms == 0) stage.left_ms = work.now_ms;
  work.AddEvent(kind, why, std::move(numbers));
  if (can_go_back) {
    work.AddEvent(
        "rolling_back",
        fmt::format("every device that was offered {} {} goes back to {}", work.release.package,
                    work.release.version, work.release.fallback_version),
        {{"fallback", work.release.fallback_version}});
    return;
  }
  work.AddEvent("no_fallback",
                fmt::format("no older version was signed as the fallback of {} {}: devices keep "
                            "what they have, no other device gets it",
                            work.release.package, work.release.version));
}

void SendBack(Work& work) {
  if (work.release.state == ReleaseState::kStopped) CancelOffers(work);
  if (work.release.state != ReleaseState::kRollingBack) return;
  const std::set<std::string> reachable = Reachable(work);
  int64_t answered = 0, failed = 0, waiting = 0;
  for (auto& [device, member] : work.members) {
    if (!reachable.contains(device)) continue;
    const bool sent = member.back && (member.done || work.HoldsAssignment(device));
    if (!sent) {
      member.done = false;
      // It comes before another package's install, but not before another package's way back: two
      // that took the device from each other at every look would never end.
      if (!work.GoesBackElsewhere(device)) {
        member.back = true;
        work.Assign(device, "rollback", work.rows.fallback_targets, {});
      }
    }
    if (!member.done) {
      ++waiting;
    } else {
      ++answered;
      failed += member.step == "failed";
    }
  }
  if (waiting > 0) return;
  work.release.state = ReleaseState::kRolledBack;
  work.AddEvent("rolled_back",
                fmt::format("{} devices answered that they went back to {}{}", answered - failed,
                            work.release.fallback_version,
                            failed > 0 ? fmt::format(", {} could not", failed) : std::string()),
                {{"devices", answered}, {"failed", failed}});
}

}  // namespace ferry::server
