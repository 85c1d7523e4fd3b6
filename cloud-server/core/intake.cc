#include <algorithm>

#include "cloud-server/core/work.h"

namespace ferry::server {
namespace {

void Offer(Work& work, const std::string& device) {
  std::vector<std::string> exclusive;
  for (const ExclusiveRow& row : work.rows.exclusive)
    if (row.device == device) exclusive.push_back(row.path);
  work.Assign(device, "install", work.rows.targets, std::move(exclusive));
}

// A member whose assignment went to another release before it answered gets it again.
bool NeedsOfferAgain(const Work& work, const MemberRow& member) {
  return !member.done && !member.back && !work.HoldsAssignment(member.device);
}

}  // namespace

void TakeIn(Work& work) {
  for (const DeviceRow& device : work.rows.devices) {
    if (device.blocked || work.rows.newer.contains(device.id)) continue;
    if (work.IsBusyElsewhere(device.id)) continue;
    auto found = work.members.find(device.id);
    if (found != work.members.end()) {
      if (NeedsOfferAgain(work, found->second)) Offer(work, device.id);
      continue;
    }
    target::Explanation included =
        stage::Includes(work.plan, static_cast<size_t>(work.release.stage), AttributesOf(device),
                        work.release.salt);
    if (!included.matches) continue;
    MemberRow member;
    member.release = work.release.id;
    member.device = device.id;
    member.stage = work.release.stage;
    member.offered_ms = work.now_ms;
    member.os = device.os;
    member.app_version = device.app_version;
    member.device_class = device.device_class;
    CountMember(work, member, 1);
    work.members[device.id] = std::move(member);
    Offer(work, device.id);
  }
}

}  // namespace ferry::server
