#include "cloud-server/rollout/rollout.h"

#include "cloud-server/rollout/rows.h"
#include "common/base/log.h"
#include "common/trust/assignment.h"

namespace ferry::server {

Rollout::Rollout(const Options& options) : options_(options) {}

Rollout::~Rollout() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  if (options_.ticker != nullptr) options_.ticker->Cancel(timer_);
  changed_.notify_all();
}

Status Rollout::Start() {
  std::vector<std::string> cut_off;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
    for (const ReleaseRow& release : releases)
      if (release.state == ReleaseState::kSimulating) cut_off.push_back(release.id);
    return OkStatus();
  }));
  for (const std::string& release : cut_off) StartSimulation(release);
  ScheduleTick();
  return OkStatus();
}

void Rollout::ScheduleTick() {
  if (options_.ticker == nullptr) return;
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  timer_ = options_.ticker->PostAfter(options_.tick_ms, [this] {
    Status status = Tick();
    if (!status.ok()) LogError("rollout", "tick: {}", status.ToString());
    ScheduleTick();
  });
}

Status Rollout::Change(const std::string& release, const Command& command, Effects* effects) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  return options_.store->Write([&](Transaction& tx) -> Status {
    *effects = Effects();  // the store may run this again
    FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadAll(tx, release));
    rows.listening = options_.bus->Listening();
    FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(rows, command, now_ms));
    return StoreChanges(tx, rows, changes, now_ms, effects);
  });
}

void Rollout::AfterCommit(const Effects& effects) {
  for (const auto& [device, counter] : effects.wake)
    options_.bus->Publish(device, static_cast<uint64_t>(counter));
  if (effects.changed) NoteChange();
  for (const std::string& release : effects.simulate) StartSimulation(release);
}

Result<ReleaseRow> Rollout::Do(const std::string& release, const Command& command) {
  Effects effects;
  FERRY_TRY(Change(release, command, &effects));
  AfterCommit(effects);
  ReleaseRow row;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(release));
    return OkStatus();
  }));
  return row;
}

Result<bool> Rollout::OnReport(const ReportRow& report) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  Effects effects;
  bool is_new = false, turned = false;
  FERRY_TRY(options_.store->Write([&](Transaction& tx) -> Status {
    effects = Effects();
    turned = false;
    FERRY_ASSIGN_OR_RETURN(is_new, tx.reports().Add(report));
    if (!is_new) return OkStatus();
    FERRY_ASSIGN_OR_RETURN(DeviceRow device, tx.devices().Get(report.device));
    device.report_seq = std::max(device.report_seq, report.seq);
    device.last_seen_ms = now_ms;
    FERRY_TRY(tx.devices().Put(device));
    effects.changed = true;
    if (report.release.empty()) return OkStatus();
    Result<ReleaseRows> rows = LoadForReport(tx, report.release, report.device);
    if (rows.code() == Code::kNotFound) return OkStatus();  // of another server's life
    FERRY_TRY(rows);
    FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(*rows, command::DeviceReport{report}, now_ms));
    turned = changes.release && changes.release->state != rows->release.state;
    return StoreChanges(tx, *rows, changes, now_ms, &effects);
  }));
  AfterCommit(effects);
  if (!turned) return is_new;
  // The report stopped the release: send everyone back now, not at the next tick.
  Effects back;
  Status status = Change(report.release, command::Tick{HearingSince()}, &back);
  if (status.ok()) {
    AfterCommit(back);
  } else {
    LogError("rollout", "turning release {} round: {}", report.release, status.ToString());
  }
  return is_new;
}

void Rollout::OnDeviceChanged(const std::string&) {
  NoteChange();
}

int64_t Rollout::HearingSince() {
  const int64_t now_ms = options_.clock->NowUnixMs();
  const int64_t steady_ms = options_.clock->MonotonicNs() / 1'000'000;
  std::lock_guard lock(mutex_);
  const int64_t passed_ms = steady_ms - last_tick_steady_ms_;
  const int64_t step_ms = now_ms - last_tick_ms_ - passed_ms;
  const bool unbroken =
      hearing_since_ms_ != 0 && passed_ms <= kMaxTickGapMs && std::abs(step_ms) <= kMaxClockStepMs;
  if (!unbroken) hearing_since_ms_ = now_ms;
  last_tick_ms_ = now_ms;
  last_tick_steady_ms_ = steady_ms;
  return hearing_since_ms_;
}

Status Rollout::Tick() {
  FERRY_TRY(options_.registry->Refresh().Context("refreshing metadata"));
  const int64_t hearing_since_ms = HearingSince();
  std::vector<std::string> active;
  std::set<std::string> settled, stopped;
  {
    std::lock_guard lock(mutex_);
    settled = settled_;
  }
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
    for (const ReleaseRow& release : releases) {
      const bool watched = TakesDevices(release.state) || release.state == ReleaseState::kPaused ||
                           release.state == ReleaseState::kRollingBack;
      // A stop by a report takes its offers back in a second step, which a crash may have cut off.
      const bool unsettled =
          release.state == ReleaseState::kStopped && !settled.contains(release.id);
      if (watched || unsettled) active.push_back(release.id);
      if (unsettled) stopped.insert(release.id);
    }
    return OkStatus();
  }));
  Status first;
  for (const std::string& release : active) {  // newest first: it takes devices before older ones
    Effects effects;
    Status status = Change(release, command::Tick{hearing_since_ms}, &effects);
    if (status.ok()) {
      AfterCommit(effects);
      std::lock_guard lock(mutex_);
      if (stopped.contains(release)) settled_.insert(release);
    } else if (first.ok()) {
      first = status.Context("release {}", release);
    }
  }
  return first;
}

Result<int64_t> Rollout::Epoch(const std::string& device) {
  int64_t counter = 0;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(AssignmentRow row, tx.devices().Assignment(device));
    counter = row.counter;
    return OkStatus();
  }));
  return counter;
}

Result<Bytes> Rollout::SignedAssignment(const std::string& device, int64_t have_epoch) {
  AssignmentRow row;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.devices().Assignment(device));
    return OkStatus();
  }));
  if (row.counter <= have_epoch) return Bytes();
  trust::Assignment assignment;
  assignment.device = device;
  assignment.counter = row.counter;
  assignment.epoch = row.counter;
  if (row.action == "install") assignment.action = trust::Action::kInstall;
  if (row.action == "rollback") assignment.action = trust::Action::kRollback;
  if (assignment.action != trust::Action::kNone) assignment.release = row.release;
  assignment.targets = row.targets;
  assignment.exclusive = row.exclusive;
  assignment.expires_ms = options_.clock->NowUnixMs() + kAssignmentLifeMs;
  return trust::SignAssignment(assignment, options_.secrets->director);
}

uint64_t Rollout::change_count() {
  std::lock_guard lock(mutex_);
  return change_count_;
}

uint64_t Rollout::WaitForChange(uint64_t seen, int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                    [&] { return change_count_ > seen || stopping_; });
  return change_count_;
}

void Rollout::NoteChange() {
  std::lock_guard lock(mutex_);
  ++change_count_;
  changed_.notify_all();
}

}  // namespace ferry::server
