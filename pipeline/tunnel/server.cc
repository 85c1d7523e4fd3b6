#include "pipeline/tunnel/server.h"

#include <zstd.h>

#include <algorithm>

#include "common/proto/wire.pb.h"
#include "pipeline/event/event.h"
#include "pipeline/event/record.h"
#include "pipeline/store/outbox.h"

namespace ferry::tunnel {
namespace {

Status Inflate(const std::string& packed, proto::TunnelBatch* out) {
  const auto bad = [](std::string_view why) {
    return Status::Of(Code::kMalformed, "compressed records: {}", why);
  };
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    return bad("no zstd frame with a size");
  if (size > kMaxBatchBytes)
    return Status::Of(Code::kLimitExceeded, "a batch of {} bytes, the limit is {}", size,
                      kMaxBatchBytes);
  std::string plain(size, '\0');
  const size_t got = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0) return bad(ZSTD_getErrorName(got));
  if (got != plain.size() || !out->ParseFromString(plain)) return bad("no records inside");
  return OkStatus();
}

ReceivedRecord Receive(uint64_t seq, const proto::Record& record) {
  ReceivedRecord out{seq, record.stream(), record.time_ms(), {}, OkStatus()};
  out.refused = event::CheckRecord(record.stream(), record.json());
  if (out.refused.ok())
    out.json = record.json();
  else
    out.stream.resize(std::min(out.stream.size(), event::kMaxNameBytes));
  return out;
}

}  // namespace

Result<ReceivedBatch> DecodeBatch(const proto::TunnelBatch& batch) {
  if (batch.outbox_id().size() != store::kOutboxIdBytes)
    return Status::Of(Code::kMalformed, "an outbox id of {} bytes, not {}",
                      batch.outbox_id().size(), store::kOutboxIdBytes);
  if (batch.first_seq() == 0 || batch.first_seq() > kMaxSeq)
    return Status::Of(Code::kMalformed, "first_seq {} is not from 1 to 2^62", batch.first_seq());
  if (batch.acked_seq() >= batch.first_seq())
    return Status::Of(Code::kMalformed, "acked_seq {} is not below first_seq {}", batch.acked_seq(),
                      batch.first_seq());
  if (batch.records_size() > 0 && !batch.zstd_records().empty())
    return Status(Code::kMalformed, "records both plain and compressed");
  proto::TunnelBatch inflated;
  const proto::TunnelBatch* source = &batch;
  if (!batch.zstd_records().empty()) {
    FERRY_TRY(Inflate(batch.zstd_records(), &inflated));
    source = &inflated;
  }
  const auto count = static_cast<size_t>(source->records_size());
  if (count == 0) return Status(Code::kMalformed, "a batch without records");
  if (count > kMaxBatchRecords)
    return Status::Of(Code::kLimitExceeded, "{} records, the limit is {}", count, kMaxBatchRecords);
  ReceivedBatch out;
  out.outbox_id = ToBytes(AsBytes(batch.outbox_id()));
  out.acked_seq = batch.acked_seq();
  out.last_seq = batch.first_seq() - 1;
  for (const proto::Record& record : source->records()) {
    ++out.last_seq;
    out.records.push_back(Receive(out.last_seq, record));
  }
  return out;
}

proto::TunnelAck MakeAck(ByteView outbox_id, uint64_t up_to_seq) {
  proto::TunnelAck ack;
  ack.set_outbox_id(outbox_id.data(), outbox_id.size());
  ack.set_up_to_seq(up_to_seq);
  return ack;
}

Admission Admit(ReceivedBatch batch, uint64_t mark) {
  Admission out;
  if (batch.acked_seq > mark) {
    out.lost_first = mark + 1;
    out.lost_last = batch.acked_seq;
    mark = batch.acked_seq;
  }
  out.acknowledge = mark;
  if (batch.records.empty() || batch.records.front().seq > mark + 1) return out;
  for (ReceivedRecord& record : batch.records)
    if (record.seq > mark) out.fresh.push_back(std::move(record));
  out.acknowledge = std::max(mark, batch.last_seq);
  return out;
}

}  // namespace ferry::tunnel
