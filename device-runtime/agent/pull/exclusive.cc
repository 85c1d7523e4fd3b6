// The files for this device alone: into the slot of the version that they belong to. The set that
// runs is never changed: another one is made beside it and switched to.
#include <algorithm>

#include "common/base/log.h"
#include "common/crypto/hash.h"
#include "common/trust/authorize.h"
#include "device-runtime/agent/pull/install.h"
#include "device-runtime/agent/state/directories.h"

namespace ferry::agent {
namespace {

std::string NameOfFile(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

bool Install::HasFiles(const std::string& directory) const {
  const auto names = parts_.slots->FilesIn(directory);
  if (names.size() != files_left_.size()) return false;
  return std::all_of(files_left_.begin(), files_left_.end(), [&](const auto& file) {
    const auto mapped = parts_.fs->Map(sys::JoinPath(directory, NameOfFile(file.first)));
    return mapped.ok() && crypto::Sha256((*mapped)->bytes()) == file.second.plain_sha256;
  });
}

void Install::PlanFiles() {
  const trust::Targets& targets = *parts_.trust->set()->targets();
  files_left_.clear();
  for (const std::string& path : want_.wish.files) {
    auto entry = trust::AuthorizeExclusive(targets, want_.assignment, path, entry_);
    if (!entry.ok()) return Fail(entry.status());
    files_left_.emplace_back(path, **entry);
  }
  std::reverse(files_left_.begin(), files_left_.end());
  // What the slot has of this version already.
  const Installed* here = nullptr;
  if (current_ && same_version_) here = &current_->now;
  if (current_ && current_->before && path_.empty() && !same_version_ &&
      current_->before->running.plain_sha256 == entry_.plain_sha256)
    here = &*current_->before;
  const bool keep = here != nullptr && want_.wish.back && want_.wish.files.empty();
  if (here != nullptr && (keep || HasFiles(parts_.slots->FilesDirectory(want_.package, *here)))) {
    files_ = here->files;
    files_left_.clear();
    return PlanPersonal();
  }
  files_ = same_version_ && current_->now.files == kFiles ? kOtherFiles : kFiles;
  if (Status made = MakeRoomForFiles(); !made.ok()) return Fail(made);
  if (files_left_.empty()) files_.clear();
  changed_ = true;
  FetchNextFile();
}

// Files of another version, or of a set that was begun before, go.
Status Install::MakeRoomForFiles() {
  const std::string slot = parts_.slots->SlotDirectory(want_.package, slot_);
  const std::string directory = sys::JoinPath(slot, files_);
  if (!same_version_) FERRY_TRY(parts_.fs->RemoveTree(sys::JoinPath(slot, kOtherFiles)));
  if (files_left_.empty()) return parts_.fs->RemoveTree(directory);
  FERRY_TRY(MakeDurableDirectories(*parts_.fs, directory));
  FERRY_ASSIGN_OR_RETURN(const auto names, parts_.fs->List(directory));
  for (const std::string& name : names) {
    const bool wanted = std::any_of(files_left_.begin(), files_left_.end(), [&](const auto& file) {
      return NameOfFile(file.first) == name;
    });
    if (!wanted) FERRY_TRY(parts_.fs->RemoveTree(sys::JoinPath(directory, name)));
  }
  return OkStatus();
}

// Whether the file is in place, or could be taken from the set that runs.
bool Install::TakeFile(const std::string& name, const trust::TargetEntry& wanted) {
  const std::string slot = parts_.slots->SlotDirectory(want_.package, slot_);
  const std::string place = sys::JoinPath(sys::JoinPath(slot, files_), name);
  const auto holds = [&](const auto& file) {
    return file.ok() && crypto::Sha256((*file)->bytes()) == wanted.plain_sha256;
  };
  if (holds(parts_.fs->Map(place))) return true;
  if (!same_version_ || current_->now.files.empty()) return false;
  const auto running = parts_.fs->Map(
      sys::JoinPath(parts_.slots->FilesDirectory(want_.package, current_->now), name));
  return holds(running) && sys::WriteFileAtomically(slot_fs(), place, (*running)->bytes()).ok();
}

void Install::FetchNextFile() {
  while (!files_left_.empty() &&
         TakeFile(NameOfFile(files_left_.back().first), files_left_.back().second)) {
    files_left_.pop_back();
  }
  if (files_left_.empty()) return PlanPersonal();
  const auto [path, wanted] = files_left_.back();
  files_left_.pop_back();
  const std::string name = NameOfFile(path);
  const std::string directory =
      sys::JoinPath(parts_.slots->SlotDirectory(want_.package, slot_), files_);
  const std::string place = sys::JoinPath(directory, name);
  const std::string fresh = sys::JoinPath(directory, "." + name + ".new");
  fetch_ = std::make_unique<Fetch>(
      parts_, Fetch::Want{path, wanted, want_.wish.release, fresh, "", sealed_},
      alive_.Guard([this](uint64_t bytes) { bytes_pulled_ += bytes; }),
      alive_.Guard([this, fresh, place, directory](const Status& status) {
        if (!status.ok()) return Fail(status);
        Status put = parts_.fs->Rename(fresh, place);
        if (put.ok()) put = parts_.fs->SyncDirectory(directory);
        if (!put.ok()) return Fail(put);
        FetchNextFile();
      }));
  fetch_->Start();
}

}  // namespace ferry::agent
