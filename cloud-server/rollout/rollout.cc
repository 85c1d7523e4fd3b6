#include "cloud-server/rollout/rollout.h"

#include "cloud-server/rollout/rows.h"
#include "common/base/log.h"

namespace ferry::server {

Rollout::Rollout(const Options& options)
    : options_(options), started_ms_(options.clock->NowUnixMs()) {}

Rollout::~Rollout() {
  options_.bus->OnLook(nullptr);
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
  options_.bus->OnLook([this] {
    NoteChange();
    QueueListening();
  });
  for (const std::string& release : cut_off) StartSimulation(release);
  FERRY_TRY(Recount());
  ScheduleTick();
  return OkStatus();
}

void Rollout::ScheduleTick() {
  if (options_.ticker == nullptr) return;
  std::lock_guard lock(mutex_);
  if (stopping_) return;
  timer_ = options_.ticker->PostAfter(options_.tick_ms, [this] {
    Status status = RunOnce(options_.once, [this] { return TickReleases(); });
    if (!status.ok()) LogError("rollout", "tick: {}", status.ToString());
    // Whoever was turned away has its line here.
    status = LookAtTurnedAway();
    if (!status.ok()) LogError("rollout", "devices that wait for a rate: {}", status.ToString());
    ScheduleTick();
  });
}

Status Rollout::Change(const std::string& release, const Command& command, Effects* effects) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  return options_.store->WriteInTurn([&](Transaction& tx) -> Status {
    *effects = Effects();  // the store may run this again
    FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadForCommand(tx, release));
    if (std::holds_alternative<command::Kill>(command)) {
      FERRY_ASSIGN_OR_RETURN(rows.cannot_stop, tx.releases().CountCannotStop(release));
    }
    FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(rows, command, now_ms));
    return StoreChanges(tx, rows, changes, now_ms, effects);
  });
}

void Rollout::AfterCommit(const Effects& effects) {
  for (const auto& [device, counter] : effects.wake)
    options_.bus->Publish(device, static_cast<uint64_t>(counter));
  if (effects.changed) NoteChange();
  if (effects.look) {
    QueueListening();
    options_.bus->PublishLook();
  }
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

void Rollout::OnDeviceChanged(const std::string& device) {
  QueueLook(device);
  PumpLooks();
  NoteChange();
}

void Rollout::OnNewRoot() {
  for (const std::string& device : options_.bus->Listening())
    options_.bus->Publish(device, kLookAgain);
  NoteChange();
}

void Rollout::OnBlocked(const std::string& device) {
  options_.bus->Publish(device, kLookAgain);
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

// Most looks change nothing: they are made without the lock of writers.
Status Rollout::TickRelease(const std::string& release, int64_t hearing_since_ms,
                            Effects* effects) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  UndecidedCursor before;
  {
    std::lock_guard lock(mutex_);
    before = cursors_[release];
  }
  UndecidedCursor after;
  bool quiet = false;
  const auto look = [&](Transaction& tx, bool store) -> Status {
    *effects = Effects();
    after = before;
    FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadForTick(tx, release, now_ms, &after));
    for (const MemberRow& member : rows.members)
      if (options_.bus->IsListening(member.device)) rows.listening.insert(member.device);
    FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(rows, command::Tick{hearing_since_ms}, now_ms));
    quiet = changes.empty();
    if (!store) return OkStatus();
    return StoreChanges(tx, rows, changes, now_ms, effects);
  };
  FERRY_TRY(options_.store->Read([&](Transaction& tx) { return look(tx, false); }));
  if (!quiet)
    FERRY_TRY(options_.store->WriteInTurn([&](Transaction& tx) { return look(tx, true); }));
  std::lock_guard lock(mutex_);
  cursors_[release] = after;
  return OkStatus();
}

Status Rollout::Tick() {
  const Status ticked = TickReleases();
  const Status looked = LookAtTurnedAway();
  return ticked.ok() ? looked : ticked;
}

Status Rollout::TickReleases() {
  FERRY_TRY(options_.registry->Refresh().Context("refreshing metadata"));
  const int64_t hearing_since_ms = HearingSince();
  std::vector<std::string> active;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
    for (const ReleaseRow& release : releases)
      if (TakesDevices(release.state) || release.state == ReleaseState::kPaused ||
          release.state == ReleaseState::kRollingBack)
        active.push_back(release.id);
    return OkStatus();
  }));
  Status first;
  for (const std::string& release : active) {
    Effects effects;
    Status status = TickRelease(release, hearing_since_ms, &effects);
    if (status.ok()) {
      AfterCommit(effects);
    } else if (first.ok()) {
      first = status.Context("release {}", release);
    }
  }
  if (Status noted = NoteSeries(active); first.ok()) first = noted;
  FERRY_ASSIGN_OR_RETURN(const Known known, Latest());
  if (Status paced = TickPace(*known.catalogue); first.ok()) first = paced;
  if (Status retried = TickRetries(*known.catalogue); first.ok()) first = retried;
  const int64_t steady_ms = options_.clock->MonotonicNs() / 1'000'000;
  if (steady_ms - recounted_ms_ >= options_.recount_ms) {
    recounted_ms_ = steady_ms;
    if (Status counted = Recount(); first.ok()) first = counted;
  }
  return first;
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
