#include "cloud-server/core/metrics/metrics.h"
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

// The device is ahead of what it was offered: it has seen newer metadata, or runs a newer version.
// The rows of the server are older, as after a restore. Nothing of the package was looked at, which
// is why the report names none.
bool IsServerBehind(const ReportRow& report) {
  return report.package.empty() &&
         report.error_code == static_cast<int64_t>(Code::kVersionRollback);
}

void NoteError(MemberRow& member, const ReportRow& report) {
  if (report.error_code == 0 && report.error_text.empty()) return;
  // Which mirror gave wrong bytes: the file came from elsewhere, and the version has no part in it.
  if (report.step == "pulled" && report.error_code == 0) return;
  member.error_code = report.error_code;
  member.error_text = report.error_text.substr(0, kMaxErrorTextBytes);
}

// An answer to a rollback: whatever the device says after it was told.
void ApplyAnswerToRollback(Work& work, MemberRow& member, const ReportRow& report) {
  const auto told = work.rows.told_epochs.find(report.device);
  if (told != work.rows.told_epochs.end() && report.epoch < told->second) return;
  member.step = report.step;
  member.step_ms = work.now_ms;
  if (!IsFailure(report.step) && !IsSuccess(report.step)) return;
  if (report.step != "rolled_back") NoteError(member, report);
  member.done = true;
}

void ApplyProgress(Work& work, MemberRow& member, const ReportRow& report) {
  member.step = report.step;
  member.overdue = false;
  // It waits for its window: until it begins, its silence says nothing.
  const bool waits = report.step == "waiting";
  member.step_ms = waits ? 0 : work.now_ms;
  if (waits) return;
  if (report.bytes_pulled > 0) {
    member.bytes_pulled = report.bytes_pulled;
    member.was_delta = report.was_delta;
  }
  member.by_push = member.by_push || report.by_push;
  // A device that is tried again by the plan's retries is one that failed until it goes well: gates
  // count devices, and a failure that was seen is not hidden by a next attempt.
  const bool tried_again = member.outcome == Outcome::kFailed && member.attempt > 0 && !member.done;
  const bool undecided =
      tried_again || member.outcome == Outcome::kOpen || member.outcome == Outcome::kDeviceCause;
  if (IsFailure(report.step)) {
    if (!IsDeviceCause(report.error_code) && !IsServerBehind(report)) {
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
  if (IsFailure(report.step) || IsSuccess(report.step)) member.done = true;
}

// Who is held back says with what it runs how it would go without the release.
void ApplyObserved(Work& work, MemberRow& member, const ReportRow& report) {
  if (report.package != work.release.package || report.version == work.release.version) return;
  const bool failed = report.step == "task_failed";
  if (!failed && report.step != "healthy" && report.step != kObservingStep) return;
  member.step = report.step;
  member.step_ms = work.now_ms;
  member.overdue = false;
  if (failed) {
    member.outcome = Outcome::kFailed;
    NoteError(member, report);
  } else if (report.step == "healthy" && member.outcome == Outcome::kOpen) {
    member.outcome = Outcome::kHealthy;
  }
}

}  // namespace

void ApplyReport(Work& work, const ReportRow& report) {
  auto found = work.members.find(report.device);
  if (found == work.members.end() || report.step.empty()) return;
  MemberRow& member = found->second;
  if (member.control && !IsCompared(work.release.state)) return;
  if (report.step == kMeasuredStep) {  // no step on the way: it answers nothing
    if (TakesMeasurement(work.release, member, report)) member.metrics = report.metrics;
    return;
  }
  if (member.control) return ApplyObserved(work, member, report);
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
                fmt::format("device {} (os {}, class {}, app {}): {}{}{}{}", member.device,
                            member.os, member.device_class, member.app_version, report.step,
                            report.error_text.empty() ? "" : ": ",
                            report.error_text.substr(0, kMaxErrorTextBytes),
                            IsServerBehind(report) ? "; the device is ahead of this server: "
                                                     "`ferry publish --again`"
                                                   : ""),
                Json({{"device", member.device}, {"error_code", report.error_code}}));
}

}  // namespace ferry::server
