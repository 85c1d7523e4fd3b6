// The outbox: records that wait for the cloud, durable and in order, and what keeps them from being
// lost or doubled when the process is killed: which runs of tasks were committed, how far the log
// of events was worked off, and a spool for events that have no log of their own. One file, so that
// a run's records, its mark and the position commit together. Behind an interface, so that a
// simulation can keep it in memory. SQLite runs in WAL mode with synchronous=FULL, so that a call
// that returned success survives a power cut.
//
// Sequence numbers start at 1 and have no gaps; a record keeps its number until it is acknowledged
// and deleted. To the cloud a record is (outbox id, number in that outbox). The id is 16 random
// bytes made with the first record after each opening of the file: a copy or an older state of the
// file gives its new records another id, so that one pair never names two records. Full
// (max_records or max_bytes): the new records are refused with kLimitExceeded and counted, the old
// are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/crypto/secret.h"
#include "common/sys/random.h"
#include "pipeline/store/erasure.h"
#include "pipeline/store/state.h"
#include "pipeline/table/tables.h"

namespace ferry::store {

inline constexpr size_t kOutboxIdBytes = 16;
inline constexpr char kSpoolLog[] = "spool";   // the log of the spooled events
inline constexpr char kEventLog[] = "events";  // the log of all events (pipeline/log)

struct Record {
  std::string stream;
  int64_t time_ms = 0;
  std::string json;
};

// A record that no server takes: it is left out, and the others of its list go.
struct RefusedRecord {
  size_t at = 0;  // in the list
  Status why;     // names its stream
};

// What one run of a task leaves.
struct TaskRun {
  uint64_t event = 0;  // that started it, by its number in the log; 0: it has none, and no mark
  std::string task;    // whose run it was, whatever its version
  std::vector<Record> records;
  std::string result;  // kept with the mark, for an app that has not got it
  // Set by Commit: kLimitExceeded when the outbox was full for the records, and none of them went;
  // else the first of refused_records, and the others went.
  Status refused;
  std::vector<RefusedRecord> refused_records;
  bool withheld = false;  // set by Commit: consent kept all its records from the cloud
};

// What one transaction takes, all of it or nothing.
struct Changes {
  std::span<TaskRun* const> runs;
  const StateChanges* state = nullptr;    // of rules and operators
  std::span<table::Batch* const> tables;  // later ones win
  std::optional<uint64_t> position;       // as NotePosition
  int64_t now_ms = 0;                     // since 1970, for the age of tables' rows
};

// A log whose events led to what is here.
struct KnownLog {
  std::string name;
  std::optional<uint64_t> position;  // all events up to this one are worked off; nullopt: none yet
};

struct SpooledEvent {
  uint64_t number = 0;
  std::string json;
};

struct OutboxOptions {
  int64_t max_records = 1'000'000;
  int64_t max_bytes = int64_t{256} << 20;  // of streams and JSON texts
  int64_t max_spooled = 100'000;           // events
  int64_t max_spooled_bytes = int64_t{64} << 20;
  // Seals the file at rest, and a plain one from then on; absent: the file is plain.
  std::optional<crypto::Secret32> key;
  // A file that is sealed under another key, which is lost, is removed rather than kWrongKey.
  bool forget_sealed = false;
};

struct OutboxStats {
  uint64_t next_seq = 1;   // the number the next record gets
  uint64_t acked_seq = 0;  // all up to and with this one are acknowledged
  int64_t waiting = 0;     // records not yet acknowledged
  int64_t waiting_bytes = 0;
  int64_t refused = 0;     // records refused because the outbox was full, ever
  int64_t unfit = 0;       // records refused because no server takes them, since the opening
  std::string last_unfit;  // why the last of them was
  int64_t spooled = 0;     // events that wait in the spool
  int64_t spooled_bytes = 0;
  int64_t state_pairs = 0, state_bytes = 0;  // of rules and operators, keys included
  int64_t table_bytes = 0;                   // of keys and rows of all tables
  bool consent = true;                       // as SetConsent says
  int64_t withheld = 0;                      // records that consent kept from the cloud, ever
};

// Any thread may call.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual Bytes id() const = 0;  // under which records of this opening go
  // In one transaction, durable on return; the number of the first. Only what event::CheckRecord
  // takes gets a number: the others are left out and named in `refused`; when none is left the
  // first one's error is the answer. An empty list is ok and returns next_seq. kLimitExceeded
  // (full: none is taken), kDiskFull, kIo.
  virtual Result<uint64_t> Append(const std::vector<Record>& records,
                                  std::vector<RefusedRecord>* refused = nullptr) = 0;
  // Runs' records and marks, state, tables and the noted position, in one transaction, durable on
  // return. A run whose records are refused (`refused` says why) gets its mark all the same. After
  // an error nothing is there.
  virtual Status Commit(const Changes& changes) = 0;
  Status Commit(std::span<TaskRun* const> runs) { return Commit(Changes{.runs = runs}); }

