#include "cloud-server/core/apply.h"

#include "cloud-server/core/work.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

Status Refuse(const Work& work, std::string_view command) {
  return Status::Of(Code::kFailedPrecondition, "release {} is {}: it cannot {}", work.release.id,
                    NameOf(work.release.state), command);
}

std::string WithReason(std::string text, const std::string& why) {
  return why.empty() ? text : text + ": " + why;
}

// Gates are asked while devices run the package, also in a pause.
bool IsWatched(ReleaseState state) {
  return TakesDevices(state) || state == ReleaseState::kPaused;
}

// Turns the release round when a gate says stop. Whether it did.
bool StopIfJudged(Work& work, const gate::Judgement& judgement) {
  if (judgement.decision != gate::Decision::kStop) return false;
  BeginRollback(work, "stopped", judgement.reason, NumbersOf(judgement));
  return true;
}

Status Do(Work& work, const command::Start& start) {
  if (work.release.state != ReleaseState::kDraft) return Refuse(work, "start");
  work.AddEvent("started", fmt::format("started by {}", start.by));
  EnterStage(work, 0);
  return OkStatus();
}

Status Do(Work& work, const command::SimulationResult& result) {
  const bool paused = work.release.state == ReleaseState::kPaused &&
                      work.release.paused_from == ReleaseState::kSimulating;
  if (work.release.state != ReleaseState::kSimulating && !paused)
    return Refuse(work, "take a simulation's result");
  Json numbers = Json::object();
  if (Result<Json> parsed = ParseJson(result.numbers_json); parsed.ok()) numbers = *parsed;
  if (!result.passed) {
    work.release.state = ReleaseState::kFailedSimulation;
    work.release.reason = "simulation failed: " + result.text;
    work.stages[static_cast<size_t>(work.release.stage)].left_ms = work.now_ms;
    work.AddEvent("failed_simulation", work.release.reason, std::move(numbers));
    return OkStatus();
  }
  if (paused) return OkStatus();  // resuming runs it again
  work.AddEvent("simulation", "simulation passed: " + result.text, std::move(numbers));
  EnterStage(work, work.release.stage + 1);
  return OkStatus();
}

Status Do(Work& work, const command::DeviceReports& reports) {
  for (const ReportRow& report : reports.reports) ApplyReport(work, report);
  if (IsWatched(work.release.state)) StopIfJudged(work, Judge(work));
  return OkStatus();
}

Status Do(Work& work, const command::Tick& tick) {
  if (work.release.state == ReleaseState::kRollingBack) {
    FinishRollback(work);
    return OkStatus();
  }
  if (!IsWatched(work.release.state)) return OkStatus();
  MarkHeard(work);
  if (work.release.state != ReleaseState::kPaused) MarkOverdue(work, tick.hearing_since_ms);
  CloseWindows(work);
  const gate::Judgement judgement = Judge(work);
  if (StopIfJudged(work, judgement)) return OkStatus();
  if (!judgement.stopped_slice.empty()) {
    StopSlice(work, judgement);
    return OkStatus();
  }
  if (work.release.state == ReleaseState::kPaused) return OkStatus();
  if (judgement.decision == gate::Decision::kPass &&
      work.release.state != ReleaseState::kComplete) {
    work.AddEvent("passed",
                  fmt::format("{} passed: {}", work.present_stage().name, judgement.reason),
                  NumbersOf(judgement));
    EnterStage(work, work.release.stage + 1);
  }
  return OkStatus();
}

Status Do(Work& work, const command::Pause& pause) {
  const ReleaseState state = work.release.state;
  if (state != ReleaseState::kSimulating &&
      (!TakesDevices(state) || state == ReleaseState::kComplete))
    return Refuse(work, "be paused");
  work.release.paused_from = state;
  work.release.paused_ms = work.now_ms;
  work.release.state = ReleaseState::kPaused;
  work.release.reason = WithReason("paused by " + pause.by, pause.why);
  work.AddEvent("paused", work.release.reason);
  return OkStatus();
}

Status Do(Work& work, const command::Approve& approve) {
  StageRow& stage = work.stages[static_cast<size_t>(work.release.stage)];
  if (!TakesDevices(work.release.state) || !work.present_stage().hold || stage.approved)
    return Refuse(work, "be approved: no stage of it waits for a person");
  stage.approved = true;
  work.AddEvent("approved", WithReason(fmt::format("stage {} released by {}",
                                                   work.present_stage().name, approve.by),
                                       approve.why));
  return OkStatus();
}

