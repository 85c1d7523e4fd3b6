#include "device-runtime/agent/pull/job.h"

#include <utility>

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/proto/wire.pb.h"
#include "common/trust/fresh.h"
#include "device-runtime/agent/line/messages.h"
#include "device-runtime/agent/pull/assigned.h"
#include "device-runtime/agent/pull/needed.h"
#include "device-runtime/agent/pull/reports.h"

namespace ferry::agent {
namespace {

// Which of the two documents it says to be; who reads it verifies it.
bool SaysDesired(const std::string& document) {
  const auto json = ParseJson(document);
  if (!json.ok()) return false;
  const auto signed_part = GetObject(*json, "signed");
  if (!signed_part.ok()) return false;
  return GetStringOr(**signed_part, "_type", "").value_or("") == "desired";
}

}  // namespace

Job::Job(const Parts& parts, bool by_push, Asks asks)
    : parts_(parts), by_push_(by_push), asks_(std::move(asks)) {}

void Job::Start() {
  refresh_ = std::make_unique<Refresh>(parts_);
  refresh_->Roots(alive_.Guard([this](const Status& status) {
    if (!status.ok()) return Fail(status.Context("root metadata"));
    Poll();
  }));
}

void Job::Poll() {
  polled_ = true;
  proto::Envelope request;
  request.mutable_poll()->set_have_epoch(static_cast<uint64_t>(parts_.journal->finished_epoch()));
  FillHave(*parts_.slots, request.mutable_poll());
  request.mutable_poll()->set_root_version(
      static_cast<uint64_t>(parts_.trust->set()->root().version));
  request.mutable_poll()->set_personal_version(
      static_cast<uint64_t>(parts_.journal->personal_version()));
  parts_.link->Ask(request, alive_.Guard([this](Result<const proto::Envelope*> answer) {
    if (!answer.ok()) return Fail(answer.status().Context("asking for the assignment"));
    OnDocument((*answer)->assignment().signed_json());
  }));
  asks_.on_polled();
}

Status Job::Check(ByteView document) {
  trust::TrustedSet& set = *parts_.trust->set();
  const int64_t now_ms = parts_.clock->NowUnixMs();
  assignment_.reset();
  desired_.reset();
  if (SaysDesired(std::string(AsText(document)))) {
    FERRY_ASSIGN_OR_RETURN(desired_,
                           set.CheckDesired(document, parts_.identity->device_id, now_ms));
    counter_ = desired_->counter;
  } else {
    FERRY_ASSIGN_OR_RETURN(assignment_,
                           set.CheckAssignment(document, parts_.identity->device_id, now_ms));
    counter_ = assignment_->counter;
  }
  return OkStatus();
}

void Job::OnDocument(const std::string& document) {
  if (document.empty()) return End(OkStatus());
  if (Status checked = Check(AsBytes(document)); !checked.ok()) {
    if (!BeginAgain(checked)) Fail(checked);
    return;
  }
  if (Status saved = parts_.trust->Save(); !saved.ok()) return Fail(saved);
  if (counter_ <= parts_.journal->finished_epoch()) return End(OkStatus());
  if (by_push_ && !std::exchange(woken_, true)) ReportWoken();
  if (assignment_ && assignment_->action == trust::Action::kNone) {
    return End(parts_.journal->Finish(counter_));
  }
  refresh_->Chain(
      [this](const trust::TrustedSet& set) {
        return desired_ ? PathsNeeded(parts_, set, *desired_)
                        : PathsNeeded(parts_, set, *assignment_);
      },
      alive_.Guard([this](const Status& status) { OnChain(status); }));
}

bool Job::BeginAgain(const Status& error) {
  if (error.code() != Code::kBadSignature || began_again_) return false;
  began_again_ = true;
  const int64_t version = parts_.trust->set()->root().version;
  refresh_->Roots(alive_.Guard([this, error, version](const Status& status) {
    if (!status.ok()) return Fail(status.Context("root metadata"));
    if (parts_.trust->set()->root().version == version) return Fail(error);
    Poll();
  }));
  return true;
}

void Job::OnChain(const Status& status) {
  const bool expired = status.code() == Code::kExpired && parts_.trust->set()->targets() != nullptr;
  if (!status.ok() && !expired) {
    if (!BeginAgain(status)) Fail(status);
    return;
  }
  const bool one = assignment_.has_value();
  Result<trust::Desired> desired =
      one ? DesiredOf(*parts_.trust->set()->targets(), *assignment_) : *desired_;
  if (!desired.ok()) {
    // Signed metadata is whole: this fails again until there is a new assignment.
    return expired ? Fail(status) : Fail(desired.status(), true);
  }
  if (one) LeaveAbsent(&*desired);
  if (!one && status.ok()) return TakePersonal();
  std::set<std::string> held;
  if (expired) held = HeldOf(*desired);
  const bool some = held.empty() || held.size() < desired->packages.size();
  if (some) asks_.on_desired(*std::move(desired), one, held);
  if (held.empty()) return End(OkStatus());
  Fail(status);
}

std::set<std::string> Job::HeldOf(const trust::Desired& desired) const {
  std::set<std::string> held;
  for (const auto& [name, wish] : desired.packages) {
    // What was refused for its age may be newer than what is held here.
    const bool brings_in = wish.state == trust::DesiredState::kRun && !wish.back;
    const auto purpose = wish.back ? trust::Purpose::kGoBack : trust::Purpose::kStop;
    const Status fresh =
        trust::CheckFreshFor(*parts_.trust->set(), purpose, parts_.clock->NowUnixMs());
    // The way back may lead through bins that nobody fetched while the targets held.
    const trust::TrustedSet& set = *parts_.trust->set();
    const bool lacks = wish.back && !set.BinsNeeded(PathsNeeded(parts_, set, name, wish)).empty();
    if (brings_in || lacks || !fresh.ok()) held.insert(name);
  }
  return held;
}

void Job::TakePersonal() {
  const auto& wanted = desired_->personal;
  if (!wanted) return HandOver();
  const bool held = !parts_.trust->set()->NeedsPersonal(*wanted);
  if (held) parts_.journal->NotePersonal(wanted->version);
  // One that was refused stays refused.
  if (held || parts_.journal->personal_version() == wanted->version) return HandOver();
  refresh_->Personal(*wanted, alive_.Guard([this](const Status& status) { OnPersonal(status); }));
}

void Job::OnPersonal(const Status& status) {
  if (IsTransient(status)) return Fail(status);
  // A document that is only too old, or signed by a key of before, is given again: the server sees
  // at the next poll that this one was not taken.
  const bool again = IsStale(status) || status.code() == Code::kBadSignature;
  if (!again) parts_.journal->NotePersonal(desired_->personal->version);
  if (!status.ok()) {
    LogWarn("agent", "{}: {}: {}", parts_.identity->device_id, counter_, status.ToString());
    ReportFailure(status);
  }
  HandOver();
}

void Job::HandOver() {
  asks_.on_desired(*std::move(desired_), false, {});
  End(OkStatus());
}

// A release is taken back from a device that it never reached: nothing is put in its place.
void Job::LeaveAbsent(trust::Desired* desired) const {
  for (auto& [name, wish] : desired->packages) {
    const auto current = parts_.slots->Read(name);
    const auto removed = parts_.slots->Removed(name);
    const bool never_was = current.ok() && !*current && removed.ok() && !*removed &&
                           parts_.journal->VersionsOf(name).empty();
    if (!wish.back || !never_was) continue;
    wish.state = trust::DesiredState::kAbsent;
    wish.version.clear();
    wish.targets.clear();
    wish.files.clear();
  }
}

void Job::ReportWoken() {
  Report report;
  report.step = Step::kWoken;
  report.epoch = counter_;
  report.time_ms = parts_.clock->NowUnixMs();
  report.by_push = true;
  if (assignment_) {
    report.release = assignment_->release;
    return AddReport(parts_, report);
  }
  for (const auto& [name, package] : desired_->packages) {
    const auto known = parts_.journal->outcomes().find(name);
    if (known != parts_.journal->outcomes().end() &&
        IsOf(known->second, PendingOf(package, nullptr)))
      continue;
    report.release = package.release;
    report.package = name;
    report.version = package.version;
    AddReport(parts_, report);
  }
}

// Of a desired state no release is named: what fails here is about all of it.
void Job::ReportFailure(const Status& error) {
  Report report;
  report.step = Step::kFailed;
  if (assignment_) report.release = assignment_->release;
  report.epoch = counter_;
  report.error_code = static_cast<int>(error.code());
  report.error_text = error.message();
  report.time_ms = parts_.clock->NowUnixMs();
  report.by_push = by_push_;
  AddReport(parts_, report);
}

// Metadata that has expired by a clock that is ahead says something about the clock. What the
// server says of its time names the cause and no more: the metadata is refused all the same.
Status Job::CauseOf(const Status& error) const {
  const int64_t ahead_ms = parts_.link->clock_ahead_ms().value_or(0);
  if (error.code() != Code::kExpired || ahead_ms <= kMaxClockSkewMs) return error;
  return Status::Of(Code::kClockSkew, "this clock is {} s ahead of the server's: {}",
                    ahead_ms / 1000, error.message());
}

void Job::Fail(const Status& failed, bool for_good) {
  const Status error = CauseOf(failed);
  parts_.journal->NoteError(error, parts_.clock->NowUnixMs());
  if (IsTransient(error)) return End(error);  // tried again; silence is the server's to judge
  LogWarn("agent", "{}: {}: {}", parts_.identity->device_id, counter_, error.ToString());
  if (!parts_.journal->Reported(counter_, static_cast<int>(error.code()))) ReportFailure(error);
  if (for_good) {
    if (Status finished = parts_.journal->Finish(counter_); !finished.ok()) {
      LogError("agent", "{}", finished.ToString());
    }
  }
  End(error);
}

void Job::End(const Status& status) {
  const auto on_end = std::move(asks_.on_end);
  on_end(status);
}

}  // namespace ferry::agent
