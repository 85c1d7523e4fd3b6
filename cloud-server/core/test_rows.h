// Rows for core's tests: a small fleet and a release over it.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/core/apply.h"
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
  rows.targets = {"digits/2.0.0/full", "digits/2.0.0/delta-from-1.0.0"};
  rows.fallback_targets = {"digits/1.0.0/full"};
  return rows;
}

// What a store does with changes.
inline void Merge(ReleaseRows& rows, const Changes& changes) {
  auto put = [](auto& into, const auto& row, auto same) {
    for (auto& old : into)
      if (same(old)) {
        old = row;
        return;
      }
    into.push_back(row);
  };
  if (changes.release) rows.release = *changes.release;
  for (const StageRow& row : changes.stages)
    put(rows.stages, row, [&](const StageRow& old) { return old.index == row.index; });
  for (const MemberRow& row : changes.members)
    put(rows.members, row, [&](const MemberRow& old) { return old.device == row.device; });
  for (const SliceRow& row : changes.slices)
    put(rows.slices, row, [&](const SliceRow& old) { return old.slice == row.slice; });
  for (const AssignmentRow& row : changes.assignments)
    put(rows.assignments, row, [&](const AssignmentRow& old) { return old.device == row.device; });
  rows.next_event_seq += static_cast<int64_t>(changes.events.size());
}

}  // namespace ferry::server
