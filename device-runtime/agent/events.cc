// The line, the pulls it leads to, and what goes up.
#include "common/base/log.h"
#include "common/proto/wire.pb.h"
#include "device-runtime/agent/agent_impl.h"
#include "device-runtime/agent/pull/reports.h"
#include "device-runtime/task/outcome.h"

namespace ferry::agent {

LinkEvents Agent::Impl::MakeLinkEvents() {
  return {
      .on_enrolled = [this] { return SaveEnrolled(*given.fs, options.directory, &identity); },
      .on_ready = [this](uint64_t epoch) { OnReady(epoch); },
      .on_wake =
          [this](uint64_t epoch) {
            const auto counter = static_cast<int64_t>(epoch);
            if (counter <= journal.finished_epoch()) return;
            if (job) job->OnWake(counter);
            StartJob(true);
          },
      .on_report_ack =
          [this](uint64_t seq) {
            if (Status done = journal.Acknowledge(seq); !done.ok()) {
              LogError("agent", "journal: {}", done.ToString());
            }
          },
      .on_tunnel_ack =
          [this](const proto::TunnelAck& ack) {
            const int64_t now_ms = given.clock->MonotonicNs() / 1'000'000;
            if (Status taken = tunnel.OnAck(ack, now_ms); !taken.ok()) return link.Restart(taken);
            Pump();
          },
      .on_lost = [this](const Status& why) { OnLost(why); },
  };
}

void Agent::Impl::OnReady(uint64_t epoch) {
  SendWaiting(parts);
  // What this device shall run is asked for before it sends rows.
  if (static_cast<int64_t>(epoch) > journal.finished_epoch()) StartJob(false);
  tunnel.OnConnected();
  Pump();
}

void Agent::Impl::OnLost(const Status& why) {
  tunnel.OnDisconnected();
  // The server being away is everyday life; what it did wrong is worth showing.
  if (why.code() != Code::kUnavailable && why.code() != Code::kCancelled) {
    journal.NoteError(why, given.clock->NowUnixMs());
  }
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
  job = std::make_unique<Job>(parts, by_push,
                              alive.Guard([this](const Status& status) { OnJobDone(status); }));
  job->Start();
}

void Agent::Impl::OnJobDone(const Status& status) {
  // The job is still on the stack.
  const uint64_t needed = job->room_needed();
  given.executor->Post([job = std::shared_ptr<Job>(std::move(job))] {});
  job.reset();
  WatchInstalled();
  if (status.code() == Code::kDiskFull && !again) {
    const auto free = given.fs->FreeBytes(options.directory);
    room_needed = free.ok() && *free < needed ? needed : 0;
    room_try_ns = given.clock->MonotonicNs() + room_backoff.NextMs() * 1'000'000;
    return WaitForRoom();
  }
  room_backoff.Reset();
  if (!IsTransient(status)) {
    job_backoff.Reset();
    if (again) StartJob(again_by_push);
    return;
  }
  LogInfo("agent", "{}: pull: {}", identity.device_id.substr(0, 8), status.ToString());
  if (status.code() == Code::kUnauthenticated) link.Restart(status);
  given.executor->Cancel(retry_timer);
  retry_timer = given.executor->PostAfter(job_backoff.NextMs(),
                                          alive.Guard([this] { StartJob(again_by_push); }));
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

void Agent::Impl::SchedulePump() {
  pump_timer = given.executor->PostAfter(kPumpMs, alive.Guard([this] {
    Pump();
    SchedulePump();
  }));
}

void Agent::Impl::Pump() {
  while (link.ready()) {
    proto::Envelope envelope;
    const auto more =
        tunnel.NextBatch(given.clock->MonotonicNs() / 1'000'000, envelope.mutable_tunnel_batch());
    if (!more.ok()) {
      LogError("agent", "outbox: {}", more.status().ToString());
      journal.NoteError(more.status(), given.clock->NowUnixMs());
      return;
    }
    if (!*more) return;
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
  if (outcome.fired && outcome.error.ok()) RanWell(result.package);
  const auto summary = tasks.summaries().find(result.package);
  const bool runs_still =
      summary != tasks.summaries().end() && summary->second.release == result.release;
  if (!outcome.fired || result.release.empty() || !runs_still) return;
  TaskRecord& record = journal.Tasks(result.package, result.release);
  Report report;
  if (outcome.error.ok()) {
    if (record.healthy) return;
    record.healthy = true;
    report.step = Step::kHealthy;
  } else {
    if (record.failed) return;
    record.failed = true;
    report.step = Step::kTaskFailed;
    report.error_code = static_cast<int>(outcome.error.code());
    report.error_text = outcome.error.message();
  }
  report.release = result.release;
  report.epoch = journal.finished_epoch();
  report.package = result.package;
  report.version = result.version;
  report.time_ms = given.clock->NowUnixMs();
  AddReport(parts, report);
}

}  // namespace ferry::agent
