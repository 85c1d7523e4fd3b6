#include "tools/ferry/remote/fleet_of.h"

#include <algorithm>
#include <map>

#include "tools/ferry/remote/list.h"

namespace ferry::cli {
namespace {

// What a plan's rules and stages tell apart, and the zone.
Result<fleetsim::Profile> SimulatedProfileOf(const Json& device) {
  fleetsim::Profile out;
  FERRY_ASSIGN_OR_RETURN(out.os, GetStringOr(device, "os", ""));
  FERRY_ASSIGN_OR_RETURN(out.app_version, GetStringOr(device, "app_version", ""));
  FERRY_ASSIGN_OR_RETURN(out.device_class, GetStringOr(device, "device_class", ""));
  FERRY_ASSIGN_OR_RETURN(out.tags, GetStringsOr(device, "tags"));
  FERRY_ASSIGN_OR_RETURN(const auto operator_tags, GetStringsOr(device, "operator_tags"));
  out.tags.insert(out.tags.end(), operator_tags.begin(), operator_tags.end());
  std::sort(out.tags.begin(), out.tags.end());
  FERRY_ASSIGN_OR_RETURN(out.utc_offset_minutes, GetIntOr(device, "utc_offset_minutes", 0));
  return out;
}

std::string KeyOfProfile(const fleetsim::Profile& profile) {
  return WriteJson(Json{profile.os, profile.app_version, profile.device_class, profile.tags,
                        profile.utc_offset_minutes});
}

}  // namespace

Result<ServerFleet> FleetOf(const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const Json answer, GetList(api, "/devices", "devices"));
  FERRY_ASSIGN_OR_RETURN(const Json* devices, GetArray(answer, "devices"));
  struct Alike {
    fleetsim::Profile profile;
    int64_t count = 0;
  };
  std::map<std::string, Alike> alike;
  ServerFleet fleet;
  for (const Json& device : *devices) {
    FERRY_ASSIGN_OR_RETURN(const bool blocked, GetBoolOr(device, "blocked", false));
    if (blocked) continue;
    FERRY_ASSIGN_OR_RETURN(const fleetsim::Profile profile, SimulatedProfileOf(device));
    Alike& one = alike[KeyOfProfile(profile)];
    one.profile = profile;
    ++one.count;
    ++fleet.devices;
  }
  if (fleet.devices == 0)
    return Status::Of(Code::kFailedPrecondition, "{} has no devices", api.url());
  std::vector<Alike> sorted;
  for (auto& [key, one] : alike) sorted.push_back(std::move(one));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Alike& a, const Alike& b) { return a.count > b.count; });
  sorted.resize(std::min(sorted.size(), fleetsim::kMaxProfiles));
  for (Alike& one : sorted) {
    one.profile.share = static_cast<double>(one.count) / static_cast<double>(fleet.devices);
    fleet.profiles.push_back(std::move(one.profile));
  }
  return fleet;
}

}  // namespace ferry::cli
