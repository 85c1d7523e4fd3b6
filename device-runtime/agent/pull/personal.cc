// Files for this device alone that came after publication: beside the slots, for they belong to no
// version. What is wrong with one is no fault of the package: it is reported without a release, and
// left out.
#include <algorithm>

#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/package/reader.h"
#include "common/trust/documents/personal/personal.h"
#include "device-runtime/agent/pull/install.h"
#include "device-runtime/agent/pull/reports.h"
#include "device-runtime/agent/state/directories.h"

namespace ferry::agent {

PersonalFiles PersonalFilesOf(const Parts& parts, const std::string& package) {
  const trust::TrustedSet* set = parts.trust->set();
  if (set == nullptr || set->targets() == nullptr) return std::nullopt;
  PersonalFiles files(std::in_place);
  if (set->personal() == nullptr) return set->targets()->personal ? std::nullopt : files;
  for (const auto& [path, entry] : set->personal()->entries)
    if (entry.package == package) files->emplace_back(path, entry);
  return files;
}

bool HasPersonal(const Parts& parts, const std::string& package, const Current& current) {
  if (current.personal.empty()) {
    const PersonalFiles files = PersonalFilesOf(parts, package);
    return !files || files->empty();
  }
  return sys::Exists(*parts.fs, parts.slots->PersonalDirectory(package, current.personal));
}

void Install::RefusePersonal(const std::string& path, const Status& why) {
  LogWarn("agent", "{}: {}: {}", parts_.identity->device_id, path, why.ToString());
  parts_.journal->NoteError(why, parts_.clock->NowUnixMs());
  Report report;
  report.step = Step::kFailed;
  report.epoch = want_.assignment.counter;
  report.package = want_.package;
  report.error_code = static_cast<int>(why.code());
  report.error_text = why.message();
  report.time_ms = parts_.clock->NowUnixMs();
  report.by_push = want_.by_push;
  AddReport(parts_, report);
}

// A name of the package stays the package's: the file would never be read.
void Install::RefuseShadowing() {
  const auto package =
      package::Package::OpenFile(*parts_.fs, parts_.slots->PackageFile(want_.package, slot_));
  if (!package.ok()) return;  // it fails where it is loaded
  std::erase_if(personal_left_, [&](const auto& file) {
    if (!package->Has(trust::PersonalName(file.first))) return false;
    RefusePersonal(file.first,
                   Status::Of(Code::kNotAuthorizedTarget, "\"{}\" has the name of a file of {} {}",
                              file.first, want_.package, entry_.version));
    return true;
  });
}

void Install::PlanPersonal() {
  const std::string here = current_ ? current_->personal : "";
  if (!want_.personal) {
    personal_ = here;
    return CheckNeeds();
  }
  personal_left_ = *want_.personal;
  RefuseShadowing();
  std::reverse(personal_left_.begin(), personal_left_.end());
  if (want_.personal->empty()) {
    changed_ = changed_ || !here.empty();
    return CheckNeeds();
  }
  const std::string directory = parts_.slots->PersonalDirectory(want_.package, here);
  const bool same =
      !here.empty() && parts_.slots->FilesIn(directory).size() == personal_left_.size() &&
      std::all_of(personal_left_.begin(), personal_left_.end(), [&](const auto& file) {
        const auto mapped =
            parts_.fs->Map(sys::JoinPath(directory, trust::PersonalName(file.first)));
        return mapped.ok() && crypto::Sha256((*mapped)->bytes()) == file.second.plain_sha256;
      });
  personal_ = same ? here : here == kPersonal ? kOtherPersonal : kPersonal;
  if (same) return CheckNeeds();
  changed_ = true;
  if (Status made = MakeRoomForPersonal(); !made.ok()) return Fail(made);
  FetchNextPersonal();
}

// What was fetched for a set that was begun before stays.
Status Install::MakeRoomForPersonal() {
  const std::string directory = parts_.slots->PersonalDirectory(want_.package, personal_);
  FERRY_TRY(MakeDurableDirectories(*parts_.fs, directory));
  FERRY_ASSIGN_OR_RETURN(const auto names, parts_.fs->List(directory));
  for (const std::string& name : names) {
    const bool wanted =
        std::any_of(personal_left_.begin(), personal_left_.end(),
                    [&](const auto& file) { return trust::PersonalName(file.first) == name; });
    if (!wanted) FERRY_TRY(parts_.fs->RemoveTree(sys::JoinPath(directory, name)));
  }
  return OkStatus();
}

// Whether the file is in place, or could be taken from the set that is in use.
bool Install::TakePersonal(const std::string& name, const trust::TargetEntry& wanted) {
  const std::string place =
      sys::JoinPath(parts_.slots->PersonalDirectory(want_.package, personal_), name);
  const auto holds = [&](const auto& file) {
    return file.ok() && crypto::Sha256((*file)->bytes()) == wanted.plain_sha256;
  };
  if (holds(parts_.fs->Map(place))) return true;
  if (Status gone = parts_.fs->RemoveTree(place); !gone.ok())
    LogWarn("agent", "{}", gone.ToString());
  if (!current_ || current_->personal.empty()) return false;
  const auto used = parts_.fs->Map(
      sys::JoinPath(parts_.slots->PersonalDirectory(want_.package, current_->personal), name));
  return holds(used) && sys::WriteFileAtomically(slot_fs(), place, (*used)->bytes()).ok();
}

void Install::FetchNextPersonal() {
  while (!personal_left_.empty() && TakePersonal(trust::PersonalName(personal_left_.back().first),
                                                 personal_left_.back().second)) {
    personal_left_.pop_back();
  }
  if (personal_left_.empty()) return CheckNeeds();
  const auto [path, wanted] = personal_left_.back();
  personal_left_.pop_back();
  const std::string name = trust::PersonalName(path);
  const std::string directory = parts_.slots->PersonalDirectory(want_.package, personal_);
  const std::string place = sys::JoinPath(directory, name);
  const std::string fresh = sys::JoinPath(directory, "." + name + ".new");
  fetch_ = std::make_unique<Fetch>(
      parts_, Fetch::Want{path, wanted, kPersonalRelease, fresh, "", sealed_},
      alive_.Guard([this](uint64_t bytes) { bytes_pulled_ += bytes; }),
      alive_.Guard([this, path = path, fresh, place, directory](const Status& status) {
        if (IsTransient(status) || status.code() == Code::kDiskFull) return Fail(status);
        if (!status.ok() && asks_.superseded())
          return End(Status(Code::kCancelled, "a newer assignment came"));
        if (status.ok()) {
          Status put = parts_.fs->Rename(fresh, place);
          if (put.ok()) put = parts_.fs->SyncDirectory(directory);
          if (!put.ok()) return Fail(put);
        } else {
          RefusePersonal(path, status);
        }
        FetchNextPersonal();
      }));
  fetch_->Start();
}

// The set that is not used any more.
Status Install::SweepPersonal() {
  for (const char* name : {kPersonal, kOtherPersonal}) {
    if (name == personal_) continue;
    FERRY_TRY(parts_.fs->RemoveTree(parts_.slots->PersonalDirectory(want_.package, name)));
  }
  return OkStatus();
}

}  // namespace ferry::agent
