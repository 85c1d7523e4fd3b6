// The cloud's half of the tunnel: a batch off the wire becomes checked records. Pure.
//
// A record that no server can store (of an older device, or of a device that lies) is marked as
// refused and counts like any other: it must not stand before all later ones for ever.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace ferry::proto {
class TunnelBatch;
class TunnelAck;
}  // namespace ferry::proto

namespace ferry::tunnel {

inline constexpr size_t kMaxBatchRecords = 10'000;
inline constexpr size_t kMaxBatchBytes = 4 << 20;  // after decompression
inline constexpr uint64_t kMaxSeq = uint64_t{1} << 62;

struct ReceivedRecord {
  uint64_t seq = 0;
  std::string stream;
  int64_t time_ms = 0;
  std::string json;  // one JSON value; checked
  Status refused;    // not ok: why event::CheckRecord does not take it; json is empty then, and
                     // stream is cut to event::kMaxNameBytes
};

struct ReceivedBatch {
  Bytes outbox_id;  // 16 bytes
  std::vector<ReceivedRecord> records;
  uint64_t last_seq = 0;  // acknowledge this after the commit
  // All up to and with this one were acknowledged to the device, which has deleted them; 0 from
  // devices that do not say it.
  uint64_t acked_seq = 0;
};

// kMalformed (id, seq 0, zstd, no records) or kLimitExceeded, of the batch as a whole. What one
// record alone has wrong is said in that record.
Result<ReceivedBatch> DecodeBatch(const proto::TunnelBatch& batch);
// The acknowledgement of all up to and with `up_to_seq`.
proto::TunnelAck MakeAck(ByteView outbox_id, uint64_t up_to_seq);

// What the server must do to keep each record once and acknowledge without gaps: it stores the
// records with seq > `mark` (all up to and with it are stored, refused or lost, of this device and
// outbox; 0: none) and acknowledges what `Admit` returns. What the device was acknowledged above
// the mark will never come: it is lost, named and passed. A batch that starts after any other gap
// is not stored at all: the device sends from the acknowledged number again.
struct Admission {
  std::vector<ReceivedRecord> fresh;  // to store now
  uint64_t acknowledge = 0;
  uint64_t lost_first = 0;  // 0: nothing was lost
  uint64_t lost_last = 0;
};
Admission Admit(ReceivedBatch batch, uint64_t mark);

}  // namespace ferry::tunnel
