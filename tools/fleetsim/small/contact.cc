// A small device asks, and reads what it shall have.
#include "common/trust/envelope.h"
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/backend.h"
#include "tools/fleetsim/world/door.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kAnswerTimeoutMs = 10'000;

}  // namespace

void SmallFleet::Contact(int64_t device) {
  Small& small = (*this)[device];
  const int64_t now_ms = sim_.now_ms();
  if (const int64_t online_ms = OnlineAt(device, now_ms); online_ms > now_ms) {
    small.poll_ms = online_ms;
    return;
  }
  if (small.silent) {
    // It comes back after all: its user started the app again.
    small.silent = false;
    Boot(device);
  }
  small.poll_ms = NextPoll(device);
  if (small.work != Work::kNone) return;  // it has an answer, or is at it
  Delivery delivery;
  sim_.Strike(Strikes::kMessage, {sim_, device, &delivery});
  if (std::exchange(small.line_broken, false)) {
    small.sent = small.acked;
    ++small.line;
  }
  Send(device);
  if (small.line_broken) return Retry(device);
  if (delivery.lost || sim_.IsCutOff(device)) {
    small.line_broken = true;
    return Retry(device);
  }
  Result<Checker::Ticket> answer = Ask(device, delivery);
  if (!answer.ok() || delivery.answer_lost) {
    small.line_broken = true;
    Retry(device);
    small.poll_ms += delivery.answer_lost ? kAnswerTimeoutMs : 0;
    return;
  }
  if (*answer == nullptr) {
    small.tries = 0;
    small.woken = false;
    return;
  }
  answers_[device] = *std::move(answer);
  small.work = Work::kAnswer;
  small.work_ms = now_ms + 2 * ProfileOf(device).latency_ms + delivery.delay_ms;
}

// Null: there is nothing new. An answer that gets lost is not signed.
Result<Checker::Ticket> SmallFleet::Ask(int64_t device, const Delivery& delivery) {
  Small& small = (*this)[device];
  const std::string id = IdOf(device);
  std::vector<server::InstalledRow> have;
  if (small.running != kNoVersion && !small.running_lost) {
    const std::string release =
        small.run_release == kNoRelease ? "" : sim_.releases()[small.run_release].id;
    have.push_back({id, kPackage, sim_.versions()[small.running].name, release, small.disabled});
  }
  sim_.Note(EventKind::kPoll, device, small.finished_epoch, small.running);
  const bool checks = !SkipsSignature(sim_);
  if (delivery.forged)
    return sim_.checker().Begin({}, sim_.door().Forge(device, id, small.finished_epoch), checks);
  if (delivery.doubled) (void)sim_.door().Poll(id, small.finished_epoch, have);
  FERRY_ASSIGN_OR_RETURN(server::UnsignedAnswer answer,
                         sim_.door().Poll(id, small.finished_epoch, have));
  const bool is_news = !std::holds_alternative<std::monostate>(answer);
  if (!is_news || delivery.answer_lost) return Checker::Ticket();
  return IsSampled(device) ? sim_.checker().Begin(std::move(answer), {}, checks)
                           : sim_.checker().Unsigned(std::move(answer));
}

// As trust::TrustedSet does for an agent.
Status SmallFleet::Check(int64_t device, const trust::Desired& desired) {
  Small& small = (*this)[device];
  if (desired.device != IdOf(device))
    return Status(Code::kNotAuthorizedTarget, "the document is for another device");
  if (desired.counter < small.seen_counter)
    return Status(Code::kVersionRollback, "the document is older than one that was believed");
  if (desired.expires_ms <= sim_.world().clock().NowUnixMs() + small.clock_ms)
    return Status(Code::kExpired, "the document has expired");
  return OkStatus();
}

void SmallFleet::OnAnswer(int64_t device) {
  Small& small = (*this)[device];
  const Checker::Ticket ticket = std::move(answers_[device]);
  answers_.erase(device);
  sim_.checker().Finish(ticket);
  sim_.door().NoteAllTold(device, ticket->named);
  Status status = ticket->status;
  if (status.ok()) status = Check(device, ticket->desired);
  if (!status.ok()) return FailAll(device, status);
  small.tries = 0;
  const trust::Desired& desired = ticket->desired;
  small.seen_counter = desired.counter;
  if (desired.counter <= small.finished_epoch) return;
  sim_.Note(EventKind::kAnswer, device, desired.counter, ticket->is_signed ? 0 : 1);
  small.epoch_before = std::exchange(small.epoch, desired.counter);
  OnDesired(device, desired);
}

// Of a desired state no release is named: what fails here is about all of it.
void SmallFleet::FailAll(int64_t device, const Status& why) {
  Small& small = (*this)[device];
  Retry(device);
  if (why.code() == Code::kBadSignature) return;
  for (size_t i = 0; i < small.waiting; ++i)
    if (small.reports[i].step == Step::kFailed) return;  // said already
  Add(device, Step::kFailed, kNoVersion, kNoRelease, why.code());
  Send(device);
}

void SmallFleet::OnDesired(int64_t device, const trust::Desired& desired) {
  Small& small = (*this)[device];
  const auto found = desired.packages.find(kPackage);
  if (found == desired.packages.end()) {
    small.finished_epoch = desired.counter;
    return;
  }
  const trust::DesiredPackage& wish = found->second;
  const uint8_t version = sim_.VersionCalled(wish.version);
  const uint8_t release = sim_.ReleaseCalled(wish.release);
  const bool same = small.told == release && small.wish_version == version &&
                    small.wish_back == wish.back && small.attempt == wish.attempt &&
                    small.wish_disabled == (wish.state == trust::DesiredState::kDisabled) &&
                    small.wish_absent == (wish.state == trust::DesiredState::kAbsent);
  Observe(device, wish.observe);
  if (same) {
    small.finished_epoch = desired.counter;
    if (desired.unanswered.contains(kPackage) && small.waiting == 0) {
      const Step step = small.settled_failed ? Step::kFailed
                        : small.settled_back ? Step::kRolledBack
                                             : Step::kConfirmed;
      Add(device, step, version, release, small.settled_failed ? Code::kCorruptContent : Code::kOk);
      Send(device);
    }
    return;
  }
  const bool changed = small.wish_version != version || small.wish_release != release ||
                       small.attempt != wish.attempt || small.wish_back != wish.back;
  if (small.woken) Add(device, Step::kWoken, version, release);
  small.wish_version = version;
  small.wish_release = release;
  small.wish_back = wish.back;
  small.attempt = static_cast<int32_t>(wish.attempt);
  small.wish_absent = wish.state == trust::DesiredState::kAbsent;
  small.wish_disabled = wish.state == trust::DesiredState::kDisabled;
  if (small.told != kNoRelease || changed) small.reported_error = 0;
  small.told = kNoRelease;
  small.before = small.running;
  Begin(device, desired, wish);
}

void SmallFleet::Observe(int64_t device, const std::string& release_id) {
  Small& small = (*this)[device];
  const uint8_t release = release_id.empty() ? kNoRelease : sim_.ReleaseCalled(release_id);
  if (release == small.observed) return;
  small.observed = release;
  small.told_observed = false;
  if (release == kNoRelease || small.running == kNoVersion) return;
  Add(device, Step::kObserving, small.running, release);
  PlanRun(device);
}

}  // namespace ferry::fleetsim
