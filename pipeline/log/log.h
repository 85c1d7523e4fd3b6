// The one log of events of a device: numbered events in checksummed segments, written in groups.
// Numbers are 1, 2, .. in the order of Append and never come again. An event has its effect after
// it is durable; after a kill or a power cut the log gives all durable events again.
//
// What is done about damage, each counted in LogStats:
//   torn tail          a block that ends with the file is dropped: nobody was told it is durable
//   damaged block      dropped; its numbers stay unused, and the blocks behind it are read
//   damaged head       its second copy is read; with both gone the segment is dropped
//   missing segment    its numbers are missing; the others are read
//   foreign segment    of another log: neither read nor touched
//   lost identity      with both copies gone a new log begins; what is there is another's
//   disk full, errors  events wait in memory and are written at a later Flush, into a new segment;
//                      when max_waiting_bytes wait, Append refuses with what the disk said
//
// With a key every block is sealed with AES-256-GCM under a key of its segment, which comes from a
// random key of the log that lies wrapped under the given key: erasing destroys that one. Files are
// 0600, their directory 0700. What was written before there was a key goes with the first Retain
// that does not want it. Checksums are CRC-32C (Boost.CRC).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "common/crypto/secret.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"
#include "pipeline/event/event.h"

namespace ferry::log {

inline constexpr int64_t kGroupMs = 50;          // an event waits at most this long for its write
inline constexpr size_t kGroupBytes = 64 << 10;  // and no longer than until this much waits
inline constexpr size_t kMaxSegments = 4096;     // beyond, the oldest go as by hard_max_bytes
// What stays of events that were worked off, for who looks at them later.
inline constexpr uint64_t kKeepBytes = uint64_t{64} << 20;
inline constexpr int64_t kKeepMs = int64_t{7} * 24 * 3600 * 1000;
// And of those that were not.
inline constexpr uint64_t kHardMaxBytes = uint64_t{256} << 20;

struct LogOptions {
  std::string directory;  // made when it is missing
  uint64_t segment_bytes = uint64_t{4} << 20;
  size_t max_waiting_bytes = size_t{4} << 20;  // of events that are not on the disk
  // Retention: whole segments go, oldest first, when all of them take more than max_bytes or their
  // last event is older than max_age_ms, but never one with an event from keep_from on. Beyond
  // hard_max_bytes they go all the same, counted as lost.
  uint64_t max_bytes = kKeepBytes;
  uint64_t hard_max_bytes = kHardMaxBytes;
  int64_t max_age_ms = kKeepMs;
  // The next event gets at least this number: one above all that had an effect, should the log have
  // lost its end.
  uint64_t next_at_least = 1;
  std::optional<crypto::Secret32> key;  // of the app
};

struct Entry {
  int64_t arrival_ms = 0;
  event::Event event;  // with its number
};

struct LogStats {
  uint64_t first = 0, last = 0;  // durable events; 0 when there are none
  uint64_t next = 1;             // the number the next event gets
  uint64_t segments = 0, bytes = 0;
  uint64_t waiting_events = 0, waiting_bytes = 0;  // not yet durable
  uint64_t commits = 0;                            // blocks written by this process
  uint64_t event_bytes = 0;                        // in memory, of the events written
  uint64_t encoded_bytes = 0, written_bytes = 0;   // payloads of blocks; all that went to files
  uint64_t refused = 0;                            // events, because too much waited
  uint64_t torn_bytes = 0, damaged_blocks = 0, damaged_segments = 0, foreign_segments = 0;
  uint64_t missing_events = 0;  // numbers between the first and the last that no block has
  uint64_t lost_to_limit = 0;   // events dropped at hard_max_bytes though keep_from wanted them
};

struct EraseReceipt {
  uint64_t segments = 0, bytes = 0, events = 0;
  uint64_t first = 0, last = 0;  // numbers; 0 when there were none
  bool key_destroyed = false;
  int64_t erased_ms = 0;  // by the clock, since 1970
};

// Any thread may call. Append waits for no disk: it shares a lock only with short steps in memory.
// ORDER: the lock of the writer, then that of what waits.
class Log {
 public:
  // Errors: kWrongKey (sealed, and the key is missing or another), kIo, kUnsupported (of a newer
  // Ferry). What is passed must outlive it.
  static Result<std::unique_ptr<Log>> Open(sys::FileSystem& fs, sys::Clock& clock,
                                           sys::Random& random, const LogOptions& options);
  virtual ~Log() = default;

  // Takes a copy of what it needs; the event's own number is not looked at. The answer is its
  // number. kLimitExceeded for a single event above event::kMaxEventBytes or when too much waits
  // (after a failed write: that write's error).
  virtual Result<uint64_t> Append(const event::Event& event, int64_t arrival_ms) = 0;
  // Returns when all up to and with `number` survives a power cut: those that wait with it share
  // one write.
  virtual Status WaitDurable(uint64_t number) = 0;
  // Writes what waits when its time has come (kGroupMs since the first, or kGroupBytes); returns
  // when it is on the disk. `now_ns` is the clock's MonotonicNs.
  virtual Status Flush(int64_t now_ns) = 0;
  // When Flush next has something to do, in the clock's MonotonicNs; INT64_MAX: nothing waits.
  virtual int64_t due_ns() const = 0;
  // All events up to and with this number are durable.
  virtual uint64_t durable() const = 0;
  virtual uint64_t next() const = 0;  // the number the next event gets

  // Gives durable events with numbers from `from` to `to` in order, until `take` returns false.
  // Numbers that the log has no more are left out. Errors of the disk only.
  virtual Status ForEach(uint64_t from, uint64_t to,
                         const std::function<bool(const Entry&)>& take) = 0;
  // One durable event; kNotFound when the log has it no more.
  virtual Result<Entry> Read(uint64_t number) = 0;

  // Drops old segments; no event from `keep_from` on goes but by the hard limit. `now_ms` is
  // arrival time.
  virtual Status Retain(int64_t now_ms, uint64_t keep_from) = 0;
  // Removes all events, also those that wait, and the key under which they lie; numbers go on.
  // After an error or a cut the next Open finishes it.
  virtual Result<EraseReceipt> Erase() = 0;
  virtual LogStats stats() const = 0;
};

}  // namespace ferry::log
