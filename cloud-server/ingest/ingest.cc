#include "cloud-server/ingest/ingest.h"

#include "common/proto/wire.pb.h"
#include "pipeline/tunnel/server.h"

namespace ferry::server {

// UNIQUE(device, outbox, seq) keeps each once, whatever comes.
Status Ingest::Keep(Transaction& tx, const std::string& device, const std::string& outbox,
                    tunnel::Admission admission, IngestNotes* notes) {
  const int64_t now_ms = clock_.NowUnixMs();
  if (admission.lost_last != 0) {
    notes->lost_first = admission.lost_first;
    notes->lost_last = admission.lost_last;
    FERRY_TRY(AsStatus(
        tx.intake().AddLoss({device, outbox, admission.lost_first, admission.lost_last, now_ms})));
  }
  for (tunnel::ReceivedRecord& record : admission.fresh) {
    if (record.refused.ok()) {
      FERRY_TRY(AsStatus(tx.records().Add({device, outbox, record.seq, std::move(record.stream),
                                           record.time_ms, now_ms, std::move(record.json)})));
      continue;
    }
    if (++notes->refused == 1)
      notes->first_reason = fmt::format("record {}: {}", record.seq, record.refused.ToString());
    FERRY_TRY(AsStatus(tx.intake().AddRefused({device, outbox, record.seq, std::move(record.stream),
                                               static_cast<int>(record.refused.code()),
                                               record.refused.message(), now_ms})));
  }
  return tx.intake().PutMark(device, outbox, admission.acknowledge);
}

Status Ingest::OnBatch(const std::string& device, const proto::TunnelBatch& batch,
                       proto::TunnelAck* ack, IngestNotes* notes) {
  FERRY_ASSIGN_OR_RETURN(const tunnel::ReceivedBatch received,
                         tunnel::DecodeBatch(batch).Context("tunnel of device {}", device));
  const std::string outbox = ToHex(received.outbox_id);
  uint64_t acknowledge = 0;
  IngestNotes told;
  FERRY_TRY(store_.Write([&](Transaction& tx) -> Status {
    told = {};  // the store runs this again after a conflict
    FERRY_ASSIGN_OR_RETURN(const uint64_t mark, tx.intake().Mark(device, outbox));
    tunnel::Admission admission = tunnel::Admit(received, mark);
    acknowledge = admission.acknowledge;
    if (acknowledge == mark) return OkStatus();
    return Keep(tx, device, outbox, std::move(admission), &told);
  }));
  *ack = tunnel::MakeAck(received.outbox_id, acknowledge);
  if (notes != nullptr) *notes = std::move(told);
  return OkStatus();
}

}  // namespace ferry::server
