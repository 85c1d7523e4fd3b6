#include <algorithm>
#include <cmath>

#include "cloud-server/core/work.h"
#include "common/base/json.h"

namespace ferry::server {

std::vector<std::string> SlicesOfMember(const MemberRow& member) {
  DeviceRow profile;
  profile.id = member.device;
  profile.os = member.os;
  profile.app_version = member.app_version;
  profile.device_class = member.device_class;
  return target::SlicesOf(AttributesOf(profile));
}

void CountMember(Work& work, const MemberRow& member, int64_t by) {
  if (member.outcome == Outcome::kDeviceCause) return;
  for (const std::string& name : SlicesOfMember(member)) {
    SliceRow& slice = work.slices[name];
    slice.release = work.release.id;
    slice.slice = name;
    if (member.outcome == Outcome::kFailed) {
      slice.failed += by;
    } else if (member.outcome == Outcome::kHealthy) {
      slice.healthy += by;
    } else if (member.overdue) {
      slice.overdue += by;
    } else {
      slice.pending += by;
    }
  }
}

void RecountSlices(Work& work) {
  for (auto& [name, slice] : work.slices)
    slice.failed = slice.healthy = slice.overdue = slice.pending = 0;
  for (const auto& [device, member] : work.members) CountMember(work, member, 1);
}

namespace {

bool OnlyConfirmed(const MemberRow& member) {
  return member.outcome == Outcome::kOpen && member.step == "confirmed" && !member.back;
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
  for (const DeviceRow& device : work.rows.devices) {
    auto found = work.members.find(device.id);
    if (found == work.members.end() || !OnlyConfirmed(found->second)) continue;
    MemberRow& member = found->second;
    const int64_t heard_ms =
        work.rows.listening.contains(device.id) ? work.now_ms : device.last_seen_ms;
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

namespace {

// When the next stage may not wait any longer. Only a report time-out makes a stage wait: of many
// devices somebody is always off, and the release does not stand still for kDarkMs.
int64_t NextOverdue(const Work& work, int64_t timeout_ms) {
  int64_t next = 0;
  if (timeout_ms <= 0) return 0;
  for (const auto& [device, member] : work.members) {
    const int64_t due = OverdueAt(work, member, member.step_ms);
    if (due == 0) continue;
    next = next == 0 ? due : std::min(next, due);
  }
  return next;
}

}  // namespace

gate::Judgement Judge(const Work& work) {
  const stage::Stage& stage = work.present_stage();
  gate::Input input;
  input.now_ms = work.now_ms;
  input.stage_since_ms = work.release.stage_since_ms;
  input.min_healthy_ms = stage.min_healthy_ms;
  input.min_reports = stage.min_reports;
  input.next_overdue_ms = NextOverdue(work, stage.report_timeout_ms);
  input.hold = stage.hold && !work.stages[static_cast<size_t>(work.release.stage)].approved;
  if (input.hold) input.hold_reason = fmt::format("stage {} waits for a person", stage.name);
  for (const auto& [name, slice] : work.slices)
    input.slices.push_back(
        {slice.slice, slice.failed, slice.healthy, slice.overdue, slice.pending});
  if (!work.slices.contains("all")) input.slices.push_back({"all", 0, 0, 0, 0});
  return gate::JudgeAll(work.settings, input);
}

Json NumbersOf(const gate::Judgement& judgement) {
  Json verdicts = Json::array();
  for (const gate::Verdict& verdict : judgement.verdicts)
    verdicts.push_back(gate::VerdictToJson(verdict));
  return {{"verdicts", std::move(verdicts)}};
}

namespace {
constexpr double kMaxLogEvidence = 700;  // exp of it is still finite
}  // namespace

Result<std::vector<GateNumbers>> GatesOf(const ReleaseRow& release,
                                         const std::vector<SliceRow>& slices) {
  FERRY_ASSIGN_OR_RETURN(gate::Settings settings, SettingsOf(release));
  std::vector<GateNumbers> numbers;
  for (const SliceRow& slice : slices) {
    GateNumbers row;
    row.slice = slice.slice;
    row.failed = slice.failed + slice.overdue;
    row.healthy = slice.healthy;
    row.pending = slice.pending;
    // JSON has no infinity.
    row.evidence = std::exp(std::min(
        gate::LogEValue(row.failed, row.healthy, settings.tolerated_rate), kMaxLogEvidence));
    row.threshold = 1 / settings.alpha;
    row.stop =
        gate::EvidenceStops(row.failed, row.healthy, settings.tolerated_rate, settings.alpha);
    numbers.push_back(std::move(row));
  }
  return numbers;
}

}  // namespace ferry::server
