// Exclusive files of a slot, and packages that are taken away.
#include <algorithm>

#include "common/base/json.h"
#include "device-runtime/agent/state/directories.h"
#include "device-runtime/agent/state/slots.h"

namespace ferry::agent {
namespace {

constexpr uint64_t kMaxRemovedBytes = 16 << 10;
constexpr char kRemovedFile[] = "removed";

Result<trust::Running> RemovedFromText(ByteView text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)));
  return trust::RunningFromJson(json);
}

Status CheckRemoved(ByteView text) {
  return RemovedFromText(text).status();
}

}  // namespace

std::string Slots::FilesDirectory(const std::string& package, const Installed& one) const {
  if (one.files.empty()) return "";
  return sys::JoinPath(SlotDirectory(package, one.slot), one.files);
}

std::string Slots::PersonalDirectory(const std::string& package, const std::string& name) const {
  return name.empty() ? "" : sys::JoinPath(Home(package), name);
}

task::OwnDirectories Slots::OwnDirectories(const std::string& package, const Installed& one,
                                           const std::string& personal) const {
  return {FilesDirectory(package, one), PersonalDirectory(package, personal)};
}

std::vector<std::string> Slots::FilesIn(const std::string& directory) const {
  if (directory.empty()) return {};
  std::vector<std::string> names = fs_->List(directory).value_or({});
  std::erase_if(names, [](const std::string& name) { return name.starts_with('.'); });
  return names;
}

Status Slots::MoveOldFiles(const std::string& package, Current* current) const {
  const std::string old = sys::JoinPath(sys::JoinPath(directory_, "exclusive"), package);
  if (!current->now.files.empty() || !sys::Exists(*fs_, old)) return OkStatus();
  const std::string place = sys::JoinPath(SlotDirectory(package, current->now.slot), kFiles);
  FERRY_TRY(MakeDurableDirectories(*fs_, place));
  for (const std::string& name : FilesIn(old)) {
    FERRY_TRY(fs_->Rename(sys::JoinPath(old, name), sys::JoinPath(place, name)));
  }
  FERRY_TRY(fs_->SyncDirectory(place));
  current->now.files = kFiles;
  FERRY_TRY(Write(package, *current));
  return fs_->RemoveTree(old);
}

TwinFile Slots::RemovedFile(const std::string& package) const {
  return {*fs_, sys::JoinPath(Home(package), kRemovedFile)};
}

Result<std::optional<trust::Running>> Slots::Removed(const std::string& package) const {
  TwinFile file = RemovedFile(package);
  const auto body = file.Read(kMaxRemovedBytes, CheckRemoved);
  if (body.code() == Code::kNotFound) return std::optional<trust::Running>();
  if (!body.ok()) return body.status();
  FERRY_ASSIGN_OR_RETURN(trust::Running ran, RemovedFromText(*body));
  return std::optional<trust::Running>(std::move(ran));
}

Status Slots::Remove(const std::string& package, const std::optional<trust::Running>& ran) const {
  // What is remembered comes first: without `current` nothing else holds the counters.
  TwinFile file = RemovedFile(package);
  const auto before = file.Read(kMaxRemovedBytes, CheckRemoved);
  if (!before.ok() && before.code() != Code::kNotFound && before.code() != Code::kCorruptContent) {
    return before.status();
  }
  trust::Running last;
  last.release_counter = last.highest_counter = 1;  // of every version that there may be
  FERRY_TRY(file.Write(AsBytes(WriteJsonPretty(trust::RunningToJson(ran.value_or(last))))));
  return RemoveAll(package);
}

Status Slots::RemoveAll(const std::string& package) const {
  const std::string home = Home(package);
  FERRY_ASSIGN_OR_RETURN(const auto names, fs_->List(home));
  // `current` sorts before its second copy; with one of the two left the package is installed.
  for (const bool slots : {false, true}) {
    for (const std::string& name : names) {
      if (name.starts_with(kRemovedFile) || slots != (name == "a" || name == "b")) continue;
      FERRY_TRY(fs_->RemoveTree(sys::JoinPath(home, name)));
    }
    FERRY_TRY(fs_->SyncDirectory(home));
  }
  return OkStatus();
}

Status Slots::ForgetRemoval(const std::string& package) const {
  const std::string path = sys::JoinPath(Home(package), kRemovedFile);
  FERRY_TRY(fs_->RemoveTree(path));
  return fs_->RemoveTree(path + kSecondCopy);
}

Status Slots::FinishRemovals() const {
  const std::string root = sys::JoinPath(directory_, "packages");
  FERRY_ASSIGN_OR_RETURN(const auto installed, Packages());
  for (const std::string& package : fs_->List(root).value_or({})) {
    if (std::binary_search(installed.begin(), installed.end(), package)) continue;
    if (!TwinExists(*fs_, sys::JoinPath(Home(package), kRemovedFile))) continue;
    FERRY_TRY(RemoveAll(package));
  }
  return OkStatus();
}

}  // namespace ferry::agent
