#include "cloud-server/have/news.h"

#include <algorithm>

#include "cloud-server/core/tally.h"
#include "policy/requires/requires.h"
#include "policy/stage/plan.h"

namespace ferry::server {
namespace {

// Whether who runs its version is sent back or told to stop. A release that merely stopped leaves
// it to those who have it.
bool Leaves(const Catalogue::Release& release, const std::vector<std::string>& slices) {
  switch (release.row.state) {
    case ReleaseState::kRollingBack:
    case ReleaseState::kRolledBack:
    case ReleaseState::kKilled:
      return true;
    default:
      return IsStopped(release.row, slices);
  }
}

bool Offers(const Catalogue::Package& package, const Catalogue::Release& release,
            const target::Attributes& device, const std::map<std::string, std::string>& running) {
  const ReleaseState state = release.row.state;
  if (!TakesDevices(state) && state != ReleaseState::kSuperseded) return false;
  const auto version = package.versions.find(release.row.version);
  if (version == package.versions.end() || version->second.targets.empty()) return false;
  const auto index = static_cast<size_t>(release.row.stage);
  const bool compares = state != ReleaseState::kComplete && state != ReleaseState::kSuperseded;
  if (compares && stage::IsHeldBack(release.plan.stages[index], device.device_id, release.row.salt))
    return false;
  return requires_::CheckRequires(version->second.needs, device, running).fits &&
         stage::Includes(release.plan, index, device, release.row.salt).matches;
}

bool HasNews(const Catalogue::Package& package, const target::Attributes& device,
             const std::string& runs, const std::map<std::string, std::string>& running,
             const std::vector<std::string>& slices) {
  for (const Catalogue::Release& release : package.releases) {
    const bool has = !runs.empty() && runs == release.row.version;
    if (Leaves(release, slices)) {
      if (has) return true;
      continue;
    }
    if (has) return false;  // a newer one would have been named before
    if (Offers(package, release, device, running)) return true;
  }
  return false;
}

}  // namespace

bool MayHaveNews(const Catalogue& catalogue, const target::Attributes& device,
                 const std::map<std::string, std::string>& running) {
  const std::vector<std::string> slices = target::SlicesOf(device);
  return std::any_of(catalogue.packages.begin(), catalogue.packages.end(), [&](const auto& entry) {
    const auto runs = running.find(entry.first);
    return HasNews(entry.second, device, runs == running.end() ? "" : runs->second, running,
                   slices);
  });
}

}  // namespace ferry::server
