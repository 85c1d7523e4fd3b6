#include "device-runtime/agent/pull/install.h"

#include "common/base/log.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "device-runtime/agent/line/messages.h"
#include "device-runtime/agent/pull/reports.h"
#include "policy/requires/requires.h"

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
  const auto fits = requires_::RuntimeFits(least, kRuntimeVersion);
  if (!fits.ok()) {
    return Status::Of(Code::kBadPackage, "requires.runtime \"{}\" is no range of versions", least);
  }
  if (!*fits) {
    return Status::Of(Code::kUnsupported, "{} {} needs runtime {}, this is {}", manifest.name,
                      manifest.version, least, kRuntimeVersion);
  }
  return package.VerifyFiles();  // reads back what was written
}

}  // namespace

Install::Install(const Parts& parts, Want want, Asks asks)
    : parts_(parts), want_(std::move(want)), asks_(std::move(asks)) {
  entry_.package = want_.package;
  entry_.version = want_.wish.version;
}

void Install::Start() {
  if (Wants(trust::DesiredState::kAbsent)) return RemovePackage();
  if (Status chosen = Choose(); !chosen.ok()) return Fail(chosen);
  if (path_.empty()) return PlanFiles();
  FetchPackage();
}

void Install::ReportStep(Step step, const Status& error, const std::string& remark) {
  Report report;
  report.step = step;
  report.release = want_.wish.release;
  report.epoch = want_.assignment.counter;
  report.package = want_.package;
  report.version = entry_.version;
  report.error_code = static_cast<int>(error.code());
  report.error_text = error.ok() ? remark : error.message();
  report.time_ms = parts_.clock->NowUnixMs();
  report.bytes_pulled = bytes_pulled_;
  report.was_delta = entry_.kind == trust::ArtefactKind::kDelta;
  report.by_push = want_.by_push;
  if (current_) report.previous_version = current_->now.running.version;
  AddReport(parts_, report);
}

void Install::Fail(const Status& error) {
  parts_.journal->NoteError(error, parts_.clock->NowUnixMs());
  // What the server no longer wants it no longer gives keys and content for.
  if (asks_.superseded()) return End(Status(Code::kCancelled, "a newer assignment came"));
  if (IsTransient(error)) return End(error);  // tried again; silence is the server's to judge
  LogWarn("agent", "{}: {} {} {}: {}", parts_.identity->device_id, want_.assignment.counter,
          want_.package, want_.wish.version, error.ToString());
  if (want_.reported_code != static_cast<int>(error.code())) ReportStep(Step::kFailed, error);
  End(error);
}

void Install::End(const Status& status) {
  const auto on_end = std::move(asks_.on_end);
  on_end(status);
}

void Install::FetchPackage() {
  Fetch::Want want{path_,
                   entry_,
                   want_.wish.release,
                   sys::JoinPath(parts_.slots->SlotDirectory(entry_.package, slot_), kNewPackage),
                   "",
                   sealed_};
  if (entry_.kind == trust::ArtefactKind::kDelta) {
    want.base = parts_.slots->PackageFile(entry_.package, current_->now.slot);
  }
  changed_ = true;
  fetch_ =
      std::make_unique<Fetch>(parts_, std::move(want), alive_.Guard([this](uint64_t bytes) {
        bytes_pulled_ += bytes;
        // No error: the file is right, and came from elsewhere.
        ReportStep(Step::kPulled, Status(), fetch_->AboutMirrors());
      }),
                              alive_.Guard([this](const Status& status) { OnOpened(status); }));
  fetch_->Start();
}

// What no offline key signed the way it travels may be wrong or gone without being evidence against
// the version: whatever is the matter with it, there are the signed artefacts.
bool Install::GoesOnWithoutMade(const Status& status) const {
  return made_ && !status.ok() && !IsTransient(status) && status.code() != Code::kDiskFull;
}

void Install::OnOpened(const Status& status) {
  if (GoesOnWithoutMade(status)) {
    LogWarn("agent", "{}; taking what was signed", status.message());
    without_made_ = true;
    if (Status chosen = Choose(); !chosen.ok()) return Fail(chosen);
    return path_.empty() ? PlanFiles() : FetchPackage();
  }
  if (status.code() == Code::kBadDelta && !without_deltas_) {
    LogWarn("agent", "{}; taking the full package", status.message());
    without_deltas_ = true;
    if (Status chosen = Choose(); !chosen.ok()) return Fail(chosen);
    return path_.empty() ? PlanFiles() : FetchPackage();
  }
  if (!status.ok()) return Fail(status);
  ReportStep(Step::kVerified);
  if (Status put = PutIntoSlot(); !put.ok()) return Fail(put);
  ReportStep(Step::kInstalled);
  PlanFiles();
}

Status Install::PutIntoSlot() {
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

}  // namespace ferry::agent
