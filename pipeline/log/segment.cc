#include "pipeline/log/segment.h"

#include "pipeline/log/block/bytes.h"

namespace ferry::log {
namespace {

constexpr std::string_view kHeadMagic = "FERRYLOG", kBlockMagic = "FBLK";
constexpr uint8_t kFormat = 1;
constexpr size_t kHeadFixedBytes = 72;  // before the names
constexpr size_t kHeadSizeAt = 12;      // its place in the head
constexpr uint32_t kNamesPiece = UINT32_MAX;
constexpr size_t kChecksumBytes = 4;

std::string WriteNames(const HeadNames& names) {
  ByteWriter out;
  out.Varint(names.all().size());
  for (const std::string& name : names.all()) out.Text(name);
  return Squeeze(out.out());
}

Result<std::shared_ptr<const HeadNames>> ReadNames(std::string_view squeezed) {
  FERRY_ASSIGN_OR_RETURN(const std::string plain, Unsqueeze(squeezed, 2 * kMaxHeadBytes));
  ByteReader in(plain);
  const uint64_t count = in.Varint();
  std::vector<std::string> names;
  for (uint64_t k = 0; k < count && in.ok(); ++k) names.emplace_back(in.Text());
  if (!in.ok() || !in.at_end() || count > kMaxHeadNames)
    return Status(Code::kMalformed, "a segment's names");
  return std::shared_ptr<const HeadNames>(std::make_shared<HeadNames>(std::move(names)));
}

// One copy at the beginning of `bytes`.
Result<Head> ReadCopy(std::string_view bytes, std::string_view log_id,
                      const std::optional<crypto::Secret32>& log_key, size_t* size) {
  ByteReader in(bytes);
  if (in.Raw(kHeadMagic.size()) != kHeadMagic) return Status(Code::kMalformed, "no segment");
  const uint8_t format = in.U8(), sealed = in.U8();
  in.Raw(2);
  *size = in.U32();
  if (!in.ok() || *size < kHeadFixedBytes + kChecksumBytes || *size > kMaxHeadBytes ||
      *size > bytes.size())
    return Status(Code::kMalformed, "a segment's head");
  const std::string_view covered = bytes.substr(0, *size - kChecksumBytes);
  ByteReader end(bytes.substr(covered.size()));
  if (end.U32() != Checksum("", covered)) return Status(Code::kCorruptContent, "a segment's head");
  if (format != kFormat) return Status::Of(Code::kUnsupported, "a segment of format {}", format);
  Head head;
  head.log_id = in.Raw(kLogIdBytes);
  if (head.log_id != log_id) return Status(Code::kNotFound, "a segment of another log");
  head.salt = in.Raw(16);
  head.segment = in.U64();
  head.first = in.U64();
  head.made_ms = static_cast<int64_t>(in.U64());
  head.sealed = sealed != 0;
  std::string names(covered.substr(kHeadFixedBytes));
  if (head.sealed) {
    if (!log_key) return Status(Code::kWrongKey, "a sealed segment");
    head.key = std::make_shared<SegmentKey>(*log_key, head.salt, head.segment);
    FERRY_ASSIGN_OR_RETURN(names,
                           head.key->Open(kNamesPiece, covered.substr(0, kHeadFixedBytes), names));
  }
  FERRY_ASSIGN_OR_RETURN(head.names, ReadNames(names));
  return head;
}

}  // namespace

std::string WriteHead(const Head& head) {
  ByteWriter out;
  out.Raw(kHeadMagic);
  out.U8(kFormat);
  out.U8(head.sealed ? 1 : 0);
  out.U8(0);
  out.U8(0);
  out.U32(0);
  out.Raw(head.log_id);
  out.Raw(head.salt);
  out.U64(head.segment);
  out.U64(head.first);
  out.U64(static_cast<uint64_t>(head.made_ms));
  std::string names = WriteNames(*head.names);
  const size_t tag = head.sealed ? 16 : 0;
  std::string bytes = out.Take();
  PutU32(reinterpret_cast<uint8_t*>(bytes.data()) + kHeadSizeAt,
         static_cast<uint32_t>(bytes.size() + names.size() + tag + kChecksumBytes));
  bytes += head.sealed ? head.key->Seal(kNamesPiece, bytes, names) : names;
  ByteWriter end;
  end.U32(Checksum("", bytes));
  bytes += end.out();
  return bytes + bytes;
}

Result<FoundHead> ReadHead(std::string_view bytes, std::string_view log_id,
                           const std::optional<crypto::Secret32>& log_key) {
  FoundHead found;
  size_t size = 0;
  Result<Head> first = ReadCopy(bytes, log_id, log_key, &size);
  if (first.ok()) {
    found.head = std::move(*first);
    found.size = std::min(2 * size, bytes.size());
    return found;
  }
  if (first.code() == Code::kNotFound || first.code() == Code::kWrongKey) return first.status();
  found.damaged = true;
  for (size_t at = bytes.find(kHeadMagic, 1); at <= kMaxHeadBytes;
       at = bytes.find(kHeadMagic, at + 1)) {
    Result<Head> copy = ReadCopy(bytes.substr(at), log_id, log_key, &size);
    if (!copy.ok()) continue;
    found.head = std::move(*copy);
    found.size = at + size;
    return found;
  }
  return first.status();
}

std::string WriteBlock(const Head& head, const BlockHead& block, std::string_view payload) {
  std::string stored = Squeeze(payload);
  ByteWriter out;
  out.Raw(kBlockMagic);
  out.U32(static_cast<uint32_t>(stored.size() + (head.sealed ? 16 : 0)));
  out.U64(block.first);
  out.U32(block.count);
  out.U32(block.block);
  out.U64(static_cast<uint64_t>(block.last_arrival_ms));
  if (head.sealed) stored = head.key->Seal(block.block, out.out(), stored);
  out.U32(Checksum(head.salt, stored));
  out.U32(Checksum(head.salt, out.out()));
  out.Raw(stored);
  return out.Take();
}

bool BlockScanner::HeadAt(size_t at, Block* out) const {
  if (bytes_.size() - at < kBlockHeadBytes) return false;
  const std::string_view bytes = bytes_.substr(at, kBlockHeadBytes);
  ByteReader in(bytes);
  if (in.Raw(kBlockMagic.size()) != kBlockMagic) return false;
  BlockHead& head = out->head;
  head.size = in.U32();
  head.first = in.U64();
  head.count = in.U32();
  head.block = in.U32();
  head.last_arrival_ms = static_cast<int64_t>(in.U64());
  const uint32_t payload = in.U32();
  if (in.U32() != Checksum(head_.salt, bytes.substr(0, kBlockHeadBytes - kChecksumBytes)))
    return false;
  if (head.size > kMaxStoredBytes || head.count == 0 || head.first == 0 ||
      head.first > UINT64_MAX - head.count)
    return false;
  out->at = at;
  out->end = at + kBlockHeadBytes + head.size;
  out->head_bytes = bytes.substr(0, kBlockHeadBytes - 2 * kChecksumBytes);
  if (out->end <= bytes_.size()) out->stored = bytes_.substr(at + kBlockHeadBytes, head.size);
  out->good = out->end <= bytes_.size() && payload == Checksum(head_.salt, out->stored);
  return true;
}

std::optional<BlockScanner::Block> BlockScanner::Next() {
  Block block;
  const size_t from = at_;
  while (at_ < bytes_.size()) {
    if (HeadAt(at_, &block) && block.end <= bytes_.size()) {
      if (at_ != from) ++lost_heads_;
      at_ = block.end;
      return block;
    }
    at_ = std::min(bytes_.find(kBlockMagic, at_ + 1), bytes_.size());
  }
  torn_bytes_ = bytes_.size() - from;
  return std::nullopt;
}

Result<std::vector<Entry>> OpenBlock(const Head& head, const BlockScanner::Block& block) {
  std::string squeezed(block.stored);
  if (head.sealed) {
    FERRY_ASSIGN_OR_RETURN(squeezed, head.key->Open(block.head.block, block.head_bytes, squeezed));
  }
  FERRY_ASSIGN_OR_RETURN(const std::string payload, Unsqueeze(squeezed, kMaxPayloadBytes));
  return DecodeBlock(payload, *head.names, block.head.first, block.head.count);
}

}  // namespace ferry::log
