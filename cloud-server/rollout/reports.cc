// What devices say: stored in groups, one commit for all that wait.
#include <algorithm>

#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/rows.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

// What the device has after a step that says so.
Status NoteInstalled(Transaction& tx, const ReportRow& report) {
  if (report.package.empty()) return OkStatus();
  const bool runs =
      report.step == "confirmed" || report.step == "healthy" || report.step == "rolled_back";
  if (!runs) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<InstalledRow> stored,
                         tx.devices().Installed(report.device));
  for (const InstalledRow& row : stored)
    if (row.package == report.package && row.version == report.version) return OkStatus();
  return tx.devices().PutInstalled(
      {report.device, report.package, report.version, report.release, false});
}

// One way back may lead over several releases: the answer is one to all of them.
Status SettleAllBack(Transaction& tx, const ReportRow& report, const std::string& package) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members,
                         tx.releases().MembersOfDevice(report.device));
  Tallies increments;
  for (const MemberRow& before : members) {
    if (!before.back || before.done || before.release == report.release) continue;
    FERRY_ASSIGN_OR_RETURN(const ReleaseRow release, tx.releases().Get(before.release));
    if (release.package != package) continue;
    MemberRow after = before;
    after.done = true;
    CountChange(increments, &before, after);
    FERRY_TRY(tx.releases().PutMember(after));
  }
  return tx.releases().AddTallies(increments);
}

Status PutSeen(Transaction& tx, const std::map<std::string, int64_t>& seen) {
  for (const auto& [id, seen_ms] : seen) {
    Result<DeviceRow> device = tx.devices().Get(id);
    if (device.code() == Code::kNotFound) continue;
    FERRY_TRY(device);
    device->last_seen_ms = std::max(device->last_seen_ms, seen_ms);
    FERRY_TRY(tx.devices().Put(*device));
  }
  return OkStatus();
}

// Who is held back from a release says with what it runs how it would go without it.
Status NoteControl(Transaction& tx, const ReportRow& report) {
  const bool failed = report.step == "task_failed";
  if (report.package.empty() || (!failed && report.step != "healthy")) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members,
                         tx.releases().MembersOfDevice(report.device));
  Tallies increments;
  for (const MemberRow& before : members) {
    if (!before.control || before.outcome == Outcome::kFailed) continue;
    FERRY_ASSIGN_OR_RETURN(const ReleaseRow release, tx.releases().Get(before.release));
    if (release.package != report.package || !TakesDevices(release.state)) continue;
    MemberRow after = before;
    after.outcome = failed ? Outcome::kFailed : Outcome::kHealthy;
    if (after == before) continue;
    CountChange(increments, &before, after);
    FERRY_TRY(tx.releases().PutMember(after));
  }
  return tx.releases().AddTallies(increments);
}

}  // namespace

Result<bool> Rollout::StoreReport(Transaction& tx, const ReportRow& report, Effects* effects) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  FERRY_ASSIGN_OR_RETURN(const bool is_new, tx.reports().Add(report));
  if (!is_new) return false;
  FERRY_ASSIGN_OR_RETURN(DeviceRow device, tx.devices().Get(report.device));
  device.report_seq = std::max(device.report_seq, report.seq);
  device.last_seen_ms = now_ms;
  FERRY_TRY(tx.devices().Put(device));
  effects->changed = true;
  FERRY_TRY(NoteInstalled(tx, report));
  FERRY_TRY(NoteControl(tx, report));
  if (report.release.empty()) return true;
  Result<ReleaseRows> rows = LoadForReport(tx, report.release, report.device);
  if (rows.code() == Code::kNotFound) return true;  // of another server's life
  FERRY_TRY(rows);
  FERRY_ASSIGN_OR_RETURN(const Changes changes,
                         Apply(*rows, command::DeviceReport{report}, now_ms));
  FERRY_TRY(StoreChanges(tx, *rows, changes, now_ms, effects));
  const bool answered = std::any_of(changes.members.begin(), changes.members.end(),
                                    [](const MemberRow& row) { return row.done; });
  if (!answered) return true;
  if (changes.members[0].back) FERRY_TRY(SettleAllBack(tx, report, rows->release.package));
  FERRY_TRY(LookIn(tx, report.device, effects));
  return true;
}

Result<bool> Rollout::OnReport(const ReportRow& report) {
  Effects effects;
  bool is_new = false;
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    effects = Effects();
    FERRY_ASSIGN_OR_RETURN(is_new, StoreReport(tx, report, &effects));
    return OkStatus();
  }));
  AfterCommit(effects);
  return is_new;
}

void Rollout::QueueReport(ReportRow report, OnStored done) {
  if (options_.writer == nullptr) return done(AsStatus(OnReport(report)));
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  reports_.push_back({std::move(report), std::move(done)});
  BeginStoring();
}

void Rollout::QueueSeen(const std::string& device) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  if (options_.writer == nullptr) {
    const Status written = options_.store->Write([&](Transaction& tx) {
      return PutSeen(tx, {{device, now_ms}});
    });
    if (!written.ok()) LogWarn("rollout", "device {} was seen: {}", device, written.ToString());
    return;
  }
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  seen_[device] = now_ms;
  BeginStoring();
}

void Rollout::BeginStoring() {
  if (storing_) return;
  storing_ = true;
  options_.writer->Post([this] { StoreWaiting(); });
}

// What came while the last commit was on its way to the disk goes into the next one.
void Rollout::StoreWaiting() {
  std::vector<WaitingReport> group;
  std::map<std::string, int64_t> seen;
  {
    std::lock_guard lock(mutex_);
    const size_t count = std::min(reports_.size(), kMaxReportsAtOnce);
    group.assign(std::make_move_iterator(reports_.begin()),
                 std::make_move_iterator(reports_.begin() + static_cast<ptrdiff_t>(count)));
    reports_.erase(reports_.begin(), reports_.begin() + static_cast<ptrdiff_t>(count));
    while (!seen_.empty() && seen.size() < kMaxReportsAtOnce)
      seen.insert(seen_.extract(seen_.begin()));
  }
  Effects effects;
  const Status together = options_.store->Write([&](Transaction& tx) -> Status {
    effects = Effects();
    for (const WaitingReport& waiting : group) FERRY_TRY(StoreReport(tx, waiting.report, &effects));
    return PutSeen(tx, seen);
  });
  if (together.ok()) AfterCommit(effects);
  for (const WaitingReport& waiting : group) {
    // One that cannot be stored is nobody else's fault.
    waiting.done(together.ok() ? together : AsStatus(OnReport(waiting.report)));
  }
  std::lock_guard lock(mutex_);
  storing_ = false;
  if (!stopping_ && !(reports_.empty() && seen_.empty())) BeginStoring();
}

}  // namespace ferry::server
