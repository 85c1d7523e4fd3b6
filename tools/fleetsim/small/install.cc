// A small device brings a version there: pull, write, switch, and what a power cut leaves of it.
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/small/fleet.h"
#include "tools/fleetsim/world/door.h"
#include "tools/fleetsim/world/publisher.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kRebootMs = 90'000;

trust::Running RunningOf(Sim& sim, const Small& small) {
  const Version& version = sim.versions()[small.running];
  trust::Running running;
  running.version = version.name;
  running.plain_sha256 = version.entry.plain_sha256;
  running.release_counter = version.entry.release_counter;
  running.fallback = version.entry.fallback;
  running.highest_counter = sim.versions()[small.highest].entry.release_counter;
  return running;
}

}  // namespace

void SmallFleet::Begin(int64_t device, const trust::Desired& desired,
                       const trust::DesiredPackage& wish) {
  Small& small = (*this)[device];
  if (small.wish_absent) return RemovePackage(device);
  const bool here = small.running == small.wish_version && !small.running_lost &&
                    small.wish_version != kNoVersion;
  if (here) {
    small.disabled = small.wish_disabled;
    if (!small.wish_back) small.run_release = small.wish_release;
    Add(device, small.wish_back ? Step::kRolledBack : Step::kConfirmed, small.wish_version,
        small.wish_release);
    Settle(device, false);
    // Another release's record of how it runs begins.
    if (!small.wish_back) small.told_healthy = small.told_failed = small.measured = false;
    Send(device);
    return PlanRun(device);
  }
  if (small.wish_back && ForgetsRollback(sim_, device)) {
    Add(device, Step::kRolledBack, small.wish_version, small.wish_release);
    Settle(device, false);
    return Send(device);
  }
  const std::string path = wish.targets.empty() ? "" : wish.targets.front();
  trust::Running running;
  const bool runs = small.running != kNoVersion;
  if (runs) running = RunningOf(sim_, small);
  const auto allowed =
      trust::AuthorizeInstall(sim_.publisher().targets, trust::AssignmentOf(desired, wish), path,
                              runs ? &running : nullptr);
  if (!allowed.ok() && !SkipsAuthorization(sim_, small.wish_version))
    return FailInstall(device, allowed.status().code());
  if (sim_.now_ms() < small.disk_full_until_ms) return TryAgain(device, Code::kDiskFull);
  if (small.spare == small.wish_version && small.spare_synced) return FromSpare(device);
  Download faults;
  sim_.Strike(Strikes::kDownload, {sim_, device, nullptr, &faults});
  small.pull_stale = faults.stale;
  small.pull_corrupt = faults.corrupt;
  const Profile& profile = ProfileOf(device);
  small.work = Work::kPull;
  small.work_ms = sim_.now_ms() + 2 * profile.latency_ms +
                  sim_.versions()[small.wish_version].bytes * 8 / profile.kbit_s;
}

void SmallFleet::OnPulled(int64_t device) {
  Small& small = (*this)[device];
  const Version& version = sim_.versions()[small.wish_version];
  if (sim_.IsCutOff(device) || small.wish_release == kNoRelease) return Retry(device);
  if (IsSampled(device)) {
    const Status key =
        sim_.door().Key(IdOf(device), version, sim_.releases()[small.wish_release].id);
    // What the server no longer wants it no longer gives keys for.
    if (!key.ok()) return Retry(device);
  }
  sim_.outcome().bytes_served += version.bytes;
  Add(device, Step::kPulled, small.wish_version, small.wish_release);
  const bool wrong = small.pull_stale || small.pull_corrupt;
  if (wrong && SkipsHash(sim_)) sim_.NoteWrongBytes(device);
  if (wrong && !SkipsHash(sim_)) {
    // Bytes of another version do not have the hash that was signed, no more than broken ones have:
    // the server's own are asked for.
    small.work = Work::kPull;
    small.pull_stale = small.pull_corrupt = false;
    small.work_ms = sim_.now_ms() + version.bytes * 8 / ProfileOf(device).kbit_s + 1'000;
    return;
  }
  Install faults;
  sim_.Strike(Strikes::kInstall, {sim_, device, nullptr, nullptr, &faults});
  if (faults.torn || faults.sync_failed) return TryAgain(device, Code::kIo);
  if (!Write(device, faults)) return Boot(device);
  Add(device, Step::kVerified, small.wish_version, small.wish_release);
  Add(device, Step::kInstalled, small.wish_version, small.wish_release);
  Add(device, Step::kProbed, small.wish_version, small.wish_release);
  Switch(device, small.wish_version);
  Add(device, small.wish_back ? Step::kRolledBack : Step::kConfirmed, small.wish_version,
      small.wish_release);
  Settle(device, false);
  Send(device);
  PlanRun(device);
}

