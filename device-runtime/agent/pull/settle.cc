// From a version in its slot to what runs, is there without running, or is gone.
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/trust/authorize.h"
#include "device-runtime/agent/pull/install.h"

namespace ferry::agent {
namespace {

// The packages that the manifest's `requires` names, with their ranges.
requires_::Requires NeedsOf(const package::Manifest& manifest) {
  requires_::Requires needs;
  const auto read = requires_::RequiresFromJson(manifest.requires_);
  if (!read.ok()) return needs;  // of a later runtime, or of one that checked nothing
  needs.packages = read->packages;
  needs.packages.erase(manifest.name);
  return needs;
}

}  // namespace

void Install::CheckNeeds() {
  if (!Wants(trust::DesiredState::kRun)) return ProbePackage();
  const auto package =
      package::Package::OpenFile(*parts_.fs, parts_.slots->PackageFile(want_.package, slot_));
  // One that cannot be read fails where it is loaded.
  if (package.ok()) requires_here_ = NeedsOf(package->manifest());
  for (const auto& [name, range] : requires_here_.packages) needs_.push_back(name);
  if (needs_.empty()) return ProbePackage();
  parked_ = true;
  asks_.on_parked();
}

void Install::GoOn() {
  if (!std::exchange(parked_, false)) return;
  std::map<std::string, std::string> here;
  for (const std::string& need : needs_) {
    const auto current = parts_.slots->Read(need);
    if (current.ok() && *current) here[need] = (*current)->now.running.version;
  }
  if (const Status there = requires_::CheckPackages(requires_here_, here); !there.ok())
    return Fail(there.Context("{} {}", want_.package, want_.wish.version));
  ProbePackage();
}

void Install::ProbePackage() {
  const bool same_files = same_version_ && current_->now.files == files_;
  const bool same = same_files && current_->personal == personal_;
  if (Wants(trust::DesiredState::kDisabled)) {
    // Nothing of a package that shall not run is run: it is probed when it is to run again.
    return same && current_->disabled ? ConfirmRunning() : Disable();
  }
  const bool runs = parts_.tasks->summaries().contains(want_.package);
  if (same && runs && !current_->disabled) return ConfirmRunning();
  changed_ = true;
  Installed place;
  place.slot = slot_;
  place.files = files_;
  parts_.tasks->Prepare(parts_.slots->PackageFile(want_.package, slot_),
                        parts_.slots->OwnDirectories(want_.package, place, personal_),
                        !same_files || current_->trying,
                        alive_.Guard([this](Result<std::shared_ptr<PackageRunner>> runner) {
                          OnProbed(std::move(runner));
                        }));
}

void Install::OnProbed(Result<std::shared_ptr<PackageRunner>> runner) {
  if (!runner.ok()) return Fail(runner.status());
  if (!same_version_) ReportStep(Step::kProbed);
  if (asks_.superseded()) return End(Status(Code::kCancelled, "a newer assignment came"));
  if (Status switched = Switch(std::move(runner).value()); !switched.ok()) return Fail(switched);
  Done();
}

// What `current` says of the version in slot_, on trial.
Current Install::AfterSwitch() const {
  const trust::Running* running = current_   ? &current_->now.running
                                  : removed_ ? &*removed_
                                             : nullptr;
  Current next;
  if (same_version_) {
    next = *current_;
    next.now.files = files_;
    if (!want_.wish.back) next.now.release = want_.wish.release;
  } else {
    next.now = {slot_, want_.wish.release, files_, trust::AfterInstall(running, entry_)};
    // The release that is taken back is not what the fallback's runs are reported to.
    if (want_.wish.back) {
      const bool was_here = current_ && current_->before && path_.empty() &&
                            current_->before->running.plain_sha256 == entry_.plain_sha256;
      next.now.release = was_here ? current_->before->release : "";
    }
    if (current_) next.before = current_->now;
    next.settled = false;
  }
  next.personal = personal_;
  next.trying = true;
  next.starts = 1;
  next.switched_ms = parts_.clock->NowUnixMs();
  next.disabled = Wants(trust::DesiredState::kDisabled);
  return next;
}

// What was there before is what runs.
Status Install::TakeBack(const Status& why) {
  Status written = current_
                       ? parts_.slots->Write(want_.package, *current_)
                       : parts_.slots->Remove(want_.package, HighestThatRan(parts_, want_.package));
  if (!written.ok()) LogWarn("agent", "{}", written.ToString());
  return why;
}

Status Install::Switch(std::shared_ptr<PackageRunner> runner) {
  Current next = AfterSwitch();
  FERRY_TRY(parts_.slots->Write(want_.package, next));
  parts_.slots->damaged().erase(want_.package);
  const Status used =
      parts_.tasks->Use(want_.package, entry_.version, next.now.release, std::move(runner));
  if (!used.ok()) return TakeBack(used);
  // It loaded, its probe went well, and it runs: that confirms it. A power cut before this line
  // starts it once more on trial.
  next.trying = false;
  Status confirmed = parts_.slots->Write(want_.package, next);
  for (const char* files : {kFiles, kOtherFiles}) {
    if (!confirmed.ok() || files == files_) continue;
    confirmed = parts_.fs->RemoveTree(
        sys::JoinPath(parts_.slots->SlotDirectory(want_.package, slot_), files));
  }
  if (confirmed.ok()) confirmed = SweepPersonal();
  if (confirmed.ok() && removed_) confirmed = parts_.slots->ForgetRemoval(want_.package);
  if (!confirmed.ok()) LogWarn("agent", "{}", confirmed.ToString());
  return OkStatus();
}

void Install::Disable() {
  if (asks_.superseded()) return End(Status(Code::kCancelled, "a newer assignment came"));
  const bool same_files = same_version_ && current_->now.files == files_;
  Current next = AfterSwitch();
  next.starts = 0;  // nothing was started
  if (same_files) next.trying = current_->trying;
  if (Status written = parts_.slots->Write(want_.package, next); !written.ok())
    return Fail(written);
  if (!same_version_) parts_.slots->damaged().erase(want_.package);
  if (removed_) {
    Status forgotten = parts_.slots->ForgetRemoval(want_.package);
    if (!forgotten.ok()) LogWarn("agent", "{}", forgotten.ToString());
  }
  changed_ = true;
  parts_.tasks->Remove(want_.package, alive_.Guard([this] { Done(); }));
}

void Install::RemovePackage() {
  auto current = parts_.slots->Read(want_.package);
  // One that no copy of `current` describes is taken away, too; its counters are what is known.
  if (!current.ok() && current.code() != Code::kCorruptContent) return Fail(current.status());
  if (current.ok()) current_ = *current;
  if (current.ok() && !current_) return Done();
  if (asks_.superseded()) return End(Status(Code::kCancelled, "a newer assignment came"));
  changed_ = true;
  parts_.tasks->Remove(want_.package, alive_.Guard([this] {
    std::optional<trust::Running> ran = HighestThatRan(parts_, want_.package);
    if (current_) ran = current_->now.running;
    if (Status gone = parts_.slots->Remove(want_.package, ran); !gone.ok()) return Fail(gone);
    parts_.slots->damaged().erase(want_.package);
    Done();
  }));
}

void Install::ConfirmRunning() {
  if (!want_.wish.back && current_->now.release != want_.wish.release) {
    current_->now.release = want_.wish.release;
    if (Status written = parts_.slots->Write(want_.package, *current_); !written.ok()) {
      return Fail(written);
    }
    parts_.tasks->SetRelease(want_.package, want_.wish.release);
  }
  Done();
}

void Install::Done() {
  if (changed_ && !same_version_ && !Wants(trust::DesiredState::kAbsent)) {
    const char* how = want_.wish.back                              ? "rollback"
                      : entry_.kind == trust::ArtefactKind::kDelta ? "delta"
                                                                   : "full";
    parts_.journal->NoteVersion(want_.package, entry_.version, how, parts_.clock->NowUnixMs());
  }
  // The report before the end of the wish: a power cut in between makes it twice, not never.
  if (changed_ || !want_.told) ReportStep(want_.wish.back ? Step::kRolledBack : Step::kConfirmed);
  End(OkStatus());
}

}  // namespace ferry::agent
