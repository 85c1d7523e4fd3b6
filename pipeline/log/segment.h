// The bytes of a segment: a head, twice, then blocks. Internal to the room.
//
//   head    "FERRYLOG" | format 1 (1) | sealed (1) | 0 (2) | bytes of the head (4)
//           | id of the log (16) | salt (16) | segment (8) | first number (8) | when made, ms (8)
//           | names | checksum (4)
//   names   squeezed, then sealed as piece 2^32 - 1: a count, and each one's length and bytes
//   block   "FBLK" | bytes of the payload (4) | first number (8) | events (4) | block (4)
//           | arrival of the last event (8) | checksum of the payload (4) | of the bytes before (4)
//           | payload: squeezed, then sealed as piece `block`
//
// Numbers are little-endian. Checksums of blocks begin with the salt.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pipeline/log/block/block.h"
#include "pipeline/log/block/pack.h"

namespace ferry::log {

inline constexpr size_t kLogIdBytes = 16;
inline constexpr size_t kBlockHeadBytes = 40;
inline constexpr size_t kMaxHeadBytes = 32 << 10;                 // of one copy
inline constexpr size_t kMaxStoredBytes = kMaxPayloadBytes + 64;  // of a block's payload

struct Head {
  std::string log_id, salt;
  bool sealed = false;
  uint64_t segment = 0, first = 0;
  int64_t made_ms = 0;
  std::shared_ptr<const HeadNames> names = std::make_shared<HeadNames>();
  std::shared_ptr<const SegmentKey> key;  // where it is sealed
};

// Both copies.
std::string WriteHead(const Head& head);
struct FoundHead {
  Head head;
  size_t size = 0;       // of both copies: where the blocks begin
  bool damaged = false;  // the first copy
};
// Of the first bytes of a file, at least 2 * kMaxHeadBytes where it has them. kNotFound: a segment
// of another log; kWrongKey: it is sealed and there is no key; else what is damaged.
Result<FoundHead> ReadHead(std::string_view bytes, std::string_view log_id,
                           const std::optional<crypto::Secret32>& log_key);

struct BlockHead {
  uint32_t size = 0;  // of the payload
  uint64_t first = 0;
  uint32_t count = 0, block = 0;
  int64_t last_arrival_ms = 0;
};

// Head and payload of a block.
std::string WriteBlock(const Head& head, const BlockHead& block, std::string_view payload);

// Walks over blocks, and over what is damaged between them.
class BlockScanner {
 public:
  // `bytes` begin with a block of the segment.
  BlockScanner(const Head& head, std::string_view bytes) : head_(head), bytes_(bytes) {}
  struct Block {
    BlockHead head;
    std::string_view head_bytes, stored;
    size_t at = 0, end = 0;  // in the bytes
    bool good = false;       // its payload's checksum holds
  };
  // The next block whose head is whole; nullopt at the end.
  std::optional<Block> Next();
  uint64_t lost_heads() const { return lost_heads_; }  // damaged stretches with a block behind
  uint64_t torn_bytes() const { return torn_bytes_; }  // at the end, that are no block

 private:
  bool HeadAt(size_t at, Block* out) const;

  const Head& head_;
  std::string_view bytes_;
  size_t at_ = 0;
  uint64_t lost_heads_ = 0, torn_bytes_ = 0;
};

// The events of a good block.
Result<std::vector<Entry>> OpenBlock(const Head& head, const BlockScanner::Block& block);

}  // namespace ferry::log
