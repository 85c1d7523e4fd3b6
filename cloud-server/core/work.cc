#include "cloud-server/core/work.h"

#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/core/tally.h"
#include "common/base/check.h"
#include "common/base/json.h"

namespace ferry::server {

Work::Work(const ReleaseRows& from, int64_t now)
    : rows(from), now_ms(now), release(from.release), stages(from.stages) {
  for (const MemberRow& member : from.members) members[member.device] = member;
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

Tallies Work::Increments() const {
  Tallies increments;
  for (const MemberRow& before : rows.members) {
    const MemberRow& after = members.at(before.device);
    if (!(after == before)) CountChange(increments, &before, after);
  }
  return increments;
}

MetricTallies Work::MetricIncrements() const {
  MetricTallies increments;
  for (const MemberRow& before : rows.members) {
    const MemberRow& after = members.at(before.device);
    if (!(after == before))
      CountMetricChange(increments, settings.metrics, rows.measured.baselines, before, after);
  }
  return increments;
}

Measured Work::MeasuredNow() const {
  Measured now = rows.measured;
  AddMetricTallies(now.tallies, MetricIncrements());
  return now;
}

Tallies Work::TalliesNow() const {
  Tallies now = rows.tallies;
  AddTallies(now, Increments());
  return now;
}

Changes Work::Finish() {
  Changes changes;
  if (!(release == rows.release)) changes.release = release;
  for (size_t i = 0; i < stages.size(); ++i)
    if (!(stages[i] == rows.stages[i])) changes.stages.push_back(stages[i]);
  CHECK(members.size() == rows.members.size()) << release.id;
  CHECK(release.stage >= rows.release.stage) << release.id;
  for (const MemberRow& before : rows.members)
    if (const MemberRow& after = members.at(before.device); !(after == before))
      changes.members.push_back(after);
  changes.tallies = Increments();
  changes.metric_tallies = MetricIncrements();
  changes.events = std::move(events_);
  changes.look = look;
  changes.run_simulation = run_simulation;
  changes.completed = completed;
  changes.taken_back = taken_back;
  return changes;
}

}  // namespace ferry::server
