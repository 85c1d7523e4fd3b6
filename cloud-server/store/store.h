// What the server remembers, behind one interface: repositories inside a transaction. sqlite/ and
// postgres/ implement it. Nothing above this room sees SQL.
//
//   FERRY_TRY(store.Write([&](Transaction& tx) -> Status {
//     FERRY_ASSIGN_OR_RETURN(DeviceRow device, tx.devices().Get(id));
//     device.last_seen_ms = now;
//     return tx.devices().Put(device);
//   }));
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "cloud-server/store/accounts.h"
#include "cloud-server/store/audit.h"
#include "cloud-server/store/campaigns.h"
#include "cloud-server/store/cluster/leases.h"
#include "cloud-server/store/cluster/nodes.h"
#include "cloud-server/store/erasures.h"
#include "cloud-server/store/fleet.h"
#include "cloud-server/store/personal.h"
#include "cloud-server/store/repeats.h"
#include "cloud-server/store/series.h"
#include "cloud-server/store/use.h"
#include "cloud-server/store/webhooks.h"
#include "common/base/status.h"

namespace ferry::server {

inline constexpr size_t kMaxPageRows = 500;  // rows that one List call returns at most
inline constexpr size_t kMaxDeviceStarts = 32;
inline constexpr int64_t kMaxGroupDevices = 100'000;  // on the list of one group
// Of one device. Its process begins an outbox with each start and sends the older ones first, so
// that the mark of an older one is of use only to a state that was restored from before it.
inline constexpr size_t kMaxOutboxMarks = 64;

// Get: kNotFound names the thing. Put: inserts, or replaces the row of the same key; where the row
// has a row_version, kConflict when it is not the stored one, and the stored one becomes + 1.
// Lists are in order of the key, after `after` (empty: from the start), at most `limit` rows.
// Devices come with their groups; Put of a device leaves them as they are.
class DeviceRepository {
 public:
  virtual ~DeviceRepository() = default;
  virtual Result<DeviceRow> Get(const std::string& id) = 0;
  virtual Status Put(const DeviceRow& row) = 0;
  // It spoke: raises last_seen_ms, report_seq and root_version. kNotFound.
  virtual Status PutHeard(const std::string& id, uint64_t report_seq, int64_t seen_ms,
                          int64_t root_version) = 0;
  virtual Result<std::vector<DeviceRow>> List(const std::string& after, size_t limit) = 0;
  virtual Result<std::vector<DeviceRow>> All(const std::string& tenant) = 0;
  virtual Result<int64_t> Count() = 0;
  // Asks devices for new keys, those after `after` by id, `limit` at most; gives their ids.
  virtual Result<std::vector<std::string>> AskForKeys(const std::string& tenant,
                                                      const std::string& after, size_t limit,
                                                      int64_t now_ms) = 0;
  // How many were asked and have the old ones.
  virtual Result<int64_t> CountAskedForKeys(const std::string& tenant) = 0;
  // How many have an older root than this, without those that are blocked.
  virtual Result<int64_t> CountBelowRoot(const std::string& tenant, int64_t version) = 0;
  // How many report on what runs in place of a release (DeviceRow::observes).
  virtual Result<int64_t> CountObserving(const std::string& tenant) = 0;
  // How many do not fetch targets in bins (DeviceRow::reads_bins), without those that are blocked.
  virtual Result<int64_t> CountWithoutBins() = 0;
  // What the device shall have; counter 0 and action "none" when nothing was ever assigned.
  virtual Result<AssignmentRow> Assignment(const std::string& device) = 0;
  // kConflict unless the counter is the stored one or larger.
  virtual Status PutAssignment(const AssignmentRow& row) = 0;
  // Notes that all that the device was told is answered. False, and nothing is changed: that is
  // noted, something is not, or it is told of one package at a time.
  virtual Result<bool> SettleAssignment(const std::string& device) = 0;
  // What it says it has, by package.
  virtual Result<std::vector<InstalledRow>> Installed(const std::string& device) = 0;
  // An empty version: it is not there.
  virtual Status PutInstalled(const InstalledRow& row) = 0;
  // The same of a version that is said to run; nothing where that version is stored.
  virtual Status PutVersion(const InstalledRow& row) = 0;
  // How many devices say that they have each version of each package: by package, the version of
  // the most devices first.
  virtual Result<std::vector<VersionCount>> InstalledVersions() = 0;
  // How many devices that are not blocked say the same of themselves; kept with every Put.
  virtual Result<std::vector<ProfileRow>> Profiles(const std::string& tenant) = 0;
  // How many devices all profiles have together.
  virtual Result<int64_t> CountInProfiles(const std::string& tenant) = 0;
  // The ids of its process's starts, the latest first; the last kMaxDeviceStarts are kept.
  virtual Result<std::vector<std::string>> Starts(const std::string& device) = 0;
  // It is the latest from now on.
  virtual Status PutStart(const std::string& device, const std::string& start_id,
                          int64_t seen_ms) = 0;
  // What was noted last; nullopt: nothing ever.
  virtual Result<std::optional<DeviceStateRow>> State(const std::string& device) = 0;
  virtual Status PutState(const DeviceStateRow& row) = 0;
};

// Groups of devices. A list holds at most kMaxGroupDevices, which callers check.
class GroupRepository {
 public:
  virtual ~GroupRepository() = default;
  virtual Result<GroupRow> Get(const std::string& name) = 0;
  virtual Status Put(const GroupRow& row) = 0;
  // With its list.
  virtual Status Remove(const std::string& name) = 0;
  virtual Result<std::vector<GroupRow>> All() = 0;  // by name
  virtual Result<int64_t> Count(const std::string& group) = 0;
  virtual Result<std::vector<std::string>> Devices(const std::string& group,
                                                   const std::string& after, size_t limit) = 0;
  // False when it is on the list already. kNotFound names a device or group that there is not.
  virtual Result<bool> AddDevice(const std::string& group, const std::string& device) = 0;
  // False when it was not on the list.
  virtual Result<bool> RemoveDevice(const std::string& group, const std::string& device) = 0;
};

class PackageRepository {
 public:
  virtual ~PackageRepository() = default;
  virtual Result<PackageRow> Get(const std::string& name, const std::string& version) = 0;
  virtual Status Put(const PackageRow& row) = 0;
  virtual Result<std::vector<PackageRow>> All() = 0;  // by name, then release counter
  virtual Result<ArtefactRow> Artefact(const std::string& path) = 0;
  virtual Status PutArtefact(const ArtefactRow& row) = 0;
  virtual Result<std::vector<ArtefactRow>> Artefacts(const std::string& name,
                                                     const std::string& version) = 0;
  // Deltas that the server made (kind "made"), by path.
  virtual Result<std::vector<ArtefactRow>> Made() = 0;
  virtual Status RemoveArtefact(const std::string& path) = 0;  // absent is ok
  // A version with its artefacts and their content keys; absent is ok. The row of a version that
  // was released stays, without artefacts, for its releases are about it.
  virtual Status Remove(const std::string& name, const std::string& version) = 0;
  // Whether any artefact has these sealed bytes.
  virtual Result<bool> HasContent(const std::string& sha256) = 0;
  // version 0: the newest. kNotFound.
  virtual Result<MetadataRow> Metadata(const std::string& role, int64_t version) = 0;
  // Over how many bins the newest targets are spread; 0: they are one document, or there are none.
  virtual Result<int64_t> TargetsBins() = 0;
  // kConflict when that version is stored with other bytes.
  virtual Status PutMetadata(const MetadataRow& row) = 0;
};

class ReleaseRepository {
 public:
  virtual ~ReleaseRepository() = default;
  virtual Result<ReleaseRow> Get(const std::string& id) = 0;
  virtual Status Put(const ReleaseRow& row) = 0;
  virtual Result<std::vector<ReleaseRow>> All() = 0;  // newest first
  virtual Result<int64_t> NextNumber() = 0;
  virtual Result<std::vector<StageRow>> Stages(const std::string& release) = 0;
  virtual Status PutStage(const StageRow& row) = 0;
  virtual Result<std::vector<ExclusiveRow>> Exclusive(const std::string& release) = 0;
  virtual Status PutExclusive(const ExclusiveRow& row) = 0;
  virtual Result<std::vector<MemberRow>> Members(const std::string& release) = 0;
  virtual Result<std::vector<MemberRow>> MembersOfDevice(const std::string& device) = 0;
  virtual Result<std::optional<MemberRow>> Member(const std::string& release,
                                                  const std::string& device) = 0;
  virtual Status PutMember(const MemberRow& row) = 0;
  // The same of a member of which a report changed what reports say, and nothing else.
  virtual Status PutReported(const MemberRow& row) = 0;
  virtual Result<int64_t> CountMembers(const std::string& release) = 0;
  virtual Result<std::vector<MemberRow>> MembersPage(const std::string& release,
                                                     const std::string& after, size_t limit) = 0;
  struct SeenMember {
    MemberRow member;
    int64_t last_seen_ms = 0;  // of the device
  };
  // How many were offered it, were not sent back, and read no desired state.
  virtual Result<int64_t> CountCannotStop(const std::string& release) = 0;
  // Who was offered it or observes, and has not turned out well or badly, was heard of about it
  // until `before_ms`, and is not overdue: the longest silent first, after (`after_ms`, `after`).
  virtual Result<std::vector<SeenMember>> Undecided(const std::string& release, int64_t before_ms,
                                                    int64_t after_ms, const std::string& after,
                                                    size_t limit) = 0;
  // Members whose window is open and that were taken until then, the first ones first.
  virtual Result<std::vector<MemberRow>> OpenWindows(const std::string& release, int64_t until_ms,
                                                     size_t limit) = 0;
  // When the longest silent one of them was heard of; 0: there is none.
  virtual Result<int64_t> SilentSince(const std::string& release) = 0;
  virtual Result<std::vector<std::string>> DevicesWithOutcome(const std::string& release,
                                                              Outcome outcome, size_t limit) = 0;
  // Whether a device that is not blocked and was seen since `since_ms` has still to answer that it
  // went back.
  virtual Result<bool> WaitsForReturn(const std::string& release, int64_t since_ms) = 0;
  // Members that failed get another attempt, of one device or (empty) of all; how many.
  virtual Result<int64_t> RetryFailed(const std::string& release, const std::string& device) = 0;
  // Members that failed in that attempt, were heard of about it until `before_ms`, and were not
  // told anything since: for the retries of a plan.
  virtual Result<std::vector<MemberRow>> RetryDue(const std::string& release, int64_t attempt,
                                                  int64_t before_ms, size_t limit) = 0;
  // An empty one where none was put.
  virtual Result<PaceRow> Pace(const std::string& release) = 0;
  virtual Status PutPace(const PaceRow& row) = 0;
  virtual Result<Tallies> TalliesOf(const std::string& release) = 0;
  // Those of everyone alone, for TotalOf and TotalOfStage: there may be thousands of slices.
  virtual Result<Tallies> TotalsOf(const std::string& release) = 0;
  virtual Status AddTallies(const Tallies& increments) = 0;
  // In place of all that is stored of the release.
  virtual Status SetTallies(const std::string& release, const Tallies& tallies) = 0;
  virtual Result<Measured> MeasuredOf(const std::string& release) = 0;
  virtual Status AddMetricTallies(const MetricTallies& increments) = 0;
  // In place of all that is stored of the release.
  virtual Status SetMetricTallies(const std::string& release, const MetricTallies& tallies) = 0;
  // Of several of one stage and metric the first stays.
  virtual Status AddBaseline(const BaselineRow& row) = 0;
  // The control members that a stage took first, in that order.
  virtual Result<std::vector<MemberRow>> FirstControl(const std::string& release, int64_t stage,
                                                      size_t limit) = 0;
  // Grows with every change of a release, an artefact or an exclusive file.
  virtual Result<int64_t> Generation() = 0;
  virtual Result<std::vector<EventRow>> Events(const std::string& release, int64_t after_seq,
                                               size_t limit) = 0;
  virtual Result<int64_t> LastEventSeq(const std::string& release) = 0;
  virtual Status AddEvent(const EventRow& row) = 0;
};

class ReportRepository {
 public:
  virtual ~ReportRepository() = default;
  // False when (device, seq) is there already: nothing is written then.
  virtual Result<bool> Add(const ReportRow& row) = 0;
  // Newest first.
  virtual Result<std::vector<ReportRow>> OfDevice(const std::string& device, size_t limit) = 0;
  virtual Result<std::vector<ReportRow>> OfRelease(const std::string& release, size_t limit) = 0;
};

class RecordRepository {
 public:
  virtual ~RecordRepository() = default;
  // False when (device, outbox, seq) is there already: nothing is written then.
  virtual Result<bool> Add(const RecordRow& row) = 0;
  // In order of arrival; `stream` or `device` empty: all. `after` is the row number of the last one
  // seen, 0 from the start; `last` (may be null) gets the last row's number.
  virtual Result<std::vector<RecordRow>> List(const std::string& stream, const std::string& device,
                                              int64_t after, size_t limit, int64_t* last) = 0;
  struct StreamCount {
    std::string stream;
    std::string device;
    int64_t rows = 0;
  };
  virtual Result<std::vector<StreamCount>> Counts() = 0;
  virtual Status PutLabel(const LabelRow& row) = 0;
  virtual Result<std::vector<LabelRow>> Labels(const std::string& set) = 0;
};

// Records that are not here, of all devices.
struct IntakeTotals {
  int64_t lost = 0;     // acknowledged once, and gone with the rows
  int64_t refused = 0;  // of a form that cannot be stored
};

// How far each outbox of a device came. The mark is no maximum of rows: deleting rows does not
// move it, or what comes next would look like a gap for ever.
class IntakeRepository {
 public:
  virtual ~IntakeRepository() = default;
  // Every number up to and with this one is stored, refused or lost; 0: nothing came yet.
  virtual Result<uint64_t> Mark(const std::string& device, const std::string& outbox) = 0;
  // kConflict for a number below the stored mark. `heard_ms` is when the device moved it. With a
  // new outbox the marks of all but the last kMaxOutboxMarks of the device go.
  virtual Status PutMark(const std::string& device, const std::string& outbox, uint64_t seq,
                         int64_t heard_ms = 0) = 0;
  // False when (device, outbox, seq) is there already: nothing is written then.
  virtual Result<bool> AddRefused(const RefusedRecordRow& row) = 0;
  // The newest first; `device` empty: of all.
  virtual Result<std::vector<RefusedRecordRow>> Refused(const std::string& device,
                                                        size_t limit) = 0;
  // False when a loss of (device, outbox, first_seq) is there already: nothing is written then.
  virtual Result<bool> AddLoss(const RecordLossRow& row) = 0;
  virtual Result<std::vector<RecordLossRow>> Losses(const std::string& device, size_t limit) = 0;
  // What came in on one day (days since 1970, UTC); `stream` empty: the device's sum, `device`
  // empty too: of all devices.
  virtual Result<DayUse> Used(int64_t day, const std::string& device,
                              const std::string& stream) = 0;
  virtual Status AddUsed(int64_t day, const std::string& device, const std::string& stream,
                         const DayUse& more) = 0;
  // How many streams of the device have a count on that day.
  virtual Result<int64_t> StreamsUsed(int64_t day, const std::string& device) = 0;
  // Reports of the device that came since `since_ms`, counted up to `most`.
  virtual Result<int64_t> ReportsSince(const std::string& device, int64_t since_ms,
                                       int64_t most) = 0;
  virtual Result<IntakeTotals> Totals() = 0;
};

// What is kept and for how long. Nothing here moves a mark or lets a record come twice. Each Drop
// takes the oldest first, at most `limit` rows in one call, and returns how many.
class RetentionRepository {
 public:
  virtual ~RetentionRepository() = default;
  struct StreamSize {
    std::string stream;
    std::string device;
    int64_t rows = 0;
    int64_t bytes = 0;      // with kRowOverheadBytes a row
    int64_t oldest_ms = 0;  // when the oldest row came
  };
  virtual Result<std::vector<StreamSize>> StreamSizes() = 0;
  struct StreamTotal {
    std::string stream;
    int64_t devices = 0;
    int64_t rows = 0;
    int64_t bytes = 0;
  };
  virtual Result<std::vector<StreamTotal>> LargestStreams(int64_t limit) = 0;
  // Rows of one device in one stream that came before `before_ms`, and further ones up to `bytes`.
  virtual Result<DayUse> DropRecords(const std::string& stream, const std::string& device,
                                     int64_t before_ms, int64_t bytes, int64_t limit) = 0;
  enum class Kind { kReports, kRefused, kLosses };
  // How many rows there are at most, from their numbers: no count.
  virtual Result<int64_t> Rows(Kind kind) = 0;
  // Those that came before `before_ms`, and further ones down to `keep` rows (0: any number).
  virtual Result<int64_t> Drop(Kind kind, int64_t before_ms, int64_t keep, int64_t limit) = 0;
  // History of releases where nothing changes any more.
  virtual Result<int64_t> DropEvents(int64_t before_ms, int64_t limit) = 0;
  // Marks that did not move since `before_ms`. One whose last move is not known moves at `now_ms`.
  virtual Result<int64_t> DropMarks(int64_t before_ms, int64_t now_ms, int64_t limit) = 0;
  virtual Result<int64_t> DropDays(int64_t before_day, int64_t limit) = 0;
  // Since when content is known to be unused; 0: it is not.
  virtual Result<int64_t> UnusedSince(const std::string& sha256) = 0;
  // Of several calls the first counts, until it is used again.
  virtual Status NoteUnused(const std::string& sha256, int64_t now_ms) = 0;
  virtual Status NoteUsed(const std::string& sha256) = 0;
};

// A device spoke (DeviceRepository::PutHeard).
struct HeardRow {
  std::string device;
  uint64_t report_seq = 0;
  int64_t seen_ms = 0;
  int64_t root_version = 0;
};

// What is known of some devices. The vectors are by device.
struct DeviceRows {
  std::vector<DeviceRow> devices;
  std::map<std::string, AssignmentRow> assignments;  // of those that have one
  std::vector<InstalledRow> installed;               // then by package
  std::vector<MemberRow> members;                    // then the newest offer first
  std::map<std::string, int64_t> personal;           // the last change, of those that have files
};

// sql/batches/. Many rows in one call: on PostgreSQL one statement, and so one way there and back,
// for all of them; elsewhere a call a row. What each call does is what the calls of one row do, in
// that order.
class BatchRepository {
 public:
  virtual ~BatchRepository() = default;
  // Devices that there are not are left out.
  virtual Result<DeviceRows> Devices(const std::set<std::string>& ids) = 0;
  // Those of the devices that are members, by device.
  virtual Result<std::vector<MemberRow>> Members(const std::string& release,
                                                 const std::set<std::string>& devices) = 0;
  // Of those that have one.
  virtual Result<std::map<std::string, AssignmentRow>> Assignments(
      const std::set<std::string>& devices) = 0;
  // As ReportRepository::Add, of each row.
  virtual Result<std::vector<bool>> AddReports(const std::vector<ReportRow>& rows) = 0;
  // kConflict when one of them was changed in between.
  virtual Status PutDevices(const std::vector<DeviceRow>& rows) = 0;
  // Devices that there are not are passed over.
  virtual Status PutHeard(const std::vector<HeardRow>& rows) = 0;
  virtual Status PutVersions(const std::vector<InstalledRow>& rows) = 0;
  virtual Status PutMembers(const std::vector<MemberRow>& rows) = 0;
  virtual Status PutReported(const std::vector<MemberRow>& rows) = 0;
  // kConflict when one of them has a newer one.
  virtual Status PutAssignments(const std::vector<AssignmentRow>& rows) = 0;
  // Those of the devices of which DeviceRepository::SettleAssignment is true.
  virtual Result<std::set<std::string>> SettleAssignments(const std::set<std::string>& devices) = 0;
};

class AccessRepository {
 public:
  virtual ~AccessRepository() = default;
  virtual Result<JoinTokenRow> JoinToken(const std::string& secret_sha256) = 0;
  virtual Result<std::vector<JoinTokenRow>> JoinTokens() = 0;
  virtual Status PutJoinToken(const JoinTokenRow& row) = 0;
  virtual Result<SessionRow> Session(const std::string& token_sha256) = 0;
  virtual Result<std::vector<SessionRow>> Sessions() = 0;  // the oldest first
  virtual Result<std::vector<SessionRow>> SessionsOf(const std::string& account) = 0;  // so too
  virtual Status PutSession(const SessionRow& row) = 0;
  // Nothing happens when there is no such session, so that a use beside a removal revives none.
  virtual Status TouchSession(const std::string& token_sha256, int64_t last_used_ms) = 0;
  virtual Status RemoveSession(const std::string& token_sha256) = 0;
  // Small values of the server itself ("server.restored", ...).
  virtual Result<std::optional<std::string>> Setting(const std::string& key) = 0;
  virtual Status PutSetting(const std::string& key, const std::string& value) = 0;
  virtual Status RemoveSetting(const std::string& key) = 0;
};

// One transaction. Use it on the thread it came to, until the function it was given to returns.
class Transaction {
 public:
  virtual ~Transaction() = default;
  virtual DeviceRepository& devices() = 0;
  virtual GroupRepository& groups() = 0;
  virtual PackageRepository& packages() = 0;
  virtual ReleaseRepository& releases() = 0;
  virtual ReportRepository& reports() = 0;
  virtual RecordRepository& records() = 0;
  virtual IntakeRepository& intake() = 0;
  virtual RetentionRepository& retention() = 0;
  virtual AccessRepository& access() = 0;
  virtual AccountRepository& accounts() = 0;
  virtual AuditRepository& audit() = 0;
  virtual CampaignRepository& campaigns() = 0;
  virtual WebhookRepository& webhooks() = 0;
  virtual PersonalRepository& personal() = 0;
  virtual ErasureRepository& erasures() = 0;
  virtual FleetRepository& fleet() = 0;
  virtual RepeatRepository& repeats() = 0;
  virtual SeriesRepository& series() = 0;
  virtual UseRepository& use() = 0;
  virtual LeaseRepository& leases() = 0;
  virtual NodeRepository& nodes() = 0;
  virtual BatchRepository& batches() = 0;
};

// What the database takes on the disk, in bytes. `free` is a part of `database`: pages that rows
// were deleted from, used again before the file grows.
struct StoreSizes {
  int64_t database = 0;
  int64_t free = 0;
  int64_t log = 0;  // the write-ahead log
};

// Any thread. Calls may wait for other writers up to kLockTimeoutMs (then kUnavailable). Do not
// nest: a body must not call the store again.
class Store {
 public:
  using Body = std::function<Status(Transaction&)>;
  virtual ~Store() = default;
  // Takes the row of this thread's AuditScope into the transaction (audit.h).
  // Commits when `body` returns success, rolls back and passes the error on otherwise. Repeats the
  // body when another node's write came between (kConflict), and on PostgreSQL when it clashed or
  // the connection was lost, a few times.
  virtual Status Write(const Body& body) = 0;
  // The same for writers that nearly always write a row that others of them write (counts of a
  // release): of those one at a time, over all nodes, beside all others. Who came into each other's
  // way would do its work for nothing.
  virtual Status WriteInTurn(const Body& body) { return Write(body); }
  // A consistent view; what `body` writes fails.
  virtual Status Read(const Body& body) = 0;
  virtual int64_t schema_version() = 0;
  virtual Result<StoreSizes> Sizes() = 0;
  // Gives up to `bytes` of free pages back to the disk; nothing where the database was made without
  // (its pages are used again then).
  virtual Status Shrink(int64_t bytes) = 0;
};

inline constexpr int kLockTimeoutMs = 10'000;
inline constexpr int kMaxConflictRepeats = 5;

}  // namespace ferry::server
