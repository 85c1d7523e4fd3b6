// What the server remembers, one struct a table. Plain data: core decides over them, store keeps
// them. Times are Unix milliseconds. `row_version` grows with every write of a row: a write whose
// version is not the stored one fails with kConflict (0 = a row that is not stored yet).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace ferry::target {
class Groups;
}

namespace ferry::server {

// The groups of the fleet beside a row that was read. No part of the row: all are equal.
struct FleetGroups {
  std::shared_ptr<const target::Groups> all;
  bool operator==(const FleetGroups&) const { return true; }
};

inline constexpr int64_t kOffsetUnknown = -10'000;

struct DeviceRow {
  std::string id;  // hex of the first 16 bytes of SHA-256 of the identity key
  std::string tenant = "default";
  Bytes identity_public;                   // Ed25519, 32 bytes
  Bytes seal_public;                       // X25519, 32 bytes
  bool blocked = false;                    // may not authenticate, gets no assignment and no key
  std::vector<std::string> operator_tags;  // sorted
  // The profile as the device said it last.
  std::string os;
  std::string app_version;
  std::string device_class;
  std::vector<std::string> tags;
  std::map<std::string, std::string> extra;
  std::string runtime_version;
  bool reads_desired = false;  // its runtime reads desired-state documents
  bool reads_when = false;     // and waits for the conditions in them (policy/when)
  bool reads_bins = false;     // and fetches targets that lie in hash bins
  bool observes =
      false;  // and reports on what runs in place of a release that it is held back from
  int64_t utc_offset_minutes = kOffsetUnknown;  // of its local time when it logged in
  int64_t memory_bytes = -1;                    // -1: not known
  int64_t free_bytes = -1;                      // rounded, see gateway/profile.h; -1: not known
  std::vector<std::string> isa;
  std::string measured_class;
  std::map<std::string, std::string> user;
  bool at_rest = false;     // it has a key to seal what lies on its disk
  int64_t new_keys_ms = 0;  // when it was asked for new keys; 0: it is not
  // As they were when the row was read; not written with it.
  int64_t root_version = 0;         // the newest that it said it has; 0: it never said
  std::vector<std::string> groups;  // the fixed lists that name the device, sorted
  FleetGroups fleet;
  int64_t enrolled_ms = 0;
  int64_t last_seen_ms = 0;
  uint64_t report_seq = 0;  // highest Report.seq that is stored
  int64_t row_version = 0;
  bool operator==(const DeviceRow&) const = default;
};

// A group of devices: a fixed list, which the store keeps beside it, or a saved rule.
struct GroupRow {
  std::string name;
  std::string rule;  // empty: a fixed list
  int64_t created_ms = 0;
  int64_t row_version = 0;
  bool operator==(const GroupRow&) const = default;
};

struct PackageRow {
  std::string name;
  std::string version;
  int64_t release_counter = 0;
  std::string plain_sha256;  // hex, of the .fpk
  uint64_t plain_length = 0;
  std::string fallback_version;  // empty: none was signed
  int64_t published_ms = 0;
  std::string requires_json;  // as signed (policy/requires); empty: nothing
  std::string licence;
  std::string description;
  bool operator==(const PackageRow&) const = default;
};

// One sealed file that offline keys signed, or that the server made of such, with its content key
// wrapped to the escrow key.
struct ArtefactRow {
  std::string path;  // "digits/1.0.0/full"
  std::string package;
  std::string version;
  std::string kind;    // "full", "delta", "exclusive"; "made": a delta by this server
  std::string sha256;  // hex, of the sealed file
  uint64_t length = 0;
  std::string base_version;  // of a delta
  std::string entry_json;    // the canonical target entry, as signed
  Bytes escrow_enc;
  Bytes escrow_sealed;
  bool operator==(const ArtefactRow&) const = default;
};

// One signed metadata document. All versions are kept.
struct MetadataRow {
  std::string role;  // "root", "targets", "snapshot", "timestamp"; "bin-0f" of targets in bins
  int64_t version = 0;
  Bytes document;
  int64_t expires_ms = 0;
  int64_t bins = 0;  // of targets: over how many they are spread
  bool operator==(const MetadataRow&) const = default;
};

enum class ReleaseState {
  kDraft,
  kSimulating,
  kBeta,
  kGray,
  kFull,
  kComplete,          // passed every stage; still gives the package to devices that come later
  kPaused,            // no new devices, clock stands; see paused_from
  kRollingBack,       // every device that was offered the package is sent back
  kRolledBack,        // every such device answered
  kStopped,           // no new devices, and there is nothing to send devices back to
  kFailedSimulation,  // no device ever got it
  kSuperseded,        // a newer release of the package is complete
  kKilled,            // what it gave does not run on any device, until it is rolled back
};

// Name on the wire ("failed_simulation"), and back; kMalformed.
std::string_view NameOf(ReleaseState state);
Result<ReleaseState> ReleaseStateFromName(std::string_view name);
// Whether new devices are taken in, or gates are watched.
bool TakesDevices(ReleaseState state);
// Whether who is held back is compared with the others now.
bool IsCompared(ReleaseState state);
// Nothing will ever change any more.
bool IsFinal(ReleaseState state);

struct ReleaseRow {
  std::string id;  // "digits-1.0.0-1": package, version, number
  std::string tenant = "default";
  std::string package;
  std::string version;
  int64_t release_counter = 0;   // of the package version
  std::string fallback_version;  // empty: none
  std::string plan_json;         // rule and stages, as stage::PlanToJson writes them
  std::string settings_json;     // of the gates, as gate::SettingsToJson writes them
  std::string salt;              // of percent(...) in rule and stages
  ReleaseState state = ReleaseState::kDraft;
  ReleaseState paused_from = ReleaseState::kDraft;  // while kPaused
  int64_t stage = 0;                                // index of the present stage
  int64_t stage_since_ms = 0;                       // when it was entered, moved forward by pauses
  int64_t paused_ms = 0;                            // when the pause began
  std::string reason;  // why it stands where it stands, in one sentence
  // Slices that a gate stopped alone, in that order: their devices go back and nobody counts them.
  std::vector<std::string> stopped_slices;
  int64_t created_ms = 0;
  int64_t number = 0;  // order of creation, from 1
  int64_t row_version = 0;
  bool operator==(const ReleaseRow&) const = default;
};

// How far one stage of a release's plan has come.
struct StageRow {
  std::string release;
  int64_t index = 0;       // into the plan's stages
  int64_t entered_ms = 0;  // 0: not yet
  int64_t left_ms = 0;     // 0: not yet
  int64_t planned = 0;     // devices it would reach, counted when it was entered
  bool approved = false;   // a person released a stage that holds
  bool operator==(const StageRow&) const = default;
};

// One exclusive file of a release: only `device` gets it.
struct ExclusiveRow {
  std::string release;
  std::string path;  // "digits/1.0.0/exclusive/calibration.json"
  std::string device;
  bool operator==(const ExclusiveRow&) const = default;
};

enum class Outcome {
  kOpen,
  kHealthy,      // it said so, or spoke a while after it confirmed
  kFailed,       // evidence against the version
  kDeviceCause,  // failed for a cause that lies with the device (IsDeviceCause): no evidence
};
std::string_view NameOf(Outcome outcome);
Result<Outcome> OutcomeFromName(std::string_view name);

// Whether an error code says something about the device (its clock, its disk, whom it
// talks to) and nothing about the package that it was offered.
bool IsDeviceCause(int64_t error_code);

// The time in which a member is watched, as long for who is held back as for who is not.
enum class Window {
  kOpen = 0,
  kWell = 1,    // it ended, and the member had not failed
  kFailed = 2,  // it ended, and the member had failed or was overdue
};

// One device that a release has reached. Once in, a device stays in.
struct MemberRow {
  std::string release;
  std::string device;
  int64_t stage = 0;  // where it was first offered
  int64_t offered_ms = 0;
  Outcome outcome = Outcome::kOpen;  // kFailed is for good, but for a retry
  bool overdue = false;              // began, then fell silent; a later report clears it
  bool done = false;                 // what it was told last was answered (well or badly)
  bool back = false;                 // is being, or was, sent back
  bool control = false;              // held back to compare with: it was offered nothing
  Window window = Window::kOpen;     // kept where a stage of the release holds devices back
  int64_t attempt = 0;               // grows with every retry
  std::string told;                  // the last thing it was told, as LookAt writes it
  // What ran before the offer; empty: the package was not there. "?" where nobody knew.
  std::string had_version = "?";
  std::string step;     // last reported step: "pulled", "confirmed", ...
  int64_t step_ms = 0;  // server time of it; 0: none yet
  int64_t error_code = 0;
  std::string error_text;
  // The profile when it was first offered: slices never change under the gate.
  std::string os;
  std::string app_version;
  std::string device_class;
  uint64_t bytes_pulled = 0;
  bool was_delta = false;
  bool by_push = false;
  // Its first measurement after it was taken, of the version that it is compared by; empty: none.
  std::map<std::string, double> metrics;
  bool operator==(const MemberRow&) const = default;
};

// How fast a release with a rate takes devices.
struct PaceRow {
  std::string release;
  int64_t per_minute = 0;  // as far as it has grown; 0: not begun
  std::string recent;      // stage::Pace::ToText
  bool operator==(const PaceRow&) const = default;
};

// How many members stand where. Each member is in one of pending, healthy, failed, overdue and
// device_cause; those that were sent back and answered are in `returned` too.
struct Counts {
  int64_t pending = 0;
  int64_t healthy = 0;
  int64_t failed = 0;
  int64_t overdue = 0;
  int64_t device_cause = 0;
  int64_t told_back = 0;  // sent back, whether they answered or not
  int64_t returned = 0;
  int64_t closed = 0;         // whose window is over, without those of device_cause
  int64_t closed_failed = 0;  // of those
  int64_t first_ms = 0;       // when the first of them was taken in; 0: nobody was
  bool operator==(const Counts&) const = default;
  // Sums, but for first_ms: the earlier one.
  void Add(const Counts& more);
  bool counts_nobody() const;
  int64_t members() const { return pending + healthy + failed + overdue + device_cause; }
};

// Whom a tally counts.
struct TallyKey {
  std::string release;
  int64_t stage = 0;     // where its members were first offered
  bool control = false;  // the cohort that is held back
  // "all", "os=android", "device_class=mid", "app_version=1.4.0"; or a cell, see tally.h.
  std::string slice;
  auto operator<=>(const TallyKey&) const = default;
};
// The counts of one slice of one cohort of one stage. Written as increments, so that writers do not
// wait for each other's sums.
using Tallies = std::map<TallyKey, Counts>;

// Members by what they measured, for one metric; see metrics/metrics.h. Increments too.
struct MetricKey {
  TallyKey who;
  std::string metric;
  auto operator<=>(const MetricKey&) const = default;
};
struct MetricTally {
  int64_t past = 0;
  int64_t within = 0;
  bool operator==(const MetricTally&) const = default;
};
using MetricTallies = std::map<MetricKey, MetricTally>;

// What values of a metric without a fixed limit are held against in one stage. Never changes.
struct BaselineRow {
  std::string release;
  int64_t stage = 0;
  std::string metric;
  double threshold = 0;
  int64_t after_ms = 0;  // only devices that were taken later count
  int64_t fixed_ms = 0;
  bool operator==(const BaselineRow&) const = default;
};
// Of one release.
struct Measured {
  MetricTallies tallies;
  std::vector<BaselineRow> baselines;
};

// The counts of one slice of the whole release, the control cohort left out.
struct SliceRow {
  std::string release;
  std::string slice;
  int64_t failed = 0;
  int64_t healthy = 0;
  int64_t overdue = 0;
  int64_t pending = 0;
  bool operator==(const SliceRow&) const = default;
};

// One package that a device says it has, or had at its last word.
struct InstalledRow {
  std::string device;
  std::string package;
  std::string version;  // empty: it went
  std::string release;  // that brought it; empty: unknown
  bool disabled = false;
  bool operator==(const InstalledRow&) const = default;
};

// How many devices say that they have a version.
struct VersionCount {
  std::string package;
  std::string version;
  int64_t devices = 0;
  bool operator==(const VersionCount&) const = default;
};

// How many devices say the same of themselves.
struct ProfileRow {
  DeviceRow sample;  // without id, keys and times
  int64_t devices = 0;
};

// What the starts of a device's process say of its state directory.
struct DeviceStateRow {
  std::string device;
  std::string state;  // "restored": from an older copy; "copied": two processes run on copies
  int64_t noted_ms = 0;
  bool operator==(const DeviceStateRow&) const = default;
};

// What one device shall have. The gateway signs it when the device asks.
struct AssignmentRow {
  std::string device;
  int64_t counter = 0;  // epoch and counter of the signed document; only grows
  // The package that is not settled yet, or the last one. To a device that does not read
  // desired-state documents this is all that is said.
  std::string release;
  std::string action = "none";  // "install", "rollback", "none"
  std::vector<std::string> targets;
  std::vector<std::string> exclusive;
  bool done = true;  // everything that it was told is answered
  int64_t made_ms = 0;
  // {"digits":{trust::DesiredPackage},..}; empty: no release was ever about it.
  std::string desired_json;
  int64_t personal = 0;  // the change of its personal files that it was told of; 0: none
  bool operator==(const AssignmentRow&) const = default;
};

// Why something moved: one line of a release's history.
struct EventRow {
  std::string release;
  int64_t seq = 0;  // from 1, within the release
  int64_t time_ms = 0;
  std::string kind;  // "created", "stage", "stopped", "paused", "resumed", "rolled_back", ...
  std::string text;
  std::string numbers_json = "{}";  // an object with the numbers behind it
  bool operator==(const EventRow&) const = default;
};

// What a package's task did on a device, or on all.
struct TaskUse {
  int64_t events = 0;  // that came while it was there, wanted or not
  int64_t starts = 0;  // of its script, by triggers and rules
  int64_t failures = 0;
  int64_t inferences = 0;
  bool operator==(const TaskUse&) const = default;
};

// One step that a device reported; kept once for each (device, seq).
struct ReportRow {
  std::string device;
  uint64_t seq = 0;
  std::string release;
  int64_t epoch = 0;
  std::string step;  // "woken", "pulled", ..., "healthy", as in wire.proto, lower case
  std::string package;
  std::string version;
  int64_t error_code = 0;
  std::string error_text;
  int64_t time_ms = 0;      // by the device's clock
  int64_t received_ms = 0;  // by ours
  uint64_t bytes_pulled = 0;
  bool was_delta = false;
  bool by_push = false;
  std::string previous_version;
  std::map<std::string, double> metrics;  // of step "measured"; finite
  TaskUse use;  // of step "measured"; not read back: it is added up (store/use.h)
  bool operator==(const ReportRow&) const = default;
};

// A secret that lets devices join; kept as a hash.
struct JoinTokenRow {
  std::string id;
  std::string tenant = "default";
  std::string secret_sha256;  // hex
  int64_t created_ms = 0;
  int64_t expires_ms = 0;
  int64_t uses_left = 0;
  int64_t uses = 0;
  std::vector<std::string> tags{};  // the operator's, of devices that join with it
  bool operator==(const JoinTokenRow&) const = default;
};

// A logged-in operator; the bearer token is kept as a hash.
struct SessionRow {
  std::string token_sha256;  // hex
  std::string name;
  int64_t created_ms = 0;
  int64_t expires_ms = 0;
  int64_t last_used_ms = 0;       // 0: not since it is noted
  std::string account = "admin";  // the user whose rights it has
  bool cookie = false;            // a browser's; a program's bearer token otherwise
  std::string peer;               // the address that logged in; empty: not noted
  std::string agent;              // what it called itself
  bool operator==(const SessionRow&) const = default;
};

// One row of a device's stream, as it came up the tunnel; kept once for each (device, outbox, seq).
struct RecordRow {
  std::string device;
  std::string outbox;  // hex
  uint64_t seq = 0;
  std::string stream;
  int64_t time_ms = 0;
  int64_t received_ms = 0;
  std::string json;
  bool operator==(const RecordRow&) const = default;
};

// A record that could not be stored, and why: it has a number, and the later ones go on.
struct RefusedRecordRow {
  std::string device;
  std::string outbox;  // hex
  uint64_t seq = 0;
  std::string stream;  // as far as it is one
  int error_code = 0;
  std::string reason;
  int64_t received_ms = 0;
  bool operator==(const RefusedRecordRow&) const = default;
};

// Records that were acknowledged once and are not here: the server's rows are older than that.
struct RecordLossRow {
  std::string device;
  std::string outbox;  // hex
  uint64_t first_seq = 0;
  uint64_t last_seq = 0;
  int64_t noted_ms = 0;
  bool operator==(const RecordLossRow&) const = default;
};

// What was brought in on one day.
struct DayUse {
  int64_t rows = 0;
  int64_t bytes = 0;
  bool operator==(const DayUse&) const = default;
};

// The operator's own answer for one key of a data set (devices never see it).
struct LabelRow {
  std::string set;
  std::string key;
  std::string label;
  bool operator==(const LabelRow&) const = default;
};

}  // namespace ferry::server
