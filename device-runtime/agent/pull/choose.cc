// Which of the assigned artefacts to take: the other slot, a delta, or the full package.
#include <algorithm>

#include "common/base/json.h"
#include "common/trust/authorize.h"
#include "device-runtime/agent/pull/install.h"
#include "device-runtime/agent/state/recover.h"
#include "policy/requires/requires.h"

namespace ferry::agent {

Status Install::CheckAtRest() {
  const trust::TargetMap& entries = parts_.trust->set()->targets()->entries;
  const auto full = entries.find(trust::FullPath(want_.package, want_.wish.version));
  if (full == entries.end()) return OkStatus();  // what cannot be installed is refused elsewhere
  const auto needs = requires_::RequiresFromText(full->second.requires_json);
  // One with requirements of a newer runtime says so where the package is checked.
  sealed_ = needs.ok() && needs->at_rest;
  if (!sealed_ || (parts_.at_rest != nullptr && parts_.at_rest->has_key())) return OkStatus();
  return Status::Of(Code::kUnsupported,
                    "{} {} requires at_rest sealed, and this device was given no key for it",
                    want_.package, want_.wish.version);
}

Status Install::Choose() {
  FERRY_TRY(CheckAtRest());
  const trust::Targets& targets = *parts_.trust->set()->targets();
  auto current = parts_.slots->Read(want_.package);
  // What is damaged beyond use is installed again.
  if (!current.ok() && current.code() != Code::kCorruptContent) return current.status();
  current_ = current.ok() ? *current : std::nullopt;
  if (!current_) {
    FERRY_ASSIGN_OR_RETURN(removed_, parts_.slots->Removed(want_.package));
    if (!removed_) removed_ = HighestThatRan(parts_, want_.package);
  }
  const trust::Running* running = current_ ? &current_->now.running : nullptr;
  path_.clear();
  // What runs already needs no leave: a power cut may have come between switch and report, or the
  // device went back by itself before it was told to.
  same_version_ = false;
  for (const std::string& path : want_.wish.targets) {
    const auto found = targets.entries.find(path);
    if (running == nullptr || found == targets.entries.end()) continue;
    if (found->second.package != want_.package) continue;
    if (found->second.plain_sha256 != running->plain_sha256) continue;
    if (parts_.slots->damaged().contains(want_.package)) continue;
    if (!sys::Exists(*parts_.fs, parts_.slots->PackageFile(want_.package, current_->now.slot))) {
      parts_.slots->damaged().insert(want_.package);
      continue;
    }
    same_version_ = true;
    entry_ = found->second;
    slot_ = current_->now.slot;
    return OkStatus();
  }
  FERRY_TRY(CheckOrder());
  slot_ = Slots::Spare(current_);
  if (TakeFromOtherSlot()) path_.clear();
  return OkStatus();
}

// The smallest artefact that may be installed over what runs.
Status Install::CheckOrder() {
  const trust::Targets& targets = *parts_.trust->set()->targets();
  trust::Assignment assignment = want_.assignment;
  const trust::Running* base = current_ ? &current_->now.running : nullptr;
  const trust::Running* order = base;
  if (order == nullptr && removed_) {
    // A package that was taken away comes back as it was, newer, or on its signed way back.
    order = &*removed_;
    assignment.action = trust::Action::kRollback;
  }
  Status refused;
  for (const std::string& path : want_.wish.targets) {
    auto entry = trust::AuthorizeInstall(targets, assignment, path, order);
    if (entry.ok() && (*entry)->package != want_.package)
      entry = Status::Of(Code::kNotAuthorizedTarget, "\"{}\" is no artefact of the package {}",
                         path, want_.package);
    if (entry.ok() && (*entry)->kind == trust::ArtefactKind::kDelta && base == nullptr)
      entry = Status::Of(Code::kBadDelta, "\"{}\" needs its base, which is not here", path);
    if (!entry.ok()) {
      // A delta from a version that does not run here is no error when the full package is allowed.
      if (refused.ok() || refused.code() == Code::kBadDelta) refused = entry.status();
      continue;
    }
    const bool is_delta = (*entry)->kind == trust::ArtefactKind::kDelta;
    if ((is_delta && without_deltas_) || (*entry)->kind == trust::ArtefactKind::kExclusive)
      continue;
    if ((*entry)->version != want_.wish.version) continue;
    if (path_.empty() || (*entry)->length < entry_.length) {
      path_ = path;
      entry_ = **entry;
    }
  }
  if (!path_.empty()) {
    ConsiderMade(base);
    return OkStatus();
  }
  return refused.ok() ? Status::Of(Code::kNotAuthorizedTarget,
                                   "assignment {} names nothing of {} {} that can be installed",
                                   assignment.counter, want_.package, want_.wish.version)
                      : refused;
}

// A delta that the server made counts only beside the full package, which offline keys signed and
// CheckOrder allowed: what comes out of it has to be that.
void Install::ConsiderMade(const trust::Running* base) {
  made_ = false;
  if (!want_.wish.made || without_made_ || without_deltas_ || base == nullptr) return;
  const trust::MadeDelta& made = *want_.wish.made;
  if (made.base_sha256 != base->plain_sha256 || made.length >= entry_.length) return;
  const std::string full = trust::FullPath(want_.package, want_.wish.version);
  const auto signed_full = parts_.trust->set()->targets()->entries.find(full);
  if (signed_full == parts_.trust->set()->targets()->entries.end()) return;
  if (!trust::AuthorizeInstall(*parts_.trust->set()->targets(), want_.assignment, full, base).ok())
    return;
  made_ = true;
  path_ = trust::MadeDeltaPath(want_.package, want_.wish.version, made.base_version);
  entry_ = trust::MadeEntryOf(signed_full->second, made);
}

bool Install::TakeFromOtherSlot() {
  const auto info = parts_.fs->Stat(parts_.slots->PackageFile(want_.package, slot_));
  return info.ok() && info->size == entry_.plain_length &&
         parts_.slots->Holds(want_.package, slot_, entry_.plain_sha256);
}

std::optional<trust::Running> HighestThatRan(const Parts& parts, const std::string& package) {
  std::vector<std::string> ran;
  for (const Json& entry : parts.journal->VersionsOf(package))
    ran.push_back(GetStringOr(entry, "version", "").value_or(""));
  return HighestOf(package, ran, parts.trust->set() ? parts.trust->set()->targets() : nullptr);
}

bool IsThere(const Parts& parts, const std::string& package, const trust::DesiredPackage& wish) {
  const auto current = parts.slots->Read(package);
  if (!current.ok()) return false;
  if (wish.state == trust::DesiredState::kAbsent) return !*current;
  if (!*current || (*current)->now.running.version != wish.version) return false;
  if ((*current)->disabled != (wish.state == trust::DesiredState::kDisabled)) return false;
  if (parts.slots->damaged().contains(package)) return false;
  const Installed& now = (*current)->now;
  if (!sys::Exists(*parts.fs, parts.slots->PackageFile(package, now.slot))) return false;
  if (!HasPersonal(parts, package, **current)) return false;
  // The files of a version to go back to are those that it had.
  if (wish.back && wish.files.empty()) return true;
  std::vector<std::string> names;
  for (const std::string& path : wish.files) names.push_back(path.substr(path.rfind('/') + 1));
  std::sort(names.begin(), names.end());
  return names == parts.slots->FilesIn(parts.slots->FilesDirectory(package, now));
}

}  // namespace ferry::agent