Status Do(Work& work, const command::Resume& resume) {
  if (work.release.state == ReleaseState::kPaused) {
    const int64_t paused_for_ms = work.now_ms - work.release.paused_ms;
    work.release.stage_since_ms += paused_for_ms;
    work.release.state = work.release.paused_from;
    work.release.reason = "resumed by " + resume.by;
    work.run_simulation = work.release.state == ReleaseState::kSimulating;
    work.look = true;
    work.AddEvent("resumed", work.release.reason, {{"paused_for_ms", paused_for_ms}});
    return OkStatus();
  }
  const StageRow& stage = work.stages[static_cast<size_t>(work.release.stage)];
  if (!TakesDevices(work.release.state) || !work.present_stage().hold || stage.approved)
    return Refuse(work, "be resumed");
  return Do(work, command::Approve{resume.by, ""});
}

// No device has heard of it yet.
bool IsBeforeDevices(const ReleaseRow& release) {
  return release.state == ReleaseState::kDraft || release.state == ReleaseState::kSimulating ||
         (release.state == ReleaseState::kPaused &&
          release.paused_from == ReleaseState::kSimulating);
}

void Stop(Work& work, const std::string& kind, const std::string& why) {
  work.release.state = ReleaseState::kStopped;
  work.release.reason = why;
  StageRow& stage = work.stages[static_cast<size_t>(work.release.stage)];
  if (stage.entered_ms != 0 && stage.left_ms == 0) stage.left_ms = work.now_ms;
  work.AddEvent(kind, why);
}

Status Do(Work& work, const command::Rollback& rollback) {
  const std::string why = WithReason("rolled back by " + rollback.by, rollback.why);
  if (IsBeforeDevices(work.release)) {
    Stop(work, "stopped", why + "; no device had it");
    return OkStatus();
  }
  const ReleaseState state = work.release.state;
  if (!IsWatched(state) && state != ReleaseState::kKilled && state != ReleaseState::kStopped)
    return Refuse(work, "be rolled back");
  BeginRollback(work, "stopped", why, Json::object());
  return OkStatus();
}

Status Do(Work& work, const command::Supersede& supersede) {
  if (work.release.state != ReleaseState::kComplete) return OkStatus();
  work.release.state = ReleaseState::kSuperseded;
  work.release.reason = fmt::format("release {} is complete", supersede.by_release);
  work.AddEvent("superseded", work.release.reason);
  return OkStatus();
}

Status Do(Work& work, const command::Reinstate& reinstate) {
  if (work.release.state != ReleaseState::kSuperseded) return OkStatus();
  work.release.state = ReleaseState::kComplete;
  work.release.reason = fmt::format("release {} above it was taken back", reinstate.by_release);
  work.AddEvent("reinstated", work.release.reason);
  work.look = true;
  return OkStatus();
}

Status Do(Work& work, const command::Promote& promote) {
  const ReleaseState state = work.release.state;
  if (!TakesDevices(state) || state == ReleaseState::kComplete) return Refuse(work, "be promoted");
  work.AddEvent("promoted",
                WithReason(fmt::format("{} left without its gates by {}", work.present_stage().name,
                                       promote.by),
                           promote.why),
                NumbersOf(Judge(work)));
  EnterStage(work, work.release.stage + 1);
  return OkStatus();
}

Status Do(Work& work, const command::Halt& halt) {
  const bool is_open = IsBeforeDevices(work.release) || IsWatched(work.release.state);
  if (!is_open) return Refuse(work, "be halted");
  Stop(work, "halted", WithReason("halted by " + halt.by, halt.why));
  work.look = true;
  return OkStatus();
}

Status Do(Work& work, const command::Kill& kill) {
  if (!IsWatched(work.release.state) && work.release.state != ReleaseState::kStopped)
    return Refuse(work, "be killed");
  std::string why = WithReason("killed by " + kill.by, kill.why);
  if (const int64_t old = work.rows.cannot_stop; old > 0 && work.rows.has_fallback)
    why += fmt::format("; {} devices with a runtime that cannot stop a package go back to {}", old,
                       work.release.fallback_version);
  else if (old > 0)
    why += fmt::format(
        "; {} devices with a runtime that cannot stop a package go on running it: "
        "no signed way leads back from it",
        old);
  Stop(work, "killed", why);
  work.release.state = ReleaseState::kKilled;
  work.look = true;
  return OkStatus();
}

Status Do(Work& work, const command::Retry& retry) {
  if (!IsWatched(work.release.state)) return Refuse(work, "be retried");
  work.AddEvent(
      "retried",
      WithReason(fmt::format("{} devices try again, by {}", retry.devices, retry.by), retry.why),
      {{"devices", retry.devices}});
  work.look = true;
  return OkStatus();
}

}  // namespace

bool Changes::empty() const {
  return !release && stages.empty() && members.empty() && tallies.empty() &&
         metric_tallies.empty() && events.empty() && !look && !run_simulation && !completed &&
         !taken_back;
}

Result<Changes> Apply(const ReleaseRows& rows, const Command& command, int64_t now_ms) {
  FERRY_ASSIGN_OR_RETURN(Work work, Work::Make(rows, now_ms));
  FERRY_TRY(std::visit([&](const auto& what) { return Do(work, what); }, command));
  return work.Finish();
}

}  // namespace ferry::server
