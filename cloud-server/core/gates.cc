#include <algorithm>

#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/core/tally.h"
#include "cloud-server/core/work.h"
#include "common/base/json.h"

namespace ferry::server {

namespace {

// It runs what it shall, and did not say how that goes: who was offered the release after it
// confirmed, who is held back from when it began to observe.
bool OnlyConfirmed(const MemberRow& member) {
  const char* const step = member.control ? kObservingStep : "confirmed";
  return member.outcome == Outcome::kOpen && member.step == step && !member.back;
}

// When the member falls silent too long; 0: never.
int64_t OverdueAt(const Work& work, const MemberRow& member, int64_t spoke_ms) {
  if (member.outcome != Outcome::kOpen || member.overdue || member.step_ms == 0) return 0;
  const int64_t timeout_ms = work.present_stage().report_timeout_ms;
  if (timeout_ms > 0) return spoke_ms + timeout_ms;
  return OnlyConfirmed(member) ? spoke_ms + kDarkMs : 0;
}

}  // namespace

void MarkHeard(Work& work) {
  const int64_t settle_ms = work.present_stage().min_healthy_ms;
  for (auto& [device, member] : work.members) {
    if (!OnlyConfirmed(member)) continue;
    const auto seen = work.rows.last_seen_ms.find(device);
    const int64_t heard_ms = work.rows.listening.contains(device)   ? work.now_ms
                             : seen != work.rows.last_seen_ms.end() ? seen->second
                                                                    : 0;
    if (heard_ms <= member.step_ms || heard_ms - member.step_ms < settle_ms) continue;
    member.outcome = Outcome::kHealthy;
    member.overdue = false;
  }
}

void MarkOverdue(Work& work, int64_t hearing_since_ms) {
  int64_t found = 0, dark = 0;
  for (auto& [device, member] : work.members) {
    // A step that lies ahead was written before the clock was set back.
    const int64_t spoke_ms = member.step_ms > work.now_ms
                                 ? hearing_since_ms
                                 : std::max(member.step_ms, hearing_since_ms);
    const int64_t due_ms = OverdueAt(work, member, spoke_ms);
    if (due_ms == 0 || work.now_ms <= due_ms) continue;
    member.overdue = true;
    ++found;
    dark += OnlyConfirmed(member);
  }
  if (found == 0) return;
  const int64_t timeout_ms = work.present_stage().report_timeout_ms;
  work.AddEvent("silent",
                fmt::format("{} devices began and then said nothing for {} ms ({} of them had "
                            "confirmed): they count as failed until they do",
                            found, timeout_ms > 0 ? timeout_ms : kDarkMs, dark),
                {{"devices", found},
                 {"confirmed", dark},
                 {"timeout_ms", timeout_ms > 0 ? timeout_ms : kDarkMs}});
}

bool HoldsBack(const stage::Plan& plan) {
  return std::any_of(plan.stages.begin(), plan.stages.end(),
                     [](const stage::Stage& stage) { return stage.control > 0; });
}

void CloseWindows(Work& work) {
  if (!HoldsBack(work.plan)) return;
  for (auto& [device, member] : work.members) {
    const stage::Stage& stage = work.plan.stages[static_cast<size_t>(member.stage)];
    const int64_t window_ms =
        gate::WindowMs(work.settings, stage.min_healthy_ms, stage.report_timeout_ms);
    if (member.window != Window::kOpen || work.now_ms - member.offered_ms < window_ms) continue;
    const bool failed = member.outcome == Outcome::kFailed || member.overdue;
    member.window = failed ? Window::kFailed : Window::kWell;
  }
}

namespace {

// A device that could not take it for a cause of its own is no trial; all others are from the
// moment that they were told.
gate::Counts GateCounts(const Counts& counts) {
  gate::Counts out;
  out.exposed = counts.members() - counts.device_cause;
  out.failed = counts.failed + counts.overdue;
  out.silent = counts.overdue;
  out.pending = counts.pending;
  out.healthy = counts.healthy;
  out.dropped = counts.device_cause;
  out.closed = counts.closed;
  out.closed_failed = counts.closed_failed;
  return out;
}

std::vector<gate::SliceCounts> SlicesOfStage(const Tallies& tallies, const Measured& measured,
                                             const gate::Settings& settings,
                                             const std::string& release, int64_t stage) {
  std::map<std::string, gate::SliceCounts> slices;
  std::map<std::string, int64_t> treated;
  for (const auto& [key, counts] : tallies) {
    if (key.stage != stage) continue;
    gate::SliceCounts& slice = slices[key.slice];
    if (slice.first_seen == 0 || counts.first_ms < slice.first_seen)
      slice.first_seen = counts.first_ms;
    slice.slice = key.slice;
    (key.control ? slice.control : slice.treated) = GateCounts(counts);
    if (!key.control) treated[key.slice] = counts.members();
  }
  std::vector<gate::SliceCounts> out;
  for (auto& [name, slice] : slices) {
    slice.metrics = MetricsOfSlice(settings.metrics, measured, release, stage, name, treated[name]);
    out.push_back(std::move(slice));
  }
  return out;
}

// What the gates see of a release: each stage that was entered, and the devices that it took first.
gate::Input InputOf(const stage::Plan& plan, const gate::Settings& settings,
                    const ReleaseRow& release, const std::vector<StageRow>& stages,
                    const Tallies& all, const Measured& all_measured) {
  const Tallies tallies = WithoutSlices(all, release.stopped_slices);
  const Measured measured = {MetricsWithoutSlices(all_measured.tallies, release.stopped_slices),
                             all_measured.baselines};
  gate::Input input;
  const auto present = static_cast<size_t>(release.stage);
  int64_t planned_before = 0, joined = 0;
  for (size_t i = 0; i <= present && i < plan.stages.size(); ++i) {
    const stage::Stage& stage = plan.stages[i];
    if (stage.kind == stage::Kind::kSimulation) continue;
    gate::StageCohort cohort;
    cohort.stage = stage.name;
    cohort.control_share =
        static_cast<double>(stage.control) / static_cast<double>(100 * target::kOnePercent);
    cohort.slices = SlicesOfStage(tallies, measured, settings, release.id, static_cast<int64_t>(i));
    input.stages.push_back(std::move(cohort));
    input.planned = std::max<int64_t>(stages[i].planned - planned_before, 0);
    // Devices that came after a stage was entered are of that stage, and of no later one.
    const auto index = static_cast<int64_t>(i);
    joined += TotalOfStage(tallies, index).members() + TotalOfStage(tallies, index, true).members();
    planned_before = std::max({planned_before, stages[i].planned, joined});
  }
  return input;
}

}  // namespace

gate::Judgement Judge(const Work& work) {
  const stage::Stage& stage = work.present_stage();
  gate::Input input = InputOf(work.plan, work.settings, work.release, work.stages,
                              work.TalliesNow(), work.MeasuredNow());
  input.now_ms = work.now_ms;
  input.stage_since_ms = work.release.stage_since_ms;
  input.min_healthy_ms = stage.min_healthy_ms;
  input.min_reports = stage.min_reports;
  input.next_overdue_ms = work.rows.next_overdue_ms;
  input.hold = stage.hold && !work.stages[static_cast<size_t>(work.release.stage)].approved;
  if (input.hold) input.hold_reason = fmt::format("stage {} waits for a person", stage.name);
  return gate::JudgeAll(work.settings, input);
}

Json NumbersOf(const gate::Judgement& judgement) {
  Json verdicts = Json::array();
  for (const gate::Verdict& verdict : judgement.verdicts)
    verdicts.push_back(gate::VerdictToJson(verdict));
  return {{"verdicts", std::move(verdicts)}};
}

Result<std::vector<GateNumbers>> GatesOf(const ReleaseRow& release,
                                         const std::vector<StageRow>& stages,
                                         const Tallies& tallies, const Measured& measured) {
  FERRY_ASSIGN_OR_RETURN(const gate::Settings settings, SettingsOf(release));
  FERRY_ASSIGN_OR_RETURN(const stage::Plan plan, PlanOf(release));
  if (stages.size() != plan.stages.size())
    return Status::Of(Code::kInternal, "release {}: {} stages are stored, its plan has {}",
                      release.id, stages.size(), plan.stages.size());
  std::map<std::string, int64_t> pending;
  for (const SliceRow& slice : SlicesOf(WithoutSlices(tallies, release.stopped_slices)))
    pending[slice.slice] = slice.pending;
  std::vector<GateNumbers> numbers;
  for (const gate::Verdict& verdict :
       gate::Weigh(settings, InputOf(plan, settings, release, stages, tallies, measured))) {
    GateNumbers row;
    row.stage = verdict.stage;
    row.metric = verdict.metric;
    row.slice = verdict.slice;
    row.failed = verdict.failed;
    row.healthy = verdict.healthy;
    row.pending = pending[verdict.slice];
    row.control = verdict.control;
    row.evidence = verdict.value;
    row.threshold = verdict.threshold;
    row.decision = verdict.decision;
    row.stop = verdict.decision == gate::Decision::kStop;
    numbers.push_back(std::move(row));
  }
  return numbers;
}

}  // namespace ferry::server
