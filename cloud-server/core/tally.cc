#include "cloud-server/core/tally.h"

#include <algorithm>

#include "cloud-server/core/apply.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr std::string_view kEveryone = "all";

Counts CountsOfMember(const MemberRow& member) {
  Counts counts;
  switch (member.outcome) {
    case Outcome::kFailed:
      counts.failed = 1;
      break;
    case Outcome::kHealthy:
      counts.healthy = 1;
      break;
    case Outcome::kDeviceCause:
      counts.device_cause = 1;
      break;
    case Outcome::kOpen:
      (member.overdue ? counts.overdue : counts.pending) = 1;
  }
  counts.told_back = member.back;
  counts.returned = member.back && member.done;
  if (member.outcome == Outcome::kDeviceCause) return counts;
  counts.closed = member.window != Window::kOpen;
  counts.closed_failed = member.window == Window::kFailed;
  return counts;
}

Counts Times(const Counts& counts, int64_t by) {
  Counts out = counts;
  for (int64_t* count : {&out.pending, &out.healthy, &out.failed, &out.overdue, &out.device_cause,
                         &out.told_back, &out.returned, &out.closed, &out.closed_failed})
    *count *= by;
  out.first_ms = 0;
  return out;
}

std::vector<std::string> SlicesOfCell(const std::string& cell) {
  std::vector<std::string> slices;
  const Result<Json> names = ParseJson(cell);
  if (!names.ok() || !names->is_array()) return slices;
  for (const Json& name : *names)
    if (name.is_string()) slices.push_back(name.get<std::string>());
  return slices;
}

bool HaveOneInCommon(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  return std::find_first_of(one.begin(), one.end(), other.begin(), other.end()) != one.end();
}

}  // namespace

std::vector<std::string> SlicesOfMember(const MemberRow& member) {
  const auto known = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  target::Attributes profile;
  profile.os = known(member.os);
  profile.app_version = known(member.app_version);
  profile.device_class = known(member.device_class);
  return target::SlicesOf(profile);
}

// Names of slices begin with a letter.
bool IsCell(const std::string& slice) {
  return slice.starts_with('[');
}

std::vector<std::string> SlicesLeftOut(const std::string& slice,
                                       const std::vector<std::string>& stopped) {
  if (!IsCell(slice)) return {};
  std::vector<std::string> slices = SlicesOfCell(slice);
  return HaveOneInCommon(slices, stopped) ? slices : std::vector<std::string>();
}

std::vector<TallyKey> KeysOfMember(const MemberRow& member) {
  std::vector<TallyKey> keys;
  std::vector<std::string> slices = SlicesOfMember(member);
  slices.push_back(WriteJson(Json(slices)));
  for (std::string& slice : slices)
    keys.push_back({member.release, member.stage, member.control, std::move(slice)});
  return keys;
}

void CountMember(Tallies& tallies, const MemberRow& member, int64_t by) {
  Counts counts = Times(CountsOfMember(member), by);
  counts.first_ms = by > 0 ? member.offered_ms : 0;
  for (TallyKey& key : KeysOfMember(member)) tallies[std::move(key)].Add(counts);
}

bool IsStopped(const ReleaseRow& release, const std::vector<std::string>& slices) {
  return HaveOneInCommon(slices, release.stopped_slices);
}

Tallies WithoutSlices(const Tallies& tallies, const std::vector<std::string>& stopped) {
  Tallies rest;
  for (const auto& [key, counts] : tallies)
    if (!IsCell(key.slice)) rest[key] = counts;
  for (const auto& [key, counts] : tallies) {
    for (const std::string& slice : SlicesLeftOut(key.slice, stopped))
      rest[{key.release, key.stage, key.control, slice}].Add(Times(counts, -1));
  }
  return rest;
}

void CountChange(Tallies& tallies, const MemberRow* before, const MemberRow& after) {
  // Most reports say how far a device is, which no count tells.
  const bool same = before != nullptr && before->stage == after.stage &&
                    before->control == after.control && before->offered_ms == after.offered_ms &&
                    before->os == after.os && before->app_version == after.app_version &&
                    before->device_class == after.device_class &&
                    CountsOfMember(*before) == CountsOfMember(after);
  if (same) return;
  if (before != nullptr) CountMember(tallies, *before, -1);
  CountMember(tallies, after, 1);
  std::erase_if(tallies, [](const auto& entry) { return entry.second.counts_nobody(); });
}

void KeepFirst(const Tallies& kept, Tallies& counted) {
  for (auto& [key, counts] : counted) {
    const auto before = kept.find(key);
    if (before == kept.end() || before->second.first_ms == 0) continue;
    counts.first_ms = std::min(counts.first_ms, before->second.first_ms);
  }
}

void AddTallies(Tallies& sum, const Tallies& more) {
  for (const auto& [key, counts] : more) sum[key].Add(counts);
}

std::vector<SliceRow> SlicesOf(const Tallies& tallies) {
  std::map<std::string, SliceRow> slices;
  for (const auto& [key, counts] : tallies) {
    if (key.control || IsCell(key.slice)) continue;
    SliceRow& slice = slices[key.slice];
    slice.release = key.release;
    slice.slice = key.slice;
    slice.failed += counts.failed;
    slice.healthy += counts.healthy;
    slice.overdue += counts.overdue;
    slice.pending += counts.pending;
  }
  std::vector<SliceRow> rows;
  for (auto& [name, slice] : slices) rows.push_back(std::move(slice));
  return rows;
}

Counts TotalOf(const Tallies& tallies, bool control) {
  Counts sum;
  for (const auto& [key, counts] : tallies)
    if (key.control == control && key.slice == kEveryone) sum.Add(counts);
  return sum;
}

Counts TotalOfStage(const Tallies& tallies, int64_t stage, bool control) {
  Counts sum;
  for (const auto& [key, counts] : tallies)
    if (key.control == control && key.slice == kEveryone && key.stage == stage) sum.Add(counts);
  return sum;
}

}  // namespace ferry::server
