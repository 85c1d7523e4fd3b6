// The line, the pulls it leads to, and what goes up.
#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/proto/envelope.h"
#include "common/proto/wire.pb.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/pull/reports.h"
#include "device-runtime/task/outcome.h"

namespace ferry::agent {

LinkEvents Agent::Impl::MakeLinkEvents() {
  return {
      .on_enrolled = [this] { return SaveEnrolled(*given.fs, options.directory, &identity); },
      .on_unknown = [this] { return OnUnknown(); },
      .on_ready = [this](uint64_t epoch, uint64_t root) { OnReady(epoch, root); },
      .on_wake =
          [this](uint64_t epoch) {
            const auto counter = static_cast<int64_t>(epoch);
            if (counter != 0 && counter <= journal.finished_epoch()) return;
            reconciler.Announce(counter);
            StartJob(true);
          },
      .on_ask_keys = [this] { MakeNewKeys(); },
      .on_ask_erase = [this](uint64_t request) { OnAskErase(request); },
      .on_refused = [this] { TryOtherKeys(); },
      .on_report_ack =
          [this](uint64_t seq) {
            const auto numbered = journal.Acknowledge(seq);
            if (!numbered.ok()) LogError("agent", "journal: {}", numbered.status().ToString());
            if (numbered.value_or(false)) SendWaiting(parts);
          },
      .on_tunnel_ack =
          [this](const proto::TunnelAck& ack) {
            const int64_t now_ms = given.clock->MonotonicNs() / 1'000'000;
            if (Status taken = tunnel.OnAck(ack, now_ms); !taken.ok()) return link.Restart(taken);
            if (ack.retry_after_ms() > 0) NoteQuota(tunnel.WaitMs(now_ms));
            Pump();
          },
      .on_lost = [this](const Status& why) { OnLost(why); },
  };
}

// A server that came back from a backup lacks the devices that joined since. The key is what makes
// this device the same one there.
Status Agent::Impl::OnUnknown() {
  if (identity.rejoin_secret.empty()) {
    return Status(
        Code::kNotFound,
        "the server does not know this device: start it with a join token (--join) and it "
        "joins again under its own key, with all that it has");
  }
  // A server that does not know it names it anew, by the key that it has.
  identity.device_id = proto::DeviceIdOf(crypto::Sha256(identity.identity_key.public_key()));
  identity.rotated = false;
  identity.join.secret = identity.rejoin_secret;
  identity.enrolled = false;  // in memory: on the disk it stays as it is until the server knows it
  return Status(Code::kUnavailable, "the server does not know this device; it joins again");
}

void Agent::Impl::OnReady(uint64_t epoch, uint64_t root_version) {
  NoteKnownKeys();
  SendWaiting(parts);
  // A newer root may take away the key that counted epochs: it is asked for whatever the epoch
  // says, and once a line where the server says no version. The first assignment brings the first.
  const bool newer_root =
      trust.set() != nullptr &&
      (root_version == 0 || root_version > static_cast<uint64_t>(trust.set()->root().version));
  if (std::exchange(pull_at_line, false)) {
    StartJob(true);
  } else if (newer_root || static_cast<int64_t>(epoch) > journal.finished_epoch()) {
    StartJob(false);
  }
  tunnel.OnConnected();
  Pump();
  telling_erased = false;
  TellErased();
}

void Agent::Impl::OnLost(const Status& why) {
  tunnel.OnDisconnected();
  // The server being away is everyday life; what it did wrong is worth showing.
  if (why.code() != Code::kUnavailable && why.code() != Code::kCancelled) {
    journal.NoteError(why, given.clock->NowUnixMs());
  }
}

void Agent::Impl::NoteQuota(int64_t wait_ms) {
  const auto why = Status::Of(Code::kQuotaUsed, "rows wait for {} s: the server takes no more now",
                              wait_ms / 1000);
  LogInfo("agent", "{}", why.ToString());
  journal.NoteError(why, given.clock->NowUnixMs());
}

void Agent::Impl::StartJob(bool by_push) {
  if (stopped || !link.ready()) return;
  if (job) {
    again = true;
    again_by_push = by_push;
    return;
  }
  given.executor->Cancel(retry_timer);
  given.executor->Cancel(room_timer);
  again = false;
  job = std::make_unique<Job>(
      parts, by_push,
      Job::Asks{.on_polled = alive.Guard([this] { Pump(); }),
                .on_desired = alive.Guard([this, by_push](trust::Desired desired, bool one,
                                                          const std::set<std::string>& held) {
                  reconciler.Take(std::move(desired), one, by_push, held);
                }),
                .on_end = alive.Guard([this](const Status& status) { OnJobDone(status); })});
  job->Start();
}

void Agent::Impl::OnJobDone(const Status& status) {
  // The job is still on the stack.
  given.executor->Post([job = std::shared_ptr<Job>(std::move(job))] {});
  job.reset();
  if (status.ok() && !again) reconciler.Answered();
  if (status.ok()) stale_backoff.Reset();
  if (IsTransient(status)) return TryLater(status, job_backoff);
  if (again) return StartJob(again_by_push);
  if (IsStale(status)) TryLater(status, stale_backoff);
}

void Agent::Impl::OnInstallEnded(const Reconciler::Ended& ended) {
  WatchInstalled();
  if (ended.finished) {
    room_backoff.Reset();
    job_backoff.Reset();
  } else if (ended.status.code() == Code::kDiskFull) {
    const auto free = given.fs->FreeBytes(options.directory);
    room_needed = free.ok() && *free < ended.room_needed ? ended.room_needed : 0;
    room_try_ns = given.clock->MonotonicNs() + room_backoff.NextMs() * 1'000'000;
    WaitForRoom();
  } else if (IsTransient(ended.status)) {
    TryLater(ended.status, job_backoff);
  }
}

void Agent::Impl::TryLater(const Status& why, Backoff& backoff) {
  LogInfo("agent", "{}: pull: {}", identity.device_id.substr(0, 8), why.ToString());
  if (why.code() == Code::kUnauthenticated) link.Restart(why);
  given.executor->Cancel(retry_timer);
  retry_timer = given.executor->PostAfter(backoff.NextMs(), alive.Guard([this] {
    if (!job) StartJob(again_by_push);
  }));
}

void Agent::Impl::WaitForRoom() {
  given.executor->Cancel(room_timer);
  room_timer = given.executor->PostAfter(kRoomCheckMs, alive.Guard([this] {
    const auto free = given.fs->FreeBytes(options.directory);
    const bool room = room_needed > 0 && free.ok() && *free >= room_needed;
    if (room || given.clock->MonotonicNs() >= room_try_ns) return StartJob(false);
    WaitForRoom();
  }));
}

void Agent::Impl::SchedulePoll() {
  const int64_t wait_ms =
      options.poll_ms / 2 +
      static_cast<int64_t>(given.random->Below(static_cast<uint64_t>(options.poll_ms) + 1));
  poll_timer = given.executor->PostAfter(wait_ms, alive.Guard([this] {
    if (!job) StartJob(false);
    SchedulePoll();
  }));
}

void Agent::Impl::PumpWithin(int64_t wait_ms) {
  const int64_t due_ns = given.clock->MonotonicNs() + wait_ms * 1'000'000;
  if (due_ns >= pump_due_ns || stopped) return;
  given.executor->Cancel(pump_timer);
  pump_due_ns = due_ns;
  pump_timer = given.executor->PostAfter(wait_ms, alive.Guard([this] {
    pump_due_ns = INT64_MAX;
    SaveAgain();
    Pump();
    PumpWithin(kIdlePumpMs);
  }));
}

void Agent::Impl::SaveAgain() {
  const int64_t now_ns = given.clock->MonotonicNs();
  if (now_ns < save_try_ns) return;
  if (Status saved = journal.SaveAgain(); !saved.ok()) {
    save_try_ns = now_ns + kRoomCheckMs * 1'000'000;
    LogWarn("agent", "{}", saved.ToString());
  }
}

void Agent::Impl::Pump() {
  // What this device shall run is asked for before it sends rows.
  if (job && !job->polled()) return;
  while (link.ready()) {
    proto::Envelope envelope;
    const int64_t now_ms = given.clock->MonotonicNs() / 1'000'000;
    const auto more = tunnel.NextBatch(now_ms, envelope.mutable_tunnel_batch());
    if (!more.ok()) {
      LogError("agent", "outbox: {}", more.status().ToString());
      journal.NoteError(more.status(), given.clock->NowUnixMs());
      return;
    }
    if (!*more) {
      if (const auto next_ms = tunnel.NextTimeMs())
        PumpWithin(std::max(*next_ms - now_ms, kPumpMs));
      return;
    }
    if (Status sent = link.Send(envelope); !sent.ok()) return link.Restart(sent);
  }
}

void Agent::Impl::OnOutcome(const TaskOutcome& result) {
  if (options.on_outcome) options.on_outcome(result);
  const task::EventOutcome& outcome = result.outcome;
  if (!outcome.stream_error.ok()) {
    // A full outbox or disk is no fault of the package.
    journal.NoteError(outcome.stream_error, given.clock->NowUnixMs());
  }
  // What was done before a kill says nothing of this process.
  if (outcome.again) return;
  if (result.call != 0 && !outcome.error.ok()) return;
  if (outcome.fired && outcome.error.ok()) RanWell(result.package);
  const auto summary = tasks.summaries().find(result.package);
  const bool runs_still =
      summary != tasks.summaries().end() && summary->second.release == result.release;
  if (!outcome.fired || !runs_still) return;
  if (summary->second.version == result.version) NoteRun(result.package, outcome);
  if (!result.release.empty()) TellOnce(result, &journal.Tasks(result.package, result.release));
  TaskRecord* observed = journal.Observed(result.package);
  if (observed != nullptr) TellOnce(result, observed);
}

// How tasks do under a release is told twice at most: that one went well, and that one failed.
void Agent::Impl::TellOnce(const TaskOutcome& result, TaskRecord* record) {
  const Status& error = result.outcome.error;
  bool& told = error.ok() ? record->healthy : record->failed;
  if (told) return;
  told = true;
  Report report;
  report.step = error.ok() ? Step::kHealthy : Step::kTaskFailed;
  if (!error.ok()) {
    report.error_code = static_cast<int>(error.code());
    report.error_text = error.message();
  }
  report.release = record->release;
  report.epoch = journal.finished_epoch();
  report.package = result.package;
  report.version = result.version;
  report.time_ms = given.clock->NowUnixMs();
  AddReport(parts, report);
}

}  // namespace ferry::agent
