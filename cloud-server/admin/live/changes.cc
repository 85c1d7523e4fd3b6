#include "cloud-server/admin/live/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ferry::server {
namespace {

constexpr const char* kLookedAt = "time_ms";  // differs at every look

// Events are only added, at the end.
Json NewEvents(const Json& then, const Json& now) {
  int64_t seen = -1;
  for (const Json& event : then)
    if (const auto seq = GetInt(event, "seq"); seq.ok()) seen = std::max(seen, *seq);
  Json fresh = Json::array();
  for (const Json& event : now)
    if (const auto seq = GetInt(event, "seq"); seq.ok() && *seq > seen) fresh.push_back(event);
  return fresh;
}

// How near the gate is to stopping the release; what has stopped is nearest.
double NearnessOf(const Json& gate) {
  const auto evidence = gate.find("evidence"), threshold = gate.find("threshold");
  const bool known = evidence != gate.end() && evidence->is_number() && threshold != gate.end() &&
                     threshold->is_number() && threshold->get<double>() > 0;
  return known ? evidence->get<double>() / threshold->get<double>() : 0;
}

void TrimGates(Json* release) {
  const auto gates = release->find("gates");
  if (gates == release->end() || gates->size() <= kLiveGates) return;
  std::vector<Json> rows(gates->begin(), gates->end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Json& a, const Json& b) { return NearnessOf(a) > NearnessOf(b); });
  (*release)["gates_left_out"] = rows.size() - kLiveGates;
  rows.resize(kLiveGates);
  (*release)["gates"] = std::move(rows);
}

}  // namespace

void TrimRelease(Json* release) {
  release->erase("members");
  release->erase("exclusive");
  TrimGates(release);
  const auto events = release->find("events");
  if (events == release->end() || events->size() <= kLiveReleaseEvents) return;
  events->erase(events->begin(), events->end() - static_cast<ptrdiff_t>(kLiveReleaseEvents));
}

Json DifferenceOf(const Json& then, const Json& now) {
  Json difference = Json::object();
  for (const auto& [key, value] : now.items()) {
    const auto before = then.find(key);
    if (key == kLookedAt || (before != then.end() && *before == value)) continue;
    const bool adds = key == "events" && before != then.end() && before->is_array();
    difference[key] = adds ? NewEvents(*before, value) : value;
  }
  for (const auto& [key, value] : then.items())
    if (!now.contains(key)) difference[key] = nullptr;
  if (difference.empty()) return difference;
  for (const char* kept : {"id", kLookedAt})
    if (now.contains(kept)) difference[kept] = now[kept];
  return difference;
}

Json WholeOf(Json now) {
  now["whole"] = true;
  return now;
}

std::string EventText(const std::string& id, const std::string& kind, const Json& data) {
  return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, kind, WriteJson(data));
}

}  // namespace ferry::server