  // The pairs of the last commit whose key begins with `prefix`, by key.
  virtual Result<std::vector<StatePair>> LoadState(std::string_view prefix) const = 0;
  // Tables of all tasks; lives as long as the outbox.
  virtual table::Tables& tables() = 0;

  struct Batch {
    Bytes outbox_id;
    uint64_t base = 0;            // number in that outbox = sequence number - base
    uint64_t first_seq = 0;       // of records[0]; the rest follow without gaps
    std::vector<Record> records;  // empty: nothing waits
  };
  // Records of one outbox id from `from_seq` on (or from the first that waits, when that is later):
  // at most `max_records`, and at most `max_bytes` unless the first alone is larger.
  virtual Result<Batch> Read(uint64_t from_seq, size_t max_records, size_t max_bytes) const = 0;
  // The sequence number of a record by its number in `outbox_id`; kNotFound for an id of which no
  // record waits and to which none will be added.
  virtual Result<uint64_t> SeqOf(ByteView outbox_id, uint64_t number) const = 0;
  // Deletes all up to and with `up_to_seq`. kInvalidArgument for a number never given.
  virtual Status Acknowledge(uint64_t up_to_seq) = 0;
  virtual OutboxStats stats() const = 0;

  // Whether records may go to the cloud; kept, and given until it is withdrawn. Without consent new
  // records are not kept, and those that wait go, as erased: both are counted as withheld. State
  // and tables stay, runs count as before. Durable on return.
  virtual Status SetConsent(bool given) = 0;

  // ---- Erasing what is known of who uses the device. First the wish is durable:
  virtual Result<uint64_t> BeginErase(const std::string& asked, int64_t now_ms) = 0;
  // Then records, runs, the spool, state and rows of tables go, and nothing of them is left in the
  // file. New records go under another id; definitions of tables stay. The log of events counts as
  // worked off up to `position`. Nobody else uses the outbox meanwhile.
  virtual Result<ErasedCounts> Erase(uint64_t position) = 0;
  // Then the receipts, each once; "" changes nothing. kNotFound for another number than the last
  // one's.
  virtual Status NoteErased(uint64_t number, const std::string& device,
                            const std::string& cloud) = 0;
  virtual Erasure last_erasure() const = 0;

  // From here on runs belong to events of the log `name`, a file or kSpoolLog. All events up to and
  // with the answered number are worked off; nullopt: the log is new.
  virtual Result<std::optional<uint64_t>> OpenLog(const std::string& name) = 0;
  // All logs that were ever opened, in the order in which they were new.
  virtual Result<std::vector<KnownLog>> Logs() const = 0;
  // Of the log that is open, as of the last commit; nullopt: none is open, or it is new.
  virtual std::optional<uint64_t> position() const = 0;
  // The result of a run that was committed for this event of the log; nullopt: it was not.
  virtual Result<std::optional<std::string>> FindRun(uint64_t event, const std::string& task) = 0;
  // All events up to and with `number` are worked off: written with the next Commit, or when
  // SavePosition is called. Their marks go, and they leave the spool.
  virtual void NotePosition(uint64_t number) = 0;
  virtual Status SavePosition() = 0;
  // The log begins anew with other events: its marks go, and the next event has a number above
  // `number`.
  virtual Status ResetLog(uint64_t number) = 0;

  // Events that have no log of their own; durable on return. The number of the first: numbers grow
  // and never come again. kLimitExceeded when the spool is full: then none is taken.
  virtual Result<uint64_t> Spool(const std::vector<std::string>& events) = 0;
  // In order, those with numbers above `after`: at most `max_events`, and at most `max_bytes`
  // unless the first alone is larger.
  virtual Result<std::vector<SpooledEvent>> ReadSpool(uint64_t after, size_t max_events,
                                                      size_t max_bytes) const = 0;
};

// Opens or makes the file (0600); ":memory:" keeps it in memory. A file that is no outbox or is
// damaged: kMalformed; one that is sealed under another key or opened without one: kWrongKey.
// `random` makes its ids, and is not kept.
Result<std::unique_ptr<Outbox>> OpenOutbox(const std::string& path, sys::Random& random,
                                           const OutboxOptions& options = {});

}  // namespace ferry::store
