// What devices say: stored in groups, one commit for all that wait.
#include <algorithm>

#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/rows.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

template <typename SeenDevices>
Status PutSeen(Transaction& tx, const SeenDevices& seen) {
  std::vector<HeardRow> rows;
  for (const auto& [id, one] : seen) rows.push_back({id, 0, one.at_ms, one.root_version});
  return tx.batches().PutHeard(rows);
}

}  // namespace

Result<bool> Rollout::OnReport(const ReportRow& report) {
  Effects effects;
  bool is_new = false;
  FERRY_TRY(options_.store->WriteInTurn([&](Transaction& tx) -> Status {
    effects = Effects();
    FERRY_ASSIGN_OR_RETURN(const size_t stored, StoreReports(tx, {report}, &effects));
    is_new = stored == 1;
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

void Rollout::QueueSeen(const std::string& device, int64_t root_version) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  if (options_.writer == nullptr) {
    const Status written = options_.store->Write([&](Transaction& tx) {
      return PutSeen(tx, std::map<std::string, Seen>{{device, {now_ms, root_version}}});
    });
    if (!written.ok()) LogWarn("rollout", "device {} was seen: {}", device, written.ToString());
    return;
  }
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  Seen& seen = seen_[device];
  seen = {now_ms, std::max(seen.root_version, root_version)};
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
  std::map<std::string, Seen> seen;
  {
    std::lock_guard lock(mutex_);
    const size_t count = std::min(reports_.size(), kMaxReportsAtOnce);
    group.assign(std::make_move_iterator(reports_.begin()),
                 std::make_move_iterator(reports_.begin() + static_cast<ptrdiff_t>(count)));
    reports_.erase(reports_.begin(), reports_.begin() + static_cast<ptrdiff_t>(count));
    while (!seen_.empty() && seen.size() < kMaxReportsAtOnce)
      seen.insert(seen_.extract(seen_.begin()));
  }
  std::vector<ReportRow> reports;
  for (const WaitingReport& waiting : group) {
    reports.push_back(waiting.report);
    // Whose report is stored was there, which is written with it.
    const auto known = seen.find(waiting.report.device);
    if (known != seen.end() && known->second.root_version == 0) seen.erase(known);
  }
  Effects effects;
  const Status together = options_.store->WriteInTurn([&](Transaction& tx) -> Status {
    effects = Effects();
    FERRY_TRY(StoreReports(tx, reports, &effects));
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
