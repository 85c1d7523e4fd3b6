// May this device put this artefact in place? The last decision before an install, pure. An
// attacker who holds every online key can at most choose among the versions that offline keys still
// sign and that are not older than what ran here, and those on the chain of signed fallbacks from
// what runs. Source: Uptane's release counters.
#pragma once

#include <optional>
#include <string>

#include "common/trust/assignment.h"
#include "common/trust/targets.h"

namespace ferry::trust {

inline constexpr int kMaxStepsBack = 64;

// What a device remembers of one package, kept beside the metadata state.
struct Running {
  std::string version;
  Hash plain_sha256{};
  int64_t release_counter = 0;       // of the running version
  std::optional<Fallback> fallback;  // of the running version's entry
  int64_t highest_counter = 0;       // of any version that ever ran here
  bool operator==(const Running&) const = default;
};

Json RunningToJson(const Running& running);
Result<Running> RunningFromJson(const Json& object);

// Checks `path` in `targets` (kNotAuthorizedTarget when offline keys did not sign it) and in
// `assignment` (kNotAuthorizedTarget when it is not assigned to this device), then the order of
// versions: a counter at or above running.highest_counter may be installed, and what runs may be
// put in place again; a lower one only by kRollback, and only along signed fallbacks: to
// running.fallback, to the fallback that the signed entry of that version and hash names, and so
// on, at most kMaxStepsBack steps; anything else is kVersionRollback. A delta whose base does not
// run is kBadDelta. `running` is null when the package is not there yet. Returns the entry,
// borrowed from `targets`.
Result<const TargetEntry*> AuthorizeInstall(const Targets& targets, const Assignment& assignment,
                                            std::string_view path, const Running* running);

// An exclusive file for the version `installing` of its package: signed, assigned, and of exactly
// that package and version.
Result<const TargetEntry*> AuthorizeExclusive(const Targets& targets, const Assignment& assignment,
                                              std::string_view path, const TargetEntry& installing);

// What to remember after `entry` was switched to.
Running AfterInstall(const Running* running, const TargetEntry& entry);

}  // namespace ferry::trust
