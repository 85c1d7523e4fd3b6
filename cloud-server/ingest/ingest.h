// Records of devices' streams on their way into the store, each exactly once.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "cloud-server/ingest/limits.h"
#include "cloud-server/ingest/pace.h"
#include "cloud-server/store/store.h"
#include "common/sys/clock.h"

namespace ferry::proto {
class TunnelBatch;
class TunnelAck;
}  // namespace ferry::proto

namespace ferry::tunnel {
struct Admission;
struct ReceivedBatch;
}  // namespace ferry::tunnel

namespace ferry::server {

// What an operator should hear of a batch.
struct IngestNotes {
  size_t refused = 0;        // records stored as refused
  std::string first_reason;  // of the first of them, with its number
  uint64_t lost_first = 0;   // 0: nothing was lost
  uint64_t lost_last = 0;
  std::string used_up;  // the limit that a record would have passed; "" for none
};

// Any thread.
class Ingest {
 public:
  Ingest(Store& store, sys::Clock& clock, Limits limits = {})
      : store_(store),
        clock_(clock),
        limits_(std::move(limits)),
        pace_(limits_.Get(Limit::kDeviceBytesSecond)) {}

  // Stores what is new of `batch` in one transaction and fills `ack`, which may be sent: everything
  // up to its number is committed. A record that no server can use is stored as refused, with its
  // number and reason, and passed. What the device says was acknowledged to it and is not here (the
  // rows are older than that: restored from a backup) is stored as a loss and passed. A batch after
  // any other gap stores nothing and acknowledges what was there before. Where a quota of the day
  // is used up, the records that still fit are stored and the ack says when to come back; until
  // then every batch of the device gets that answer, unread. `notes` may be null.
  // kMalformed, kLimitExceeded, and the errors of Store.
  Status OnBatch(const std::string& device, const proto::TunnelBatch& batch, proto::TunnelAck* ack,
                 IngestNotes* notes = nullptr);

  // For how long no batch of the device should be taken in, for its rate; 0: at once. Holding its
  // acknowledgement slows any device down, however old.
  int64_t HoldMs(const std::string& device) { return pace_.HoldMs(device, clock_.MonotonicNs()); }
  // Counts a report that is to be stored: kQuotaUsed when the day's reports of the device are.
  Status TakeReport(const std::string& device);
  const Limits& limits() const { return limits_; }

 private:
  // Of one device, today.
  struct Today {
    int64_t day = 0;
    bool full = false;     // its quota of records is used up
    int64_t reports = -1;  // -1: not looked at
  };
  Today& TodayOf(const std::string& device, int64_t day);  // under mutex_
  Status Take(Transaction& tx, const std::string& device, const tunnel::ReceivedBatch& received,
              int64_t day, uint64_t* acknowledge, IngestNotes* notes);
  Status Keep(Transaction& tx, const std::string& device, const std::string& outbox,
              tunnel::Admission admission, IngestNotes* notes);

  Store& store_;
  sys::Clock& clock_;
  const Limits limits_;
  Pace pace_;
  std::mutex mutex_;  // of the map; never held while the store is called
  std::map<std::string, Today> today_;
};

}  // namespace ferry::server
