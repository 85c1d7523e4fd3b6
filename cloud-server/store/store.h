// What the server remembers, behind one interface: repositories inside a transaction. sqlite/
// implements it; PostgreSQL fits the same calls. Nothing above this room sees SQL.
//
//   FERRY_TRY(store.Write([&](Transaction& tx) -> Status {
//     FERRY_ASSIGN_OR_RETURN(DeviceRow device, tx.devices().Get(id));
//     device.last_seen_ms = now;
//     return tx.devices().Put(device);
//   }));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "common/base/status.h"

namespace ferry::server {

inline constexpr size_t kMaxPageRows = 500;  // rows that one List call returns at most

// Get: kNotFound names the thing. Put: inserts, or replaces the row of the same key; where the row
// has a row_version, kConflict when it is not the stored one, and the stored one becomes + 1.
// Lists are in order of the key, after `after` (empty: from the start), at most `limit` rows.
class DeviceRepository {
 public:
  virtual ~DeviceRepository() = default;
  virtual Result<DeviceRow> Get(const std::string& id) = 0;
  virtual Status Put(const DeviceRow& row) = 0;
  virtual Result<std::vector<DeviceRow>> List(const std::string& after, size_t limit) = 0;
  virtual Result<std::vector<DeviceRow>> All(const std::string& tenant) = 0;
  virtual Result<int64_t> Count() = 0;
  // What the device shall have; counter 0 and action "none" when nothing was ever assigned.
  virtual Result<AssignmentRow> Assignment(const std::string& device) = 0;
  virtual Result<std::vector<AssignmentRow>> Assignments() = 0;
  // kConflict unless the counter is the stored one or larger.
  virtual Status PutAssignment(const AssignmentRow& row) = 0;
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
  // Whether any artefact has these sealed bytes.
  virtual Result<bool> HasContent(const std::string& sha256) = 0;
  // version 0: the newest. kNotFound.
  virtual Result<MetadataRow> Metadata(const std::string& role, int64_t version) = 0;
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
  // Devices that a release of `package` with a higher number than `number` has as members.
  virtual Result<std::vector<std::string>> NewerMembers(const std::string& package,
                                                        int64_t number) = 0;
  virtual Result<std::vector<SliceRow>> Slices(const std::string& release) = 0;
  virtual Status PutSlice(const SliceRow& row) = 0;
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

// How far each outbox of a device came. The mark is no maximum of rows: deleting rows does not
// move it, or what comes next would look like a gap for ever.
class IntakeRepository {
 public:
  virtual ~IntakeRepository() = default;
  // Every number up to and with this one is stored, refused or lost; 0: nothing came yet.
  virtual Result<uint64_t> Mark(const std::string& device, const std::string& outbox) = 0;
  // kConflict for a number below the stored mark.
  virtual Status PutMark(const std::string& device, const std::string& outbox, uint64_t seq) = 0;
  // False when (device, outbox, seq) is there already: nothing is written then.
  virtual Result<bool> AddRefused(const RefusedRecordRow& row) = 0;
  // The newest first; `device` empty: of all.
  virtual Result<std::vector<RefusedRecordRow>> Refused(const std::string& device,
                                                        size_t limit) = 0;
  // False when a loss of (device, outbox, first_seq) is there already: nothing is written then.
  virtual Result<bool> AddLoss(const RecordLossRow& row) = 0;
  virtual Result<std::vector<RecordLossRow>> Losses(const std::string& device, size_t limit) = 0;
};

class AccessRepository {
 public:
  virtual ~AccessRepository() = default;
  virtual Result<JoinTokenRow> JoinToken(const std::string& secret_sha256) = 0;
  virtual Result<std::vector<JoinTokenRow>> JoinTokens() = 0;
  virtual Status PutJoinToken(const JoinTokenRow& row) = 0;
  virtual Result<SessionRow> Session(const std::string& token_sha256) = 0;
  virtual Result<std::vector<SessionRow>> Sessions() = 0;  // the oldest first
  virtual Status PutSession(const SessionRow& row) = 0;
  // Nothing happens when there is no such session, so that a use beside a removal revives none.
  virtual Status TouchSession(const std::string& token_sha256, int64_t last_used_ms) = 0;
  virtual Status RemoveSession(const std::string& token_sha256) = 0;
  // Small values of the server itself ("admin.password", ...).
  virtual Result<std::optional<std::string>> Setting(const std::string& key) = 0;
  virtual Status PutSetting(const std::string& key, const std::string& value) = 0;
  virtual Status RemoveSetting(const std::string& key) = 0;
};

// One transaction. Use it on the thread it came to, until the function it was given to returns.
class Transaction {
 public:
  virtual ~Transaction() = default;
  virtual DeviceRepository& devices() = 0;
  virtual PackageRepository& packages() = 0;
  virtual ReleaseRepository& releases() = 0;
  virtual ReportRepository& reports() = 0;
  virtual RecordRepository& records() = 0;
  virtual IntakeRepository& intake() = 0;
  virtual AccessRepository& access() = 0;
};

// Any thread. Calls may wait for other writers up to kLockTimeoutMs (then kUnavailable). Do not
// nest: a body must not call the store again.
class Store {
 public:
  using Body = std::function<Status(Transaction&)>;
  virtual ~Store() = default;
  // Commits when `body` returns success, rolls back and passes the error on otherwise. Repeats the
  // body when another node's write came between (kConflict), a few times.
  virtual Status Write(const Body& body) = 0;
  // A consistent view; what `body` writes fails.
  virtual Status Read(const Body& body) = 0;
  virtual int64_t schema_version() = 0;
};

inline constexpr int kLockTimeoutMs = 10'000;
inline constexpr int kMaxConflictRepeats = 5;

}  // namespace ferry::server
