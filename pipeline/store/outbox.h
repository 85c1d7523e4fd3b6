// The outbox: records that wait for the cloud, durable and in order. Behind an interface, so that a
// simulation can keep it in memory. SQLite runs in WAL mode with synchronous=FULL, so that an
// Append that returned success survives a power cut.
//
// Sequence numbers start at 1 and have no gaps; a record keeps its number until it is acknowledged
// and deleted. The id is 16 random bytes made with the file: a receiver that stores each (device,
// outbox id, seq) once gets each record exactly once. Full (max_records or max_bytes): Append
// refuses the new records with kLimitExceeded, keeps the old and counts the refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/sys/random.h"

namespace ferry::store {

inline constexpr size_t kOutboxIdBytes = 16;

struct Record {
  std::string stream;
  int64_t time_ms = 0;
  std::string json;
};

struct OutboxOptions {
  int64_t max_records = 1'000'000;
  int64_t max_bytes = int64_t{256} << 20;  // of streams and JSON texts
};

struct OutboxStats {
  uint64_t next_seq = 1;   // the number the next record gets
  uint64_t acked_seq = 0;  // all up to and with this one are acknowledged
  int64_t waiting = 0;     // records not yet acknowledged
  int64_t waiting_bytes = 0;
  int64_t refused = 0;  // records refused because the outbox was full, ever
};

// Any thread may call.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual Bytes id() const = 0;
  // All or none, in one transaction, durable on return; the number of the first. An empty list is
  // ok and returns next_seq. Only what event::CheckRecord takes gets a number: its error comes back
  // with the stream's name. kLimitExceeded (full), kDiskFull, kIo.
  virtual Result<uint64_t> Append(const std::vector<Record>& records) = 0;
  struct Batch {
    uint64_t first_seq = 0;       // of records[0]; the rest follow without gaps
    std::vector<Record> records;  // empty: nothing waits
  };
  // Records from `from_seq` on (or from the first that waits, when that is later): at most
  // `max_records`, and at most `max_bytes` unless the first alone is larger.
  virtual Result<Batch> Read(uint64_t from_seq, size_t max_records, size_t max_bytes) const = 0;
  // Deletes all up to and with `up_to_seq`. kInvalidArgument for a number never given.
  virtual Status Acknowledge(uint64_t up_to_seq) = 0;
  virtual OutboxStats stats() const = 0;
};

// Opens or makes the file (0600); ":memory:" keeps it in memory. A file that is no outbox or is
// damaged: kMalformed. `random` makes the id of a new one.
Result<std::unique_ptr<Outbox>> OpenOutbox(const std::string& path, sys::Random& random,
                                           const OutboxOptions& options = {});

}  // namespace ferry::store
