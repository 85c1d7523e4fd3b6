// Which of the assigned artefacts to take: the other slot, a delta, or the full package.
#include <algorithm>

#include "common/trust/authorize.h"
#include "device-runtime/agent/pull/job.h"

namespace ferry::agent {
namespace {

// The one package that the signed paths are of; "" when none is signed. Paths of two packages are
// refused: one's versions would be compared with what runs of the other.
Result<std::string> PackageOf(const trust::Targets& targets, const trust::Assignment& assignment) {
  std::string package;
  for (const std::string& path : assignment.targets) {
    const auto found = targets.entries.find(path);
    if (found == targets.entries.end()) continue;
    if (package.empty()) package = found->second.package;
    if (package != found->second.package) {
      return Status::Of(Code::kNotAuthorizedTarget, "assignment {} mixes the packages {} and {}",
                        assignment.counter, package, found->second.package);
    }
  }
  return package;
}

}  // namespace

Status Job::Choose() {
  const trust::Targets& targets = *parts_.trust->set()->targets();
  if (assignment_->targets.empty()) {
    return Status::Of(Code::kMalformed, "assignment {} names no target", assignment_->counter);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string package, PackageOf(targets, *assignment_));
  if (!package.empty()) {
    FERRY_ASSIGN_OR_RETURN(current_, parts_.slots->Read(package));
  }
  const trust::Running* running = current_ ? &current_->now.running : nullptr;
  path_.clear();
  exclusive_left_ = assignment_->exclusive;
  std::reverse(exclusive_left_.begin(), exclusive_left_.end());
  // What runs already needs no leave: a power cut may have come between switch and report, or the
  // device went back by itself before it was told to.
  same_version_ = false;
  for (const std::string& path : assignment_->targets) {
    const auto found = targets.entries.find(path);
    if (running == nullptr || found == targets.entries.end()) continue;
    if (found->second.plain_sha256 != running->plain_sha256) continue;
    same_version_ = true;
    entry_ = found->second;
    slot_ = current_->now.slot;
    return OkStatus();
  }
  Status refused;
  for (const std::string& path : assignment_->targets) {
    auto entry = trust::AuthorizeInstall(targets, *assignment_, path, running);
    if (!entry.ok()) {
      // A delta from a version that does not run here is no error when the full package is allowed.
      if (refused.ok() || refused.code() == Code::kBadDelta) refused = entry.status();
      continue;
    }
    const bool is_delta = (*entry)->kind == trust::ArtefactKind::kDelta;
    if ((is_delta && without_deltas_) || (*entry)->kind == trust::ArtefactKind::kExclusive)
      continue;
    if (path_.empty() || (*entry)->length < entry_.length) {
      path_ = path;
      entry_ = **entry;
    }
  }
  if (path_.empty()) {
    return refused.ok() ? Status::Of(Code::kNotAuthorizedTarget,
                                     "assignment {} names nothing that can be installed",
                                     assignment_->counter)
                        : refused;
  }
  slot_ = Slots::Spare(current_);
  if (TakeFromOtherSlot()) path_.clear();
  return OkStatus();
}

bool Job::TakeFromOtherSlot() {
  return current_ && current_->before &&
         current_->before->running.plain_sha256 == entry_.plain_sha256 &&
         parts_.slots->Holds(entry_.package, slot_, entry_.plain_sha256);
}

}  // namespace ferry::agent
