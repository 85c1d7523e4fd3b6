// Rows for core's tests: a small fleet and a release over it.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cloud-server/core/apply.h"
#include "cloud-server/core/desired.h"
#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/core/tally.h"
#include "common/base/json.h"

namespace ferry::server {

inline DeviceRow MakeDevice(const std::string& id, const std::string& device_class,
                            const std::string& app_version, std::vector<std::string> tags = {}) {
  DeviceRow device;
  device.id = id;
  device.os = "android";
  device.app_version = app_version;
  device.device_class = device_class;
  device.tags = std::move(tags);
  device.observes = true;
  return device;
}

// Simulation, beta (tag "beta"), gray 50, full; each `reports` good devices and `healthy_ms`.
inline std::string PlanText(const std::string& rule, int64_t reports, int64_t healthy_ms) {
  Json stages = Json::array();
  stages.push_back({{"kind", "simulation"}});
  stages.push_back({{"kind", "beta"}, {"who", "tag(\"beta\")"}});
  stages.push_back({{"kind", "gray"}, {"percent", 50}});
  stages.push_back({{"kind", "full"}});
  for (size_t i = 1; i < stages.size(); ++i) {
    stages[i]["min_reports"] = reports;
    stages[i]["min_healthy_ms"] = healthy_ms;
  }
  return WriteJson(Json{{"rule", rule}, {"stages", stages}});
}

inline ReleaseRows MakeRelease(const std::string& rule, int64_t reports = 1,
                               int64_t healthy_ms = 0) {
  ReleaseRows rows;
  rows.release.id = "digits-2.0.0-1";
  rows.release.package = "digits";
  rows.release.version = "2.0.0";
  rows.release.release_counter = 2;
  rows.release.fallback_version = "1.0.0";
  rows.release.plan_json = PlanText(rule, reports, healthy_ms);
  rows.release.settings_json = "{}";
  rows.release.salt = "salt";
  rows.release.number = 1;
  for (int64_t i = 0; i < 4; ++i) rows.stages.push_back({rows.release.id, i});
  rows.has_fallback = true;
  return rows;
}

// Versions of digits, each with the one below as its fallback.
inline Catalogue::Package MakePackage(const std::vector<std::string>& versions) {
  Catalogue::Package package;
  std::string below;
  for (const std::string& version : versions) {
    package.versions[version] = {{"digits/" + version + "/full"}, below};
    if (!below.empty())
      package.versions[version].targets.push_back("digits/" + version + "/delta-from-" + below);
    below = version;
  }
  return package;
}

// One release, its devices, and what a store and a rollout do with what core decides.
struct TestWorld {
  explicit TestWorld(ReleaseRows from, std::vector<DeviceRow> fleet = {})
      : rows(std::move(from)), devices(std::move(fleet)) {
    package = MakePackage({"1.0.0", "2.0.0"});
    rows.devices = [this] { return static_cast<int64_t>(devices.size()); };
  }

  Result<Changes> Do(const Command& command, int64_t now_ms) {
    rows.last_seen_ms.clear();
    for (const DeviceRow& device : devices) rows.last_seen_ms[device.id] = device.last_seen_ms;
    rows.planned = [this](const ReleaseRow& release, size_t stage) {
      return Planned(release, stage);
    };
    rows.waits_for_devices = Waits();
    if (const auto* told = std::get_if<command::DeviceReports>(&command))
      for (const ReportRow& report : told->reports)
        rows.told_epochs[report.device] = assignments[report.device].counter;
    FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(rows, command, now_ms));
    Merge(changes);
    LookAtAll(now_ms);
    return changes;
  }

  void Merge(const Changes& changes) {
    if (changes.release) rows.release = *changes.release;
    for (const StageRow& row : changes.stages) rows.stages[static_cast<size_t>(row.index)] = row;
    for (const MemberRow& row : changes.members) PutMember(row);
    AddTallies(rows.tallies, changes.tallies);
    AddMetricTallies(rows.measured.tallies, changes.metric_tallies);
    rows.next_event_seq += static_cast<int64_t>(changes.events.size());
  }

  void LookAtAll(int64_t now_ms) {
    Catalogue catalogue;
    catalogue.tenant = "default";
    Catalogue::Package& digits = catalogue.packages["digits"] = package;
    digits.releases = {{rows.release, *PlanOf(rows.release), exclusive}};
    for (const DeviceRow& device : devices) {
      DeviceView view{device, assignments[device.id], {}, {}};
      if (const MemberRow* member = MemberOf(device.id)) view.members[member->release] = *member;
      const Look look = LookAt(catalogue, view, now_ms);
      for (const MemberRow& row : look.members) PutMember(row);
      AddTallies(rows.tallies, look.tallies);
      for (const MemberRow& row : look.joined)
        CountMetrics(rows.measured.tallies, Rules(), rows.measured.baselines, row, -1);
      if (look.assignment) assignments[device.id] = *look.assignment;
      if (look.news) woken.push_back(device.id);
    }
  }

  std::vector<gate::MetricRule> Rules() const { return SettingsOf(rows.release)->metrics; }

  // What a rollout does after a measurement of a device that is held back.
  void FixBaselines(int64_t stage, int64_t now_ms) {
    std::vector<MemberRow> first;
    for (const MemberRow& row : rows.members)
      if (row.control && row.stage == stage) first.push_back(row);
    std::stable_sort(first.begin(), first.end(), [](const auto& one, const auto& other) {
      return one.offered_ms < other.offered_ms;
    });
    if (first.size() > kBaselineCandidates) first.resize(kBaselineCandidates);
    const auto fixed = NewBaselines(Rules(), rows.measured.baselines, first, now_ms);
    if (fixed.empty()) return;
    rows.measured.baselines.insert(rows.measured.baselines.end(), fixed.begin(), fixed.end());
    rows.measured.tallies = CountedMetrics();
  }

  // From all members.
  MetricTallies CountedMetrics() const {
    MetricTallies counted;
    for (const MemberRow& row : rows.members)
      CountMetrics(counted, Rules(), rows.measured.baselines, row, 1);
    DropEmpty(counted);
    return counted;
  }

  const MemberRow* MemberOf(const std::string& device) const {
    for (const MemberRow& row : rows.members)
      if (row.device == device) return &row;
    return nullptr;
  }

  ReleaseRows rows;
  std::vector<DeviceRow> devices;
  std::map<std::string, AssignmentRow> assignments;  // by device
  Catalogue::Package package;                        // versions
  std::multimap<std::string, std::string> exclusive;
  std::vector<std::string> woken;

 private:
  int64_t Planned(const ReleaseRow& release, size_t stage) const {
    int64_t planned = 0;
    const stage::Plan plan = *PlanOf(release);
    for (const DeviceRow& device : devices)
      planned += !IsStopped(release, target::SlicesOf(AttributesOf(device))) &&
                 stage::Includes(plan, stage, AttributesOf(device), release.salt).matches;
    return planned;
  }
  bool Waits() const {
    for (const MemberRow& row : rows.members) {
      if (row.control || (row.back && row.done)) continue;
      for (const DeviceRow& device : devices)
        if (device.id == row.device && !device.blocked) return true;
    }
    return false;
  }
  void PutMember(const MemberRow& row) {
    for (MemberRow& old : rows.members)
      if (old.device == row.device) {
        old = row;
        return;
      }
    rows.members.push_back(row);
  }
};

}  // namespace ferry::server
