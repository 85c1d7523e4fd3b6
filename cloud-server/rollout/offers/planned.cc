// How far a stage will reach, without reading every device.
#include <algorithm>

#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rows.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

// Devices that stand for all of one profile, where a rule or a stage takes a share of them.
constexpr int64_t kSamples = 64;
// Of all profiles together: a fleet of many profiles has few devices of each, and the errors of
// shares cancel out among them.
constexpr int64_t kAllSamples = 200'000;

// Whether a device must be one that can be compared.
bool Compares(const stage::Plan& plan, size_t index) {
  return index < plan.stages.size() && plan.stages[index].control > 0;
}

Result<int64_t> CountEach(Transaction& tx, const ReleaseRow& release, const stage::Plan& plan,
                          size_t index) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<DeviceRow> devices, tx.devices().All(release.tenant));
  int64_t planned = 0;
  for (const DeviceRow& device : devices) {
    const target::Attributes attributes = AttributesOf(device);
    if (Compares(plan, index) && !device.observes) continue;
    planned += !device.blocked && !IsStopped(release, target::SlicesOf(attributes)) &&
               stage::Includes(plan, index, attributes, release.salt).matches;
  }
  return planned;
}

int64_t Estimate(const std::vector<ProfileRow>& profiles, const ReleaseRow& release,
                 const stage::Plan& plan, size_t index) {
  const auto kinds = std::max<int64_t>(1, static_cast<int64_t>(profiles.size()));
  const int64_t samples = std::clamp<int64_t>(kAllSamples / kinds, 1, kSamples);
  int64_t taken = 0;  // in samples
  int64_t first = 0;  // others for each profile, where a profile has few
  for (const ProfileRow& profile : profiles) {
    target::Attributes attributes = AttributesOf(profile.sample);
    if (IsStopped(release, target::SlicesOf(attributes))) continue;
    int64_t matches = 0;
    if (samples < kSamples) first += samples;
    for (int64_t i = 0; i < samples; ++i) {
      attributes.device_id = fmt::format("sample-{}", first + i);
      matches += stage::Includes(plan, index, attributes, release.salt).matches;
    }
    taken += matches * profile.devices;
  }
  return (taken + samples / 2) / samples;
}

Result<int64_t> Count(Transaction& tx, const ReleaseRow& release, size_t index) {
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan, PlanOf(release));
  FERRY_ASSIGN_OR_RETURN(const std::vector<ProfileRow> profiles,
                         tx.devices().Profiles(release.tenant));
  int64_t devices = 0;
  for (const ProfileRow& profile : profiles) devices += profile.devices;
  if (devices <= kExactPlanned) return CountEach(tx, release, plan, index);
  const int64_t planned = Estimate(profiles, release, plan, index);
  if (!Compares(plan, index)) return planned;
  FERRY_ASSIGN_OR_RETURN(const int64_t observing, tx.devices().CountObserving(release.tenant));
  return static_cast<int64_t>(static_cast<double>(planned) * static_cast<double>(observing) /
                              static_cast<double>(devices));
}

}  // namespace

int64_t CountPlanned(Transaction& tx, const ReleaseRow& release, size_t index) {
  const Result<int64_t> planned = Count(tx, release, index);
  if (planned.ok()) return *planned;
  LogError("rollout", "counting stage {} of {}: {}", index, release.id,
           planned.status().ToString());
  return -1;
}

}  // namespace ferry::server
