#include "common/trust/authorize.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/trust/documents/header.h"

namespace ferry::trust {
namespace {

Result<const TargetEntry*> FindEntry(const Targets& targets, const Assignment& assignment,
                                     const std::vector<std::string>& assigned,
                                     std::string_view path) {
  const auto found = targets.entries.find(path);
  if (found == targets.entries.end()) {
    return Status::Of(Code::kNotAuthorizedTarget,
                      "\"{}\" is not in targets version {}: offline keys did not sign it", path,
                      targets.version);
  }
  if (std::find(assigned.begin(), assigned.end(), path) == assigned.end()) {
    return Status::Of(Code::kNotAuthorizedTarget,
                      "\"{}\" is not assigned to this device (assignment {})", path,
                      assignment.counter);
  }
  return &found->second;
}

// Whether a chain of signed fallbacks leads from what runs to `entry`: the fallback of the running
// version, that of the entry which is signed for it, and so on. `chain` gets the versions on it.
bool IsOnWayBack(const Targets& targets, const TargetEntry& entry, const Running& running,
                 std::string* chain) {
  const std::optional<Fallback>* step = &running.fallback;
  for (int i = 0; *step && i < kMaxStepsBack; ++i) {
    const Fallback& to = **step;
    *chain += (chain->empty() ? "" : ", ") + to.version;
    if (to.version == entry.version && to.plain_sha256 == entry.plain_sha256) return true;
    const auto next = targets.entries.find(FullPath(entry.package, to.version));
    if (next == targets.entries.end() || next->second.plain_sha256 != to.plain_sha256) return false;
    step = &next->second.fallback;
  }
  return false;
}

// A version below the highest that ever ran here: only the signed way back is open.
Status CheckStepBack(const Targets& targets, const TargetEntry& entry, const Assignment& assignment,
                     const Running& running) {
  const auto refuse = [&](std::string_view why) {
    return Status::Of(Code::kVersionRollback,
                      "rollback attack refused: {} {} (release counter {}) after counter {}: {}",
                      entry.package, entry.version, entry.release_counter, running.highest_counter,
                      why);
  };
  // What is there already goes no step.
  if (running.version == entry.version && running.plain_sha256 == entry.plain_sha256)
    return OkStatus();
  if (assignment.action != Action::kRollback) return refuse("the assignment is no rollback");
  if (!running.fallback) {
    return refuse(fmt::format("version {} names no fallback", running.version));
  }
  std::string chain;
  if (IsOnWayBack(targets, entry, running, &chain)) return OkStatus();
  return refuse(fmt::format("the signed fallbacks of version {} are {}", running.version, chain));
}

}  // namespace

Json RunningToJson(const Running& running) {
  Json out = {{"version", running.version},
              {"plain_sha256", ToHex(running.plain_sha256)},
              {"release_counter", running.release_counter},
              {"highest_counter", running.highest_counter}};
  if (running.fallback) {
    out["fallback"] = {{"version", running.fallback->version},
                       {"plain_sha256", ToHex(running.fallback->plain_sha256)}};
  }
  return out;
}

Result<Running> RunningFromJson(const Json& object) {
  Running out;
  FERRY_ASSIGN_OR_RETURN(out.version, GetString(object, "version"));
  FERRY_ASSIGN_OR_RETURN(out.plain_sha256, GetHash32(object, "plain_sha256"));
  FERRY_ASSIGN_OR_RETURN(out.release_counter, GetIntIn(object, "release_counter", 1, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(out.highest_counter,
                         GetIntIn(object, "highest_counter", out.release_counter, kMaxVersion));
  FERRY_ASSIGN_OR_RETURN(const Json* fallback, GetObjectOrNull(object, "fallback"));
  if (fallback != nullptr) {
    Fallback back;
    FERRY_ASSIGN_OR_RETURN(back.version, GetString(*fallback, "version"));
    FERRY_ASSIGN_OR_RETURN(back.plain_sha256, GetHash32(*fallback, "plain_sha256"));
    out.fallback = std::move(back);
  }
  return out;
}

Result<const TargetEntry*> AuthorizeInstall(const Targets& targets, const Assignment& assignment,
                                            std::string_view path, const Running* running) {
  FERRY_ASSIGN_OR_RETURN(const TargetEntry* entry,
                         FindEntry(targets, assignment, assignment.targets, path));
  if (assignment.action == Action::kNone || entry->kind == ArtefactKind::kExclusive) {
    return Status::Of(Code::kNotAuthorizedTarget, "assignment {} does not install \"{}\"",
                      assignment.counter, path);
  }
  if (entry->kind == ArtefactKind::kDelta &&
      (running == nullptr || running->plain_sha256 != entry->base_sha256)) {
    return Status::Of(Code::kBadDelta, "\"{}\" needs version {} of {} running, which it is not",
                      path, entry->base_version.value_or(""), entry->package);
  }
  if (running != nullptr && entry->release_counter < running->highest_counter) {
    FERRY_TRY(CheckStepBack(targets, *entry, assignment, *running));
  }
  return entry;
}

Result<const TargetEntry*> AuthorizeExclusive(const Targets& targets, const Assignment& assignment,
                                              std::string_view path,
                                              const TargetEntry& installing) {
  FERRY_ASSIGN_OR_RETURN(const TargetEntry* entry,
                         FindEntry(targets, assignment, assignment.exclusive, path));
  if (entry->kind != ArtefactKind::kExclusive || entry->package != installing.package ||
      entry->version != installing.version) {
    return Status::Of(Code::kNotAuthorizedTarget, "\"{}\" is no exclusive file of {} {}", path,
                      installing.package, installing.version);
  }
  return entry;
}

Running AfterInstall(const Running* running, const TargetEntry& entry) {
  Running out;
  out.version = entry.version;
  out.plain_sha256 = entry.plain_sha256;
  out.release_counter = entry.release_counter;
  out.fallback = entry.fallback;
  out.highest_counter =
      std::max(entry.release_counter, running == nullptr ? 0 : running->highest_counter);
  return out;
}

}  // namespace ferry::trust
