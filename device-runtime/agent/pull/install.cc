// From the chosen artefact to the switched package.
#include "common/base/log.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/trust/authorize.h"
#include "device-runtime/agent/line/messages.h"
#include "device-runtime/agent/pull/job.h"
#include "device-runtime/agent/state/directories.h"
#include "policy/target/version.h"

namespace ferry::agent {
namespace {

constexpr char kNewPackage[] = "package.fpk.new";

Status CheckPackage(const package::Package& package, const trust::TargetEntry& entry) {
  const package::Manifest& manifest = package.manifest();
  if (manifest.name != entry.package || manifest.version != entry.version) {
    return Status::Of(Code::kBadPackage, "the package says {} {}, it was signed as {} {}",
                      manifest.name, manifest.version, entry.package, entry.version);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string least,
                         GetStringOr(manifest.requires_, "runtime", "0.0.0"));
  const auto wanted = target::ParseVersion(least);
  const auto own = target::ParseVersion(kRuntimeVersion);
  if (!wanted.ok() || !own.ok()) {
    return Status::Of(Code::kBadPackage, "requires.runtime \"{}\" is no version", least);
  }
  if (target::Compare(*own, *wanted) < 0) {
    return Status::Of(Code::kUnsupported, "{} {} needs runtime {}, this is {}", manifest.name,
                      manifest.version, least, kRuntimeVersion);
  }
  return package.VerifyFiles();  // reads back what was written
}

}  // namespace

void Job::FetchPackage() {
  SweepDownloads(parts_, {ToHex(entry_.sha256)});
  Fetch::Want want{path_, entry_, assignment_->release,
                   sys::JoinPath(parts_.slots->SlotDirectory(entry_.package, slot_), kNewPackage),
                   ""};
  if (entry_.kind == trust::ArtefactKind::kDelta) {
    want.base = parts_.slots->PackageFile(entry_.package, current_->now.slot);
  }
  fetch_ =
      std::make_unique<Fetch>(parts_, std::move(want), alive_.Guard([this](uint64_t bytes) {
        bytes_pulled_ += bytes;
        ReportStep(Step::kPulled);
      }),
                              alive_.Guard([this](const Status& status) { OnOpened(status); }));
  fetch_->Start();
}

void Job::OnOpened(const Status& status) {
  if (status.code() == Code::kBadDelta && !without_deltas_) {
    LogWarn("agent", "{}; taking the full package", status.message());
    without_deltas_ = true;
    if (Status chosen = Choose(); !chosen.ok()) return Fail(chosen);
    return path_.empty() ? FetchNextExclusive() : FetchPackage();
  }
  if (!status.ok()) return Fail(status);
  ReportStep(Step::kVerified);
  if (Status put = PutIntoSlot(); !put.ok()) return Fail(put);
  ReportStep(Step::kInstalled);
  FetchNextExclusive();
}

Status Job::PutIntoSlot() {
  const std::string directory = parts_.slots->SlotDirectory(entry_.package, slot_);
  const std::string fresh = sys::JoinPath(directory, kNewPackage);
  auto package = package::Package::OpenFile(*parts_.fs, fresh);
  const Status checked = package.ok() ? CheckPackage(*package, entry_) : package.status();
  if (!checked.ok()) {
    if (Status removed = parts_.fs->Remove(fresh); !removed.ok()) {
      LogWarn("agent", "{}", removed.ToString());
    }
    return checked;
  }
  // The file itself was synced when it was opened.
  FERRY_TRY(parts_.fs->Rename(fresh, parts_.slots->PackageFile(entry_.package, slot_)));
  return parts_.fs->SyncDirectory(directory);
}

void Job::FetchNextExclusive() {
  if (exclusive_left_.empty()) return ProbePackage();
  const std::string path = exclusive_left_.back();
  exclusive_left_.pop_back();
  auto entry =
      trust::AuthorizeExclusive(*parts_.trust->set()->targets(), *assignment_, path, entry_);
  if (!entry.ok()) return Fail(entry.status());
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string directory =
      sys::JoinPath(sys::JoinPath(parts_.directory, "exclusive"), entry_.package);
  const std::string place = sys::JoinPath(directory, name);
  const std::string fresh = sys::JoinPath(directory, "." + name + ".new");
  const trust::TargetEntry wanted = **entry;
  if (const auto file = parts_.fs->Map(place);
      file.ok() && crypto::Sha256((*file)->bytes()) == wanted.plain_sha256) {
    return FetchNextExclusive();
  }
  SweepDownloads(parts_, {ToHex(wanted.sha256)});
  fetch_ =
      std::make_unique<Fetch>(parts_, Fetch::Want{path, wanted, assignment_->release, fresh, ""},
                              alive_.Guard([this](uint64_t bytes) { bytes_pulled_ += bytes; }),
                              alive_.Guard([this, fresh, place, directory](const Status& status) {
                                if (!status.ok()) return Fail(status);
                                Status put = parts_.fs->Rename(fresh, place);
                                if (put.ok()) put = parts_.fs->SyncDirectory(directory);
                                if (!put.ok()) return Fail(put);
                                FetchNextExclusive();
                              }));
  fetch_->Start();
}

void Job::ProbePackage() {
  if (same_version_) return ConfirmRunning();
  parts_.tasks->Prepare(parts_.slots->PackageFile(entry_.package, slot_), true,
                        alive_.Guard([this](Result<std::shared_ptr<PackageRunner>> runner) {
                          OnProbed(std::move(runner));
                        }));
}

void Job::ConfirmRunning() {
  const bool back = assignment_->action == trust::Action::kRollback;
  if (!back && current_->now.release != assignment_->release) {
    current_->now.release = assignment_->release;
    if (Status written = parts_.slots->Write(entry_.package, *current_); !written.ok()) {
      return Fail(written);
    }
    parts_.tasks->SetRelease(entry_.package, assignment_->release);
  }
  ReportStep(back ? Step::kRolledBack : Step::kConfirmed);
  End(parts_.journal->Finish(assignment_->counter));
}

void Job::OnProbed(Result<std::shared_ptr<PackageRunner>> runner) {
  if (!runner.ok()) return Fail(runner.status());
  ReportStep(Step::kProbed);
  if (superseded_) return End(Status(Code::kCancelled, "a newer assignment came"));
  if (Status switched = Switch(std::move(runner).value()); !switched.ok()) return Fail(switched);
  const bool back = assignment_->action == trust::Action::kRollback;
  parts_.journal->NoteVersion(entry_.package, entry_.version,
                              back                                         ? "rollback"
                              : entry_.kind == trust::ArtefactKind::kDelta ? "delta"
                                                                           : "full",
                              parts_.clock->NowUnixMs());
  // The report before the end of the assignment: a power cut in between makes it twice, not never.
  ReportStep(back ? Step::kRolledBack : Step::kConfirmed);
  End(parts_.journal->Finish(assignment_->counter));
}

Status Job::Switch(std::shared_ptr<PackageRunner> runner) {
  const trust::Running* running = current_ ? &current_->now.running : nullptr;
  Current next;
  next.now = {slot_, assignment_->release, trust::AfterInstall(running, entry_)};
  if (assignment_->action == trust::Action::kRollback) {
    // The release that is taken back is not what the fallback's runs are reported to.
    next.now.release =
        current_ && current_->before && path_.empty() ? current_->before->release : "";
  }
  if (current_) next.before = current_->now;
  next.trying = true;
  next.starts = 1;
  next.switched_ms = parts_.clock->NowUnixMs();
  FERRY_TRY(parts_.slots->Write(entry_.package, next));
  parts_.tasks->Use(entry_.package, entry_.version, next.now.release, std::move(runner));
  // It loaded, its probe went well, and it runs: that confirms it. A power cut before this line
  // starts it once more on trial.
  next.trying = false;
  Status confirmed = parts_.slots->Write(entry_.package, next);
  if (!confirmed.ok()) LogWarn("agent", "{}", confirmed.ToString());
  return OkStatus();
}

}  // namespace ferry::agent
