// What one device shall have: a pure function of the releases, of what the device says of itself
// and of what it was told before. Computed when the device asks (lazy intake), stored only when it
// differs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "common/trust/desired.h"
#include "policy/requires/requires.h"
#include "policy/stage/plan.h"

namespace ferry::server {

// Everything about releases that a look at a device needs; the same for all devices.
struct Catalogue {
  struct Release {
    ReleaseRow row;
    stage::Plan plan;
    std::multimap<std::string, std::string> exclusive;  // path by device
    bool paced = false;  // the plan has a rate, and it did not grow above all limits yet
  };
  struct Version {
    std::vector<std::string> targets;  // paths: full first, then deltas
    std::string fallback;              // the version that offline keys signed as the way back
    requires_::Requires needs;         // of a device that may be offered it
  };
  struct Package {
    std::vector<Release> releases;            // the newest first
    std::map<std::string, Version> versions;  // that were published
  };
  std::string tenant;
  bool in_bins = false;  // the signed targets lie in bins: only for devices that fetch those
  std::map<std::string, Package> packages;  // by name; those that have a release
};

// What is known of one device.
struct DeviceView {
  DeviceRow device;
  AssignmentRow assignment;
  std::map<std::string, InstalledRow> installed;  // by package
  std::map<std::string, MemberRow> members;       // by release
  int64_t personal = 0;                           // the last change of its personal files
  std::map<std::string, int64_t> free;  // new devices that releases with a rate may take now
};

// What a look changes.
struct Look {
  std::vector<MemberRow> members;  // new or changed
  Tallies tallies;                 // increments
  std::vector<MemberRow> joined;   // as they were: members that are not held back any more
  // Set when something differs from what is stored. `news`: the device has to hear of it, and the
  // counter grew.
  std::optional<AssignmentRow> assignment;
  bool news = false;
  std::set<std::string> unanswered;      // packages that the device is told of and did not answer
  std::vector<std::string> taken;        // releases with a rate that it is a new device of
  std::vector<std::string> turned_away;  // releases that would take it, but for their rate
};

// Every package that a release of the tenant is about, by these rules: the newest release that
// takes the device decides; a release that was taken back sends its members to what the releases
// below say, by signed fallbacks, or to nothing where nothing was; a killed one disables what it
// gave. A version whose needs the device does not meet is not offered, unless it has it. A release
// whose rate is used up is not offered yet, one with conditions only to devices that wait for them,
// and not after its deadline. A blocked device is left as it is.
Look LookAt(const Catalogue& catalogue, const DeviceView& view, int64_t now_ms);

// Whether signed fallbacks lead from one version to another, in any number of steps.
bool LeadsBack(const Catalogue::Package& package, const std::string& from, const std::string& to);

// {"name": {trust::DesiredPackage}, ..} of an assignment; empty where none was stored.
Result<std::map<std::string, trust::DesiredPackage>> PackagesOf(const AssignmentRow& row);

}  // namespace ferry::server
