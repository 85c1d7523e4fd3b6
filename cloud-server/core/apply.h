// The decisions of a rollout: apply(rows, command, now) -> changes. Pure: no I/O, no clock, no
// memory of its own. Gates are those of policy/gate.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cloud-server/core/rows.h"
#include "policy/gate/gate.h"
#include "policy/stage/plan.h"

namespace ferry::server {

// All that a decision about one release may look at.
struct ReleaseRows {
  ReleaseRow release;
  std::vector<StageRow> stages;  // by index, one for each of the plan
  Tallies tallies;
  Measured measured;
  // A report: the reporting device's. A tick: those that may be due (who confirmed, who fell
  // silent), some at a time. Other commands: none.
  std::vector<MemberRow> members;
  std::map<std::string, int64_t> last_seen_ms;  // of devices of `members`
  std::set<std::string> listening;              // devices whose line is open now
  // The counter of what reporting devices were told last.
  std::map<std::string, int64_t> told_epochs;
  // When somebody who is not overdue yet will be; 0: nobody will.
  int64_t next_overdue_ms = 0;
  // Of a release that is rolling back: whether a device that can answer has not.
  bool waits_for_devices = false;
  // How many devices a stage of the release will reach, and how many there are; asked when one is
  // entered and when a slice is stopped. Null in a report.
  std::function<int64_t(const ReleaseRow& release, size_t stage)> planned;
  std::function<int64_t()> devices;
  bool has_fallback = false;  // an artefact of the fallback version is there
  // When it is killed: members whose runtime cannot be told to stop a package.
  int64_t cannot_stop = 0;
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
struct DeviceReports {
  std::vector<ReportRow> reports;  // of any devices, in the order in which they came
};
// Time passed: looks at silence and gates.
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
// A person agrees to leave a stage that holds. Unlike Resume it never ends a pause.
struct Approve {
  std::string by;
  std::string why;
};
struct Rollback {
  std::string by;
  std::string why;
};
// A newer release of the package is complete.
struct Supersede {
  std::string by_release;
};
// That one was taken back.
struct Reinstate {
  std::string by_release;
};
// On to the next stage without the gates, by a person's word.
struct Promote {
  std::string by;
  std::string why;
};
// Nobody gets it any more; who has it keeps it.
struct Halt {
  std::string by;
  std::string why;
};
// It runs nowhere from now on; the files stay until it is rolled back.
struct Kill {
  std::string by;
  std::string why;
};
// Who failed tries again: members as they are after it come from the store.
struct Retry {
  std::string by;
  std::string why;
  int64_t devices = 0;
};
}  // namespace command

using Command = std::variant<command::Start, command::SimulationResult, command::DeviceReports,
                             command::Tick, command::Pause, command::Resume, command::Rollback,
                             command::Supersede, command::Reinstate, command::Promote,
                             command::Halt, command::Kill, command::Retry, command::Approve>;

// What to write, all in one transaction, and what to do after it.
struct Changes {
  std::optional<ReleaseRow> release;  // row_version as read: the store checks and raises it
  std::vector<StageRow> stages;
  std::vector<MemberRow> members;
  Tallies tallies;               // increments
  MetricTallies metric_tallies;  // increments
  std::vector<EventRow> events;
  bool look = false;            // devices may have to hear of it
  bool run_simulation = false;  // after commit
  bool completed = false;       // supersede older releases of the package
  bool taken_back = false;      // the one below stands again
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

// Whether some stage of the plan has a control cohort.
bool HoldsBack(const stage::Plan& plan);

// One test of the gates, for the console and for event rows.
struct GateNumbers {
  std::string stage;   // from which on devices are counted; empty: the first
  std::string metric;  // "failure", or a metric of the settings
  std::string slice;
  int64_t failed = 0;   // overdue ones included
  int64_t healthy = 0;  // the others that the evidence is about
  int64_t pending = 0;
  int64_t control = 0;   // held back, that it is compared with
  double evidence = 1;   // the e-process
  double threshold = 0;  // at or above, the release stops
  gate::Decision decision = gate::Decision::kPass;
  bool stop = false;
};
Result<std::vector<GateNumbers>> GatesOf(const ReleaseRow& release,
                                         const std::vector<StageRow>& stages,
                                         const Tallies& tallies, const Measured& measured = {});

// kPermissionDenied when the release gives content keys by the operator's word alone, and that word
// does not (any more) take the device in.
Status CheckKeyFor(const ReleaseRow& release, const DeviceRow& device);

inline constexpr size_t kMaxOperatorTags = target::kMaxTags;
// Sorted, each once. kInvalidArgument for an empty one, kLimitExceeded past a limit.
Result<std::vector<std::string>> OperatorTagsFrom(std::vector<std::string> tags);

// Why `device` has the package of this release or not, in one sentence for people. `member` may be
// null.
struct Why {
  bool matches_rule = false;
  bool assigned = false;
  std::string text;
};
Result<Why> Explain(const ReleaseRow& release, const DeviceRow& device, const MemberRow* member,
                    bool in_bins = false);

}  // namespace ferry::server
