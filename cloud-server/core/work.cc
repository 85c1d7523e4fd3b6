#include "cloud-server/core/work.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/json.h"

namespace ferry::server {

Work::Work(const ReleaseRows& from, int64_t now)
    : rows(from), now_ms(now), release(from.release), stages(from.stages) {
  for (const MemberRow& member : from.members) members[member.device] = member;
  for (const AssignmentRow& row : from.assignments) assignments[row.device] = row;
  for (const SliceRow& slice : from.slices) slices[slice.slice] = slice;
}

Result<Work> Work::Make(const ReleaseRows& rows, int64_t now_ms) {
  Work work(rows, now_ms);
  FERRY_ASSIGN_OR_RETURN(work.plan, PlanOf(rows.release));
  FERRY_ASSIGN_OR_RETURN(work.settings, SettingsOf(rows.release));
  if (work.plan.stages.empty() || work.plan.stages.size() != rows.stages.size())
    return Status::Of(Code::kInternal, "release {}: {} stages are stored, its plan has {}",
                      rows.release.id, rows.stages.size(), work.plan.stages.size());
  if (rows.release.stage < 0 || rows.release.stage >= static_cast<int64_t>(rows.stages.size()))
    return Status::Of(Code::kInternal, "release {}: stands at stage {} of {}", rows.release.id,
                      rows.release.stage, rows.stages.size());
  return work;
}

void Work::AddEvent(std::string kind, std::string text) {
  AddEvent(std::move(kind), std::move(text), Json::object());
}

void Work::AddEvent(std::string kind, std::string text, Json numbers) {
  EventRow event;
  event.release = release.id;
  event.seq = rows.next_event_seq + static_cast<int64_t>(events_.size());
  event.time_ms = now_ms;
  event.kind = std::move(kind);
  event.text = std::move(text);
  event.numbers_json = WriteJson(numbers);
  events_.push_back(std::move(event));
}

const stage::Stage& Work::present_stage() const {
  return plan.stages[static_cast<size_t>(release.stage)];
}

void Work::Assign(const std::string& device, std::string action, std::vector<std::string> targets,
                  std::vector<std::string> exclusive) {
  AssignmentRow& row = assignments[device];
  row.device = device;
  row.counter += 1;
  row.release = release.id;
  row.done = action == "none";
  row.action = std::move(action);
  row.targets = std::move(targets);
  row.exclusive = std::move(exclusive);
  row.made_ms = now_ms;
  wake_.push_back(device);
}

bool Work::HoldsAssignment(const std::string& device) const {
  auto found = assignments.find(device);
  return found != assignments.end() && found->second.release == release.id;
}

bool Work::IsBusyElsewhere(const std::string& device) const {
  auto found = assignments.find(device);
  if (found == assignments.end() || found->second.done) return false;
  const std::vector<std::string>& targets = found->second.targets;
  // An older release of the same package gives way.
  return std::none_of(targets.begin(), targets.end(), [&](const std::string& path) {
    return path.starts_with(release.package + "/");
  });
}

bool Work::GoesBackElsewhere(const std::string& device) const {
  return IsBusyElsewhere(device) && assignments.at(device).action == "rollback";
}

namespace {

// The rows of `now` that differ from those of `before`.
template <typename Row, typename Key>
std::vector<Row> Differing(const std::map<std::string, Row>& now, const std::vector<Row>& before,
                           Key key) {
  std::map<std::string, const Row*> old;
  for (const Row& row : before) old[row.*key] = &row;
  std::vector<Row> changed;
  for (const auto& [name, row] : now) {
    auto found = old.find(name);
    if (found == old.end() || !(*found->second == row)) changed.push_back(row);
  }
  return changed;
}

}  // namespace

Changes Work::Finish() {
  Changes changes;
  if (!(release == rows.release)) changes.release = release;
  for (size_t i = 0; i < stages.size(); ++i)
    if (!(stages[i] == rows.stages[i])) changes.stages.push_back(stages[i]);
  changes.members = Differing(members, rows.members, &MemberRow::device);
  changes.assignments = Differing(assignments, rows.assignments, &AssignmentRow::device);
  changes.slices = Differing(slices, rows.slices, &SliceRow::slice);
  for (const AssignmentRow& old : rows.assignments)
    CHECK(assignments.at(old.device).counter >= old.counter) << old.device;
  CHECK(members.size() >= rows.members.size()) << release.id;
  CHECK(release.stage >= rows.release.stage) << release.id;
  for (const auto& [name, slice] : slices)
    CHECK(slice.failed >= 0 && slice.healthy >= 0 && slice.overdue >= 0 && slice.pending >= 0)
        << release.id << " " << name;
  changes.events = std::move(events_);
  std::sort(wake_.begin(), wake_.end());
  wake_.erase(std::unique(wake_.begin(), wake_.end()), wake_.end());
  changes.wake = std::move(wake_);
  changes.run_simulation = run_simulation;
  changes.completed = completed;
  return changes;
}

}  // namespace ferry::server
