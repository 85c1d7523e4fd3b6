// What became of a package's wish in the desired state: kept in the journal, so that what failed
// for good is not tried again after a restart and what went well is reported once.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/trust/desired.h"

namespace ferry::trust {
struct TargetEntry;
struct Targets;
}  // namespace ferry::trust

namespace ferry::agent {

enum class Progress {
  kPending,    // worked at, or to be
  kWaiting,    // an error that may pass: the line, the server, room on the disk
  kConfirmed,  // as wanted
  kFailed,     // for good, until the wish changes
};
std::string_view NameOf(Progress progress);

struct Outcome {
  trust::DesiredState state = trust::DesiredState::kRun;
  std::string version;
  std::string release;
  int64_t attempt = 0;
  bool back = false;
  std::string digest;  // of the whole wish, with the hashes of files for this device
  Progress progress = Progress::kPending;
  bool confirmed_once = false;  // it was reported as such, whatever came after
  int error_code = 0;           // of the last end; 0: it went well, or nothing ended yet
  std::string error_text;
  bool operator==(const Outcome&) const = default;
};

// An outcome of this wish, with nothing done.
Outcome PendingOf(const trust::DesiredPackage& wish, const trust::Targets* targets);
// The wish is also about these personal files.
void AddPersonal(const std::vector<std::pair<std::string, trust::TargetEntry>>& files,
                 Outcome* outcome);
// Whether `outcome` is one of this wish: state, version, release and attempt are the same. What
// failed then fails again.
bool IsOf(const Outcome& outcome, const Outcome& wish);

Json ToJson(const Outcome& outcome);
Result<Outcome> OutcomeFromJson(const Json& json);

}  // namespace ferry::agent
