#include "device-runtime/agent/pull/job.h"

#include "common/base/log.h"
#include "common/proto/wire.pb.h"
#include "device-runtime/agent/pull/reports.h"

namespace ferry::agent {

Job::Job(const Parts& parts, bool by_push, OnDone done)
    : parts_(parts), by_push_(by_push), done_(std::move(done)) {}

void Job::Start() {
  proto::Envelope request;
  request.mutable_poll()->set_have_epoch(static_cast<uint64_t>(parts_.journal->finished_epoch()));
  parts_.link->Ask(request, alive_.Guard([this](Result<const proto::Envelope*> answer) {
    if (!answer.ok()) return Fail(answer.status().Context("asking for the assignment"));
    OnAssignment((*answer)->assignment().signed_json());
  }));
}

void Job::OnWake(int64_t epoch) {
  superseded_ = superseded_ || (assignment_ && epoch > assignment_->counter);
}

void Job::OnAssignment(const std::string& document) {
  if (document.empty()) return End(OkStatus());
  document_ = document;
  refresh_ = std::make_unique<Refresh>(parts_);
  refresh_->Roots(alive_.Guard([this](const Status& status) {
    if (!status.ok()) return Fail(status.Context("root metadata"));
    CheckAssignment();
  }));
}

void Job::CheckAssignment() {
  auto assignment = parts_.trust->set()->CheckAssignment(
      AsBytes(document_), parts_.identity->device_id, parts_.clock->NowUnixMs());
  if (!assignment.ok()) return Fail(assignment.status());
  assignment_ = std::move(assignment).value();
  if (Status saved = parts_.trust->Save(); !saved.ok()) return Fail(saved);
  if (assignment_->counter <= parts_.journal->finished_epoch()) return End(OkStatus());
  if (by_push_) ReportStep(Step::kWoken);
  if (assignment_->action == trust::Action::kNone) {
    return End(parts_.journal->Finish(assignment_->counter));
  }
  refresh_->Chain(alive_.Guard([this](const Status& status) { OnChain(status); }));
}

void Job::OnChain(const Status& status) {
  if (!status.ok()) return Fail(status);
  chain_is_fresh_ = true;
  if (Status chosen = Choose(); !chosen.ok()) return Fail(chosen);
  if (path_.empty()) {
    FetchNextExclusive();
  } else {
    FetchPackage();
  }
}

void Job::ReportStep(Step step, const Status& error) {
  Report report;
  report.step = step;
  if (assignment_) {
    report.release = assignment_->release;
    report.epoch = assignment_->counter;
  }
  report.package = entry_.package;
  report.version = entry_.version;
  report.error_code = static_cast<int>(error.code());
  report.error_text = error.message();
  report.time_ms = parts_.clock->NowUnixMs();
  report.bytes_pulled = bytes_pulled_;
  report.was_delta = entry_.kind == trust::ArtefactKind::kDelta;
  report.by_push = by_push_;
  if (current_) report.previous_version = current_->now.running.version;
  AddReport(parts_, report);
}

void Job::Fail(const Status& error) {
  parts_.journal->NoteError(error, parts_.clock->NowUnixMs());
  // What the server no longer wants it no longer gives keys and content for.
  if (superseded_) return End(Status(Code::kCancelled, "a newer assignment came"));
  if (IsTransient(error)) return End(error);  // tried again; silence is the server's to judge
  const int64_t epoch = assignment_ ? assignment_->counter : 0;
  LogWarn("agent", "{}: {} {} {}: {}", parts_.identity->device_id, epoch, entry_.package,
          entry_.version, error.ToString());
  if (!parts_.journal->Reported(epoch, static_cast<int>(error.code()))) {
    ReportStep(Step::kFailed, error);
  }
  // Signed metadata that is too old or not whole may be put right by the server at any time; what
  // failed after it fails again, until there is a new assignment.
  // Nor is room on the disk anyone's decision: such an install is tried again.
  if (chain_is_fresh_ && error.code() != Code::kDiskFull) {
    if (Status finished = parts_.journal->Finish(epoch); !finished.ok()) {
      LogError("agent", "{}", finished.ToString());
    }
  }
  End(error);
}

void Job::End(const Status& status) {
  const OnDone done = std::move(done_);
  done(status);
}

}  // namespace ferry::agent
