#include "pipeline/log/writer.h"

namespace ferry::log {

void SegmentWriter::Begin(const Identity& identity, uint64_t next_segment) {
  identity_ = identity;
  next_segment_ = next_segment;
  file_ = nullptr;
}

Result<SegmentWriter::Written> SegmentWriter::Write(const BlockBuilder& block) {
  const uint64_t most = head_.names->all().empty()
                            ? std::min(kNamelessSegmentBytes, options_.segment_bytes)
                            : options_.segment_bytes;
  if (size_ >= most) file_ = nullptr;
  Written out;
  std::string bytes;
  if (file_ == nullptr) {
    head_ = Head();
    head_.log_id = identity_.log_id;
    head_.salt.resize(16);
    random_.Fill({reinterpret_cast<uint8_t*>(head_.salt.data()), head_.salt.size()});
    head_.segment = next_segment_++;
    head_.first = block.first;
    head_.made_ms = clock_.NowUnixMs();
    head_.names = std::make_shared<HeadNames>(counts_.Best());
    head_.sealed = identity_.log_key.has_value();
    if (head_.sealed)
      head_.key = std::make_shared<SegmentKey>(*identity_.log_key, head_.salt, head_.segment);
    bytes = WriteHead(head_);
    size_ = bytes.size();
    next_block_ = 0;
    out.began = std::make_shared<Segment>();
    out.began->head = head_;
    path_ = out.began->path = SegmentPath(options_.directory, head_.segment);
    out.began->begin = out.began->end = size_;
  }
  out.block.first = block.first;
  out.block.count = static_cast<uint32_t>(block.count());
  out.block.block = next_block_++;
  out.block.last_arrival_ms = block.last_arrival_ms();
  const std::string payload = block.Encode(*head_.names, &counts_);
  if (payload.size() > kMaxPayloadBytes)
    return Status::Of(Code::kInternal, "a block of {} bytes", payload.size());
  const std::string framed = WriteBlock(head_, out.block, payload);
  bytes += framed;
  out.at = size_;
  out.end = size_ = size_ + framed.size();
  out.encoded = framed.size() - kBlockHeadBytes;
  out.bytes = bytes.size();
  if (Status status = Put(bytes); !status.ok()) {
    file_ = nullptr;
    // A file that holds nothing that was promised.
    if (out.began != nullptr) (void)fs_.Remove(path_);
    return status;
  }
  return out;
}

Status SegmentWriter::Put(const std::string& bytes) {
  const bool is_new = file_ == nullptr;
  if (is_new) {
    FERRY_ASSIGN_OR_RETURN(file_, fs_.OpenForWrite(path_, sys::WriteMode::kMustBeNew));
  }
  FERRY_TRY(file_->Append(AsBytes(bytes)));
  FERRY_TRY(file_->Sync());
  return is_new ? fs_.SyncDirectory(options_.directory) : OkStatus();
}

}  // namespace ferry::log
