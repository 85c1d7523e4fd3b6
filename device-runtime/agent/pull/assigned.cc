#include "device-runtime/agent/pull/assigned.h"

namespace ferry::agent {

Result<trust::Desired> DesiredOf(const trust::Targets& targets,
                                 const trust::Assignment& assignment) {
  trust::Desired out;
  out.device = assignment.device;
  out.counter = assignment.counter;
  out.expires_ms = assignment.expires_ms;
  if (assignment.action == trust::Action::kNone) return out;
  if (assignment.targets.empty()) {
    return Status::Of(Code::kMalformed, "assignment {} names no target", assignment.counter);
  }
  const trust::TargetEntry* first = nullptr;
  for (const std::string& path : assignment.targets) {
    const auto found = targets.entries.find(path);
    if (found == targets.entries.end()) continue;
    if (first == nullptr) first = &found->second;
    if (first->package == found->second.package) continue;
    return Status::Of(Code::kNotAuthorizedTarget, "assignment {} mixes the packages {} and {}",
                      assignment.counter, first->package, found->second.package);
  }
  if (first == nullptr) {
    return Status::Of(Code::kNotAuthorizedTarget,
                      "\"{}\" is not in targets version {}: offline keys did not sign it",
                      assignment.targets.front(), targets.version);
  }
  trust::DesiredPackage& package = out.packages[first->package];
  package.version = first->version;
  package.release = assignment.release;
  package.attempt = assignment.counter;
  package.back = assignment.action == trust::Action::kRollback;
  package.targets = assignment.targets;
  package.files = assignment.exclusive;
  return out;
}

}  // namespace ferry::agent
