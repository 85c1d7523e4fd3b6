// The cloud's half of the tunnel: a batch off the wire becomes checked records. Pure.
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
};

struct ReceivedBatch {
  Bytes outbox_id;  // 16 bytes
  std::vector<ReceivedRecord> records;
  uint64_t last_seq = 0;  // acknowledge this after the commit
};

// kMalformed (id, seq 0, zstd, JSON, stream name; names the record) or kLimitExceeded.
Result<ReceivedBatch> DecodeBatch(const proto::TunnelBatch& batch);
// The acknowledgement of all up to and with `up_to_seq`.
proto::TunnelAck MakeAck(ByteView outbox_id, uint64_t up_to_seq);

// What the server must do to keep each record once and acknowledge without gaps: it stores the
// records with seq > `stored_up_to` (the highest number stored without gaps for this device and
// outbox; 0: none) and acknowledges what `Admit` returns. A batch that starts after a gap is not
// stored at all: the device sends from the acknowledged number again.
struct Admission {
  std::vector<ReceivedRecord> fresh;  // to store now
  uint64_t acknowledge = 0;
};
Admission Admit(ReceivedBatch batch, uint64_t stored_up_to);

}  // namespace ferry::tunnel