// The other slot holds it still.
void SmallFleet::FromSpare(int64_t device) {
  Small& small = (*this)[device];
  const uint8_t release = small.spare_release;
  Add(device, Step::kProbed, small.wish_version, small.wish_release);
  Switch(device, small.wish_version);
  if (small.wish_back) small.run_release = release;
  Add(device, small.wish_back ? Step::kRolledBack : Step::kConfirmed, small.wish_version,
      small.wish_release);
  Settle(device, false);
  Send(device);
  PlanRun(device);
}

// Write the spare slot, sync it, put the name over, sync the name. False: the power went at one of
// these steps, and the slots are what it left.
bool SmallFleet::Write(int64_t device, const Install& faults) {
  Small& small = (*this)[device];
  const bool sync_first = !SwitchesBeforeSync(sim_);
  if (!faults.power_cut) return true;
  const auto step = static_cast<int>(sim_.random().Below(4));
  if (step == 0) {  // the spare slot is being written
    small.spare = kNoVersion;
    return false;
  }
  const bool synced = sync_first ? step >= 2 : false;
  small.spare = synced ? small.wish_version : kNoVersion;
  small.spare_release = kNoRelease;
  small.spare_synced = synced;
  const bool named = step == 3 && sim_.random().Below(2) == 0;  // an unsynced name may survive
  if (named) {
    small.running_lost = !synced;
    Switch(device, small.wish_version);
    if (!synced) small.running_lost = true;
  }
  return false;
}

void SmallFleet::Switch(int64_t device, uint8_t version) {
  Small& small = (*this)[device];
  const uint8_t before = small.running;
  small.spare = before;
  small.spare_release = small.run_release;
  small.spare_synced = true;
  small.running = version;
  small.running_lost = false;
  small.disabled = small.wish_disabled;
  if (small.highest == kNoVersion || sim_.versions()[version].entry.release_counter >
                                         sim_.versions()[small.highest].entry.release_counter)
    small.highest = version;
  // The release that is taken back is not what the fallback's runs are reported to.
  small.run_release = small.wish_back ? kNoRelease : small.wish_release;
  small.told_healthy = small.told_failed = small.measured = false;
  sim_.Note(EventKind::kSwitch, device, version, before);
}

void SmallFleet::Settle(int64_t device, bool failed) {
  Small& small = (*this)[device];
  small.finished_epoch = small.epoch;
  small.told = small.wish_release;
  small.settled_back = small.wish_back;
  small.settled_failed = failed;
  small.woken = false;
}

void SmallFleet::FailInstall(int64_t device, Code code) {
  Small& small = (*this)[device];
  Add(device, Step::kFailed, small.wish_version, small.wish_release, code);
  Settle(device, true);
  Send(device);
}

// It is the device's own matter, told once, and tried again.
void SmallFleet::TryAgain(int64_t device, Code code) {
  Small& small = (*this)[device];
  if (small.reported_error != static_cast<int16_t>(code))
    Add(device, Step::kFailed, small.wish_version, small.wish_release, code);
  small.reported_error = static_cast<int16_t>(code);
  Send(device);
  Retry(device);
}

void SmallFleet::RemovePackage(int64_t device) {
  Small& small = (*this)[device];
  const uint8_t before = std::exchange(small.running, kNoVersion);
  small.spare = kNoVersion;
  small.run_release = kNoRelease;
  small.run_ms = INT64_MAX;
  if (before != kNoVersion) sim_.Note(EventKind::kSwitch, device, kNoVersion, before);
  Add(device, small.wish_back ? Step::kRolledBack : Step::kConfirmed, kNoVersion,
      small.wish_release);
  Settle(device, false);
  Send(device);
}

// What is on the disk is all that is left; it asks again soon.
void SmallFleet::Boot(int64_t device) {
  Small& small = (*this)[device];
  answers_.erase(device);
  small.work = Work::kNone;
  small.work_ms = INT64_MAX;
  small.woken = false;
  sim_.Note(EventKind::kBoot, device, small.running, small.running_lost);
  if (small.running_lost) {
    // The version before runs, where there is one.
    small.running = std::exchange(small.spare, kNoVersion);
    small.running_lost = false;
    small.run_release = kNoRelease;
  }
  small.tries = 0;
  const auto soon = static_cast<int64_t>(sim_.random().Below(kRebootMs)) + 1'000;
  small.poll_ms = OnlineAt(device, sim_.now_ms() + soon);
}

void SmallFleet::CutPower(int64_t device) {
  Boot(device);
  Schedule(device);
}

}  // namespace ferry::fleetsim
