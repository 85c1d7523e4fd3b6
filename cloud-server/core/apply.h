// The decisions of a rollout: apply(rows, command, now) -> changes. Pure: no I/O, no clock, no
// memory of its own. Gates are those of policy/gate.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cloud-server/core/rows.h"
#include "policy/gate/gate.h"
#include "policy/stage/plan.h"

namespace ferry::server {

// All that a decision about one release may look at. DeviceReport needs the reporting device's
// member, device and assignment only (all members when it stops the release: the caller then sends
// a Tick); the other commands need every device of the tenant.
struct ReleaseRows {
  ReleaseRow release;
  std::vector<StageRow> stages;  // by index, one for each of the plan
  std::vector<ExclusiveRow> exclusive;
  std::vector<MemberRow> members;
  std::vector<SliceRow> slices;
  std::vector<DeviceRow> devices;
  std::vector<AssignmentRow> assignments;  // at most one a device
  std::set<std::string> listening;         // devices whose line is open now
  std::set<std::string> newer;       // devices that a newer release of the same package has reached
  std::vector<std::string> targets;  // paths: full first, then deltas
  std::vector<std::string> fallback_targets;  // paths of the fallback version
  int64_t next_event_seq = 1;
};

namespace command {
struct Start {
  std::string by;
};
// The packaged task ran on its recorded cases.
struct SimulationResult {
  bool passed = false;
  std::string text;                 // the first case that went wrong, or a summary
  std::string numbers_json = "{}";  // {"cases":..,"failed":..,"millis":..}
};
// One new report of a device about this release.
struct DeviceReport {
  ReportRow report;
};
// Time passed, or a device joined or changed: takes in devices, looks at silence and gates.
struct Tick {
  // Since when devices could have spoken without a break: a start of the server, its suspension or
  // a step of its clock begin it anew, and silence from before it is no evidence. 0: for ever.
  int64_t hearing_since_ms = 0;
};
struct Pause {
  std::string by;
  std::string why;
};
struct Resume {
  std::string by;
};
struct Rollback {
  std::string by;
  std::string why;
};
// A newer release of the package is complete.
struct Supersede {
  std::string by_release;
};
}  // namespace command

using Command =
    std::variant<command::Start, command::SimulationResult, command::DeviceReport, command::Tick,
                 command::Pause, command::Resume, command::Rollback, command::Supersede>;

// What to write, all in one transaction, and what to do after it.
struct Changes {
  std::optional<ReleaseRow> release;  // row_version as read: the store checks and raises it
  std::vector<StageRow> stages;
  std::vector<MemberRow> members;
  std::vector<SliceRow> slices;
  std::vector<AssignmentRow> assignments;
  std::vector<EventRow> events;
  std::vector<std::string> wake;  // devices with a new assignment
  bool run_simulation = false;    // after commit
  bool completed = false;         // supersede older releases of the package
  bool empty() const;
};

// kFailedPrecondition when the release's state does not allow the command (names both); kBadRule
// when a stored rule does not parse. A report that says nothing new gives empty changes.
Result<Changes> Apply(const ReleaseRows& rows, const Command& command, int64_t now_ms);

// A device that confirmed, and of which nothing was heard for so long, is evidence against the
// version where the stage names no report_timeout_ms. Longer than the longest wait between two
// polls of a device without push (nine hours).
inline constexpr int64_t kDarkMs = 12 * int64_t{3'600'000};
inline constexpr size_t kMaxExclusive = 256;
inline constexpr size_t kMaxErrorTextBytes = 2000;  // of one report, kept
inline constexpr size_t kMaxSaltBytes = 128;

// Checks a release before it is stored: plan and settings parse and fit (policy/stage,
// policy/gate), the salt is in range. Errors name the stage or the member.
Status CheckRelease(const ReleaseRow& release);
// The parsed plan and settings of a release.
Result<stage::Plan> PlanOf(const ReleaseRow& release);
Result<gate::Settings> SettingsOf(const ReleaseRow& release);

// What rules see of a device.
target::Attributes AttributesOf(const DeviceRow& device);

// The gate's numbers of one slice, for the console and for event rows.
struct GateNumbers {
  std::string slice;
  int64_t failed = 0;  // overdue ones included
  int64_t healthy = 0;
  int64_t pending = 0;
  double evidence = 1;   // the e-process
  double threshold = 0;  // 1 / alpha: at or above, the release stops
  bool stop = false;
};
Result<std::vector<GateNumbers>> GatesOf(const ReleaseRow& release,
                                         const std::vector<SliceRow>& slices);

// Why `device` has the package of this release or not, in one sentence for people. `member` may be
// null.
struct Why {
  bool matches_rule = false;
  bool assigned = false;
  std::string text;
};
Result<Why> Explain(const ReleaseRow& release, const DeviceRow& device, const MemberRow* member);

}  // namespace ferry::server
