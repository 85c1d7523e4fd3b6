#include "cloud-server/core/work.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

bool IsFailure(const std::string& step) {
  return step == "failed" || step == "task_failed" || step == "rolled_back";
}

bool IsSuccess(const std::string& step) {
  return step == "confirmed" || step == "healthy";
}

void NoteError(MemberRow& member, const ReportRow& report) {
  if (report.error_code == 0 && report.error_text.empty()) return;
  member.error_code = report.error_code;
  member.error_text = report.error_text.substr(0, kMaxErrorTextBytes);
}

// An answer to a rollback: whatever the device says about that assignment or a later one.
void ApplyAnswerToRollback(Work& work, MemberRow& member, const ReportRow& report) {
  const AssignmentRow& assignment = work.assignments[member.device];
  if (assignment.release != work.release.id || report.epoch < assignment.counter) return;
  member.step = report.step;
  member.step_ms = work.now_ms;
  if (!IsFailure(report.step) && !IsSuccess(report.step)) return;
  if (report.step != "rolled_back") NoteError(member, report);
  member.done = true;
  work.assignments[member.device].done = true;
}

void ApplyProgress(Work& work, MemberRow& member, const ReportRow& report) {
  CountMember(work, member, -1);
  member.step = report.step;
  member.step_ms = work.now_ms;
  member.overdue = false;
  if (report.bytes_pulled > 0) {
    member.bytes_pulled = report.bytes_pulled;
    member.was_delta = report.was_delta;
  }
  member.by_push = member.by_push || report.by_push;
  const bool undecided =
      member.outcome == Outcome::kOpen || member.outcome == Outcome::kDeviceCause;
  if (IsFailure(report.step)) {
    if (!IsDeviceCause(report.error_code)) {
      member.outcome = Outcome::kFailed;
    } else if (undecided) {
      member.outcome = Outcome::kDeviceCause;
    }
    NoteError(member, report);
  } else if (report.step == "healthy" && undecided) {
    member.outcome = Outcome::kHealthy;
  } else if (report.step == "confirmed" && undecided) {
    member.outcome = Outcome::kOpen;  // dying as soon as it runs the version comes after this
  }
  CountMember(work, member, 1);
  if (!IsFailure(report.step) && !IsSuccess(report.step)) return;
  member.done = true;
  if (work.HoldsAssignment(member.device)) work.assignments[member.device].done = true;
}

}  // namespace

void ApplyReport(Work& work, const ReportRow& report) {
  auto found = work.members.find(report.device);
  if (found == work.members.end() || report.step.empty()) return;
  MemberRow& member = found->second;
  if (member.back) {
    ApplyAnswerToRollback(work, member, report);
    return;
  }
  const Outcome before = member.outcome;
  ApplyProgress(work, member, report);
  if (member.outcome == before) return;
  const bool failed = member.outcome == Outcome::kFailed;
  if (!failed && member.outcome != Outcome::kDeviceCause) return;
  work.AddEvent(failed ? "device_failed" : "device_cause",
                fmt::format("device {} (os {}, class {}, app {}): {}{}{}", member.device, member.os,
                            member.device_class, member.app_version, report.step,
                            report.error_text.empty() ? "" : ": ",
                            report.error_text.substr(0, kMaxErrorTextBytes)),
                Json({{"device", member.device}, {"error_code", report.error_code}}));
}

}  // namespace ferry::server
