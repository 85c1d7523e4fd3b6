// Records of devices' streams on their way into the store, each exactly once.
#pragma once

#include <cstdint>
#include <string>

#include "cloud-server/store/store.h"
#include "common/sys/clock.h"

namespace ferry::proto {
class TunnelBatch;
class TunnelAck;
}  // namespace ferry::proto

namespace ferry::tunnel {
struct Admission;
}  // namespace ferry::tunnel

namespace ferry::server {

// What an operator should hear of a batch.
struct IngestNotes {
  size_t refused = 0;        // records stored as refused
  std::string first_reason;  // of the first of them, with its number
  uint64_t lost_first = 0;   // 0: nothing was lost
  uint64_t lost_last = 0;
};

// Any thread.
class Ingest {
 public:
  Ingest(Store& store, sys::Clock& clock) : store_(store), clock_(clock) {}

  // Stores what is new of `batch` in one transaction and fills `ack`, which may be sent: everything
  // up to its number is committed. A record that no server can use is stored as refused, with its
  // number and reason, and passed. What the device says was acknowledged to it and is not here (the
  // rows are older than that: restored from a backup) is stored as a loss and passed. A batch after
  // any other gap stores nothing and acknowledges what was there before. `notes` may be null.
  // kMalformed, kLimitExceeded, and the errors of Store.
  Status OnBatch(const std::string& device, const proto::TunnelBatch& batch, proto::TunnelAck* ack,
                 IngestNotes* notes = nullptr);

 private:
  Status Keep(Transaction& tx, const std::string& device, const std::string& outbox,
              tunnel::Admission admission, IngestNotes* notes);

  Store& store_;
  sys::Clock& clock_;
};

}  // namespace ferry::server
